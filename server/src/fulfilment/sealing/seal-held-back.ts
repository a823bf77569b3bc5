import type { Tx } from "../../db/database.ts";
import { deliveredPlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { KEY_NOT_AT_HAND, SealError } from "../../vault/seal.ts";
import { createPacer } from "../../work/pace.ts";
import { sandboxGoods } from "./sandbox-goods.ts";
import { type StoredSeal, sealToReseller } from "./seal-to-reseller.ts";
import {
  findRecipients,
  type HeldBackGoods,
  listUnsealedCodes,
  storeSealedCodes,
} from "./sealing-queries.ts";

/** Codes stored by one statement. PostgreSQL ends a transaction that says nothing for long, and 10,000 codes take seconds. */
const STORED_AT_ONCE = 500;

/**
 * Seals the codes of all-or-nothing orders to their resellers, in the transaction in which the orders are completed. Called
 * after their status has changed. Other work of the process runs in between.
 */
export async function sealHeldBack(tx: Tx, vault: CodeVault, orderIds: readonly string[]): Promise<void> {
  const recipients = await findRecipients(tx, orderIds);
  if (recipients.size === 0) return;
  const pacer = createPacer();
  let sealed: ({ id: string } & StoredSeal)[] = [];
  for (const code of await listUnsealedCodes(tx, [...recipients.keys()])) {
    if (pacer.isDue()) await pacer.pause();
    const recipient = recipients.get(code.orderId);
    const plain = openOne(vault, code);
    if (recipient && plain) sealed.push({ id: code.id, ...sealToReseller(recipient, code, plain) });
    if (sealed.length < STORED_AT_ONCE) continue;
    await storeSealedCodes(tx, sealed);
    sealed = [];
  }
  if (sealed.length > 0) await storeSealedCodes(tx, sealed);
}

/** A code that no longer opens stays as it is. */
function openOne(vault: CodeVault, code: HeldBackGoods): Buffer | undefined {
  if (code.sealed === null) return sandboxGoods(code.testCode ?? "");
  try {
    return vault.open(deliveredPlace(code, code.productId), code.sealed);
  } catch (error) {
    // Without its master key no code opens, but none is damaged.
    if (error instanceof SealError && error.message !== KEY_NOT_AT_HAND) return undefined;
    throw error;
  }
}
