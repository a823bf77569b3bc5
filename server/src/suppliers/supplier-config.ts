import { readFile } from "node:fs/promises";
import { type Json, JsonError, parseStrictJson } from "../lib/strict-json.ts";
import type { Keyring } from "../vault/keyring.ts";
import { open, SealError, seal } from "../vault/seal.ts";

const CONFIG_MAX_BYTES = 65_536;

/** The JSON of a config file. The supplier's kind checks it before it is sealed. */
export async function readSupplierConfig(file: string): Promise<Json> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "file not found" : error.message;
    throw new Error(`cannot read ${file}: ${reason}`, { cause: error });
  });
  if (bytes.length > CONFIG_MAX_BYTES)
    throw new RangeError(`${file} is longer than ${CONFIG_MAX_BYTES} bytes`);
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    // The message could quote a piece of the file, and that may be the key.
    throw error instanceof JsonError ? new RangeError(`${file} is not JSON, or has a duplicate key`) : error;
  }
}

/** Sealed for this supplier alone: moved to another supplier's row it does not open. */
export const sealSupplierConfig = (keyring: Keyring, supplierId: string, config: Json): Buffer =>
  seal(keyring.masterKeys(), supplierConfigContext(supplierId), Buffer.from(JSON.stringify(config)));

type SealedSupplier = { id: string; sealedConfig: Uint8Array };

/** The config as it was sealed. Throws a SealError when it does not open. */
export function unsealSupplierConfig(keyring: Keyring, supplier: SealedSupplier): Json {
  const openNow = (): Buffer =>
    open(keyring.masterKeys(), supplierConfigContext(supplier.id), supplier.sealedConfig);
  let plain: Buffer;
  try {
    plain = openNow();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Another process may have sealed it under a key that was added a moment ago.
    keyring.reload();
    plain = openNow();
  }
  return parseStrictJson(plain);
}

/** What the seal of a supplier's config is bound to. */
export const supplierConfigContext = (supplierId: string): string => `supplier-config:${supplierId}`;
