import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { FulfilmentLimits } from "../limits.ts";

/** How much of its rate an idle supplier can be used at once. */
const BURST_MS = 1_000;

type Gate = {
  ratePerSecond: number;
  enabled: boolean;
  nextCallAt: Date;
  consecutiveFailures: number;
  openUntil: Date | null;
};

/**
 * How many of the wanted purchases can start now, by the supplier's rate and circuit breaker, for all workers together. A
 * breaker whose pause is over lets one through, and pauses again until that one has an outcome.
 */
export async function reserveCalls(
  tx: Tx,
  supplierId: string,
  wanted: number,
  now: Date,
  limits: FulfilmentLimits,
): Promise<number> {
  // The lock lets others write purchases and codes of the supplier, which refer to its row. It is a separate statement,
  // because a statement that locks and updates the row starts from the version it saw first and can deadlock.
  const [gate] = await tx.rows<Gate>(sql`
    select rate_per_second as "ratePerSecond", enabled, next_call_at as "nextCallAt",
           consecutive_failures as "consecutiveFailures", open_until as "openUntil"
    from suppliers where id = ${supplierId} for no key update`);
  if (!gate?.enabled || (gate.openUntil ?? now) > now) return 0;
  const { ratePerSecond } = gate;
  const isTripped = gate.consecutiveFailures >= limits.breakerFailures;
  const freeFromMs = Math.max(gate.nextCallAt.getTime(), now.getTime() - BURST_MS);
  const allowed = Math.floor(((now.getTime() - freeFromMs) * ratePerSecond) / 1_000);
  const granted = Math.max(0, Math.min(wanted, isTripped ? 1 : wanted, allowed));
  if (granted === 0) return 0;
  // Rounded up to the stored millisecond. Rounded down, a fast supplier would have no limit.
  const nextCallAt = new Date(freeFromMs + Math.ceil((granted * 1_000) / ratePerSecond));
  const openUntil = isTripped ? new Date(now.getTime() + limits.breakerFirstMs) : gate.openUntil;
  await tx.rows(sql`
    update suppliers set next_call_at = ${nextCallAt}, open_until = ${openUntil} where id = ${supplierId}`);
  return granted;
}

/** Whether the operator buys this product from this supplier. */
export const isEnabled = async (tx: Tx, supplierId: string, productId: string): Promise<boolean> => {
  const rows = await tx.rows(sql`
    select from suppliers s where s.id = ${supplierId} and s.enabled and not exists (
      select from supplier_routes r
      where r.product_id = ${productId} and r.supplier_id = s.id and r.paused_at is not null
    )`);
  return rows.length > 0;
};

/** A valid answer closes the breaker. True if it was open. */
export const recordAnswer = async (db: Queryable, supplierId: string): Promise<boolean> => {
  const [row] = await db.rows<{ wasOpen: boolean }>(sql`
    update suppliers s set consecutive_failures = 0, open_until = null
    from (select open_until is not null as was_open from suppliers where id = ${supplierId}) before
    where s.id = ${supplierId} and (s.consecutive_failures > 0 or s.open_until is not null)
    returning before.was_open as "wasOpen"`);
  return row?.wasOpen === true;
};

/** Consecutive failures open the breaker, longer each time. True if this one did. */
export const recordFailure = async (
  db: Queryable,
  supplierId: string,
  now: Date,
  limits: FulfilmentLimits,
): Promise<boolean> => {
  const [row] = await db.rows<{ failures: number }>(sql`
    update suppliers
    set consecutive_failures = consecutive_failures + 1,
        open_until = case when consecutive_failures + 1 < ${limits.breakerFailures} then open_until
          else ${now}::timestamptz + make_interval(secs => least(
            ${limits.breakerFirstMs}::double precision
              * power(2, least(consecutive_failures + 1 - ${limits.breakerFailures}, 20)),
            ${limits.breakerMaxMs}::double precision) / 1000) end
    where id = ${supplierId}
    returning consecutive_failures as failures`);
  return row?.failures === limits.breakerFailures;
};
