import { readFile } from "node:fs/promises";
import { type Secret, secret } from "../lib/secret.ts";
import { type Json, JsonError, parseStrictJson } from "../lib/strict-json.ts";
import type { Keyring } from "../vault/keyring.ts";
import { open, SealError, seal } from "../vault/seal.ts";
import { assertSupplierConfig } from "./scrip/scrip-config.ts";

const CONFIG_MAX_BYTES = 65_536;

/** The config of a supplier that is called, out of its file. It is judged when it is sealed. */
export async function readSupplierConfig(file: string): Promise<Json> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw new Error(`cannot read ${file}: ${reason}`, { cause: error });
  });
  if (bytes.length > CONFIG_MAX_BYTES)
    throw new RangeError(`${file} is longer than ${CONFIG_MAX_BYTES} bytes`);
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    // The message could quote what stands in the place of a name, and that may be the key.
    throw error instanceof JsonError ? new RangeError(`${file} is not JSON, or has a name twice`) : error;
  }
}

/** Sealed for this supplier alone: moved to another's row it does not open. */
export function sealSupplierConfig(keyring: Keyring, supplierId: string, config: Json): Buffer {
  assertSupplierConfig(config);
  return seal(keyring.masterKeys(), supplierConfigContext(supplierId), Buffer.from(JSON.stringify(config)));
}

type SealedSupplier = { id: string; sealedConfig: Uint8Array };

/** What `createScripSupplier` takes. */
export function openSupplierConfig(
  keyring: Keyring,
  supplier: SealedSupplier,
): { baseUrl: string; apiKey: Secret<string> } {
  const { baseUrl, apiKey } = assertSupplierConfig(unseal(keyring, supplier));
  return { baseUrl, apiKey: secret(apiKey) };
}

/**
 * The address in a config, also in one that today's rules refuse: whoever repairs it must be able to. Undefined where the
 * config does not open or has none.
 */
export function findSupplierAddress(keyring: Keyring, supplier: SealedSupplier): string | undefined {
  try {
    const { baseUrl } = unseal(keyring, supplier) as { baseUrl?: unknown };
    return typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl).href : undefined;
  } catch (error) {
    if (error instanceof SealError || error instanceof JsonError) return undefined;
    throw error;
  }
}

function unseal(keyring: Keyring, supplier: SealedSupplier): Json {
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
