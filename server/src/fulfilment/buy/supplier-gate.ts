import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { FulfilmentLimits } from "../limits.ts";

/** How much of its rate a supplier that was left alone may be asked for at once. */
const BURST_MS = 1_000;

type Gate = {
  ratePerSecond: number;
  enabled: boolean;
  nextCallAt: Date;
  consecutiveFailures: number;
  openUntil: Date | null;
};

/**
 * How many of the wanted purchases may begin now, by the supplier's rate and its circuit breaker, all workers together.
 * A breaker whose pause is over lets one through, and pauses again until that one has told how it went.
 */
export async function reserveCalls(
  tx: Tx,
  supplierId: string,
  wanted: number,
  now: Date,
  limits: FulfilmentLimits,
): Promise<number> {
  // The lock lets others write purchases and codes of the supplier, which refer to its row. It is a statement of its own,
  // because one that locks and changes the row goes back to the version it saw first, and can so meet others in a circle.
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
  // Rounded up to the millisecond that is kept: rounded down, a fast supplier would be asked without end.
  const nextCallAt = new Date(freeFromMs + Math.ceil((granted * 1_000) / ratePerSecond));
  const openUntil = isTripped ? new Date(now.getTime() + limits.breakerFirstMs) : gate.openUntil;
  await tx.rows(sql`
    update suppliers set next_call_at = ${nextCallAt}, open_until = ${openUntil} where id = ${supplierId}`);
  return granted;
}

/** An answer that makes sense closes the breaker. */
export const recordAnswer = (db: Queryable, supplierId: string) =>
  db.rows(sql`
    update suppliers set consecutive_failures = 0, open_until = null
    where id = ${supplierId} and (consecutive_failures > 0 or open_until is not null)`);

/** Failures in a row open it, for longer each time. True when this one did. */
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
