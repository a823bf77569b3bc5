import type { Db } from "../db/database.ts";
import { noReseller } from "./get-reseller.ts";
import { type ResellerRow, updateRateLimits } from "./queries.ts";

export const RATE_MAX_PER_SECOND = 1_000_000;

/** Sets the rate limits of a reseller, which apply to each of its keys. They take effect with the next request on every node. */
export async function limitReseller(
  db: Db,
  id: string,
  limits: { orders?: number | null; reads?: number | null },
): Promise<ResellerRow> {
  for (const rate of [limits.orders, limits.reads]) {
    if (typeof rate === "number" && rate > RATE_MAX_PER_SECOND) {
      throw new RangeError(`a rate limit is at most ${RATE_MAX_PER_SECOND} requests per second`);
    }
  }
  const [row] = await updateRateLimits(db, id, limits);
  if (!row) throw noReseller(id);
  return row;
}
