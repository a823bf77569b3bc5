import type { Db, Queryable } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { countDeliverable } from "../supply-queries.ts";

/** How many units of a product are wanted. */
export type Wanted = { productId: string; quantity: number };
/** There are fewer than are wanted. */
export type Shortage = { productId: string; available: number };

/** Finds the first product of which fewer can be delivered now than are wanted. `tx` reads within a transaction. */
export type ShortageFinder = (wanted: readonly Wanted[], tx?: Queryable) => Promise<Shortage | undefined>;

/** How long a sufficient level is trusted. Units that sell out in the meantime are refunded. */
const KEPT_MS = 1_000;
const PRODUCTS_KEPT_MAX = 10_000;
/** Counted up to here even for smaller orders, so that the next order does not have to count again. */
const COUNTED_MIN = 100;

/**
 * Orders can be accepted by a recent count, but are refused only by a fresh one: what can be delivered is never refused. An
 * order of one unit is not counted, because the catalog knows whether there is any.
 */
export function createShortageFinder(db: Db, clock: Clock): ShortageFinder {
  const kept = new Map<string, { level: number; untilMs: number }>();
  return async (wanted, tx = db) => {
    const nowMs = performance.now();
    const uncertain = wanted.filter(({ productId, quantity }) => {
      const known = kept.get(productId);
      return quantity > 1 && !(known && known.untilMs > nowMs && known.level >= quantity);
    });
    if (uncertain.length === 0) return undefined;
    const asked = uncertain.map((one) => ({ ...one, quantity: Math.max(one.quantity, COUNTED_MIN) }));
    const levels = new Map(
      (await countDeliverable(tx, asked, clock.now())).map((row) => [row.productId, row]),
    );
    if (kept.size > PRODUCTS_KEPT_MAX) kept.clear();
    for (const { productId, quantity } of uncertain) {
      const level = levels.get(productId)?.level ?? Number.POSITIVE_INFINITY;
      if (level < quantity) return { productId, available: level };
      kept.set(productId, { level, untilMs: nowMs + KEPT_MS });
    }
    return undefined;
  };
}
