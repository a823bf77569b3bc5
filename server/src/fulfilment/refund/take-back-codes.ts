import type { Tx } from "../../db/database.ts";
import { deliveredPlace, quarantinePlace, stockPlace, type UnitKey } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { KEY_NOT_AT_HAND, SealError } from "../../vault/seal.ts";
import {
  deleteTestCodes,
  failDeliveredUnits,
  type HeldBackCode,
  listHeldBackCodes,
  type MovedCode,
  moveCodes,
} from "./take-back-queries.ts";

/**
 * Undoes the deliveries of all-or-nothing orders that cannot be completed. Their codes have not been shown yet. Codes from
 * stock return to stock, or become withdrawn if the operator withdrew them. Codes from a supplier have been paid for and go to
 * quarantine. Returns the products that have stock again.
 */
export async function takeBackCodes(
  tx: Tx,
  vault: CodeVault,
  orderIds: readonly string[],
  now: Date,
): Promise<string[]> {
  await deleteTestCodes(tx, orderIds);
  const moved = (await listHeldBackCodes(tx, orderIds)).map((code) => moveOne(vault, code));
  if (moved.length > 0) await moveCodes(tx, moved);
  await failDeliveredUnits(tx, orderIds, now);
  return [...new Set(moved.flatMap(({ state, productId }) => (state === "stock" ? [productId] : [])))];
}

/** A code that no longer opens cannot be sold again. */
function moveOne(
  vault: CodeVault,
  { sealed, hasOwnStock, withdrawOnReturn, ...code }: HeldBackCode,
): MovedCode {
  const plain = openOne(vault, code, sealed);
  if (plain && hasOwnStock) {
    const state = withdrawOnReturn ? "withdrawn" : "stock";
    return { ...code, state, sealed: vault.seal(stockPlace(code.id, code.productId), plain) };
  }
  const place = quarantinePlace(code.id, code, code.productId);
  return { ...code, state: "quarantined", sealed: plain ? vault.seal(place, plain) : sealed };
}

function openOne(
  vault: CodeVault,
  code: UnitKey & { productId: string },
  sealed: Buffer,
): Buffer | undefined {
  try {
    return vault.open(deliveredPlace(code, code.productId), sealed);
  } catch (error) {
    // Without its master key no code opens, but none is damaged.
    if (error instanceof SealError && error.message !== KEY_NOT_AT_HAND) return undefined;
    throw error;
  }
}
