import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { refreshSupply } from "../refresh-supply.ts";
import { insertStockOperation, markWithdrawn, type StockChoice } from "./stock-operation-queries.ts";

export type WithdrawStockInput = StockChoice & { reason: string };

const REASON_MAX_CHARACTERS = 500;

/**
 * Takes codes out of stock for good: they are never sold, and stay known, so that they cannot come back by an import.
 * Codes that an order is being given at this moment are passed over. Returns their ids.
 */
export async function withdrawStock(
  { db, clock }: { db: Db; clock: Clock },
  input: WithdrawStockInput,
): Promise<string[]> {
  const now = clock.now();
  const reason = checkReason(input.reason);
  const ids = await db.transaction(async (tx) => {
    const withdrawn = await markWithdrawn(tx, input);
    if (withdrawn.length > 0) {
      const { productId, supplierId } = input;
      const operation = { action: "withdraw", productId, supplierId, codeCount: withdrawn.length } as const;
      await insertStockOperation(tx, { ...operation, reason, now });
    }
    return withdrawn;
  });
  if (ids.length > 0) await refreshSupply(db, [input.productId], now);
  return ids;
}

export function checkReason(text: string): string {
  const reason = text.trim();
  if (reason.length === 0 || reason.length > REASON_MAX_CHARACTERS)
    throw new RangeError(`a reason has 1 to ${REASON_MAX_CHARACTERS} characters`);
  return reason;
}
