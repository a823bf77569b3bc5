import type { Db } from "../../db/database.ts";
import { refreshSupply } from "../refresh-supply.ts";
import { markStockExpired } from "../supply-queries.ts";

const CODES_PER_BATCH = 1_000;

/** Takes codes that have expired out of stock, and returns how many. */
export async function expireStock(db: Db, now: Date): Promise<number> {
  let expired = 0;
  for (;;) {
    const codes = await markStockExpired(db, now, CODES_PER_BATCH);
    if (codes.length === 0) return expired;
    expired += codes.length;
    await refreshSupply(
      db,
      codes.map(({ productId }) => productId),
      now,
    );
  }
}
