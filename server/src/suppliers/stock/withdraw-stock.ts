import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { refreshSupply } from "../refresh-supply.ts";
import {
  insertStockOperation,
  markWithdrawn,
  markWithdrawOnReturn,
  type StockChoice,
  withdrawSetAside,
} from "./stock-operation-queries.ts";

export type WithdrawStockInput = StockChoice & { reason: string };

const REASON_MAX_CHARACTERS = 500;

export type WithdrawnStock = {
  ids: string[];
  /** Held back by unfinished orders; withdrawn when they return, which they may never do. */
  heldIds: string[];
};

/**
 * Takes codes out of stock for good: they are never sold, and stay known, so that they cannot come back by an import.
 * Codes that an order is being given at this moment are passed over. Those that it may give back are marked, first, so that
 * one that returns meanwhile is found in stock.
 */
export async function withdrawStock(
  { db, clock }: { db: Db; clock: Clock },
  input: WithdrawStockInput,
): Promise<WithdrawnStock> {
  const now = clock.now();
  const reason = checkReason(input.reason);
  const withdrawn = await db.transaction(async (tx) => {
    const heldIds = await markWithdrawOnReturn(tx, input);
    const setAside = await withdrawSetAside(tx, input);
    const ids = [...(await markWithdrawn(tx, input)), ...setAside.map(({ id }) => id)].sort();
    const codeCount = ids.length + heldIds.length;
    if (codeCount > 0) {
      const { productId, supplierId } = input;
      await insertStockOperation(tx, { action: "withdraw", productId, supplierId, codeCount, reason, now });
    }
    return { ids, heldIds };
  });
  if (withdrawn.ids.length > 0) await refreshSupply(db, [input.productId], now);
  return withdrawn;
}

export function checkReason(text: string): string {
  const reason = text.trim();
  if (reason.length === 0 || reason.length > REASON_MAX_CHARACTERS)
    throw new RangeError(`a reason has 1 to ${REASON_MAX_CHARACTERS} characters`);
  return reason;
}
