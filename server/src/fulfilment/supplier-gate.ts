import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { FulfilmentLimits } from "./limits.ts";

/** How much of its rate a supplier that was left alone may be asked for at once. */
const BURST_SECONDS = 1;

/**
 * How many of the wanted purchases may begin now, by the supplier's rate and its circuit breaker, all workers together.
 * A breaker whose pause is over lets one through, and pauses again until that one has told how it went.
 *
 * The time is kept in whole milliseconds and rounded up: rounded down, a fast supplier would be asked without end. The
 * lock lets others write purchases and codes of the supplier, which refer to its row.
 */
export const reserveCalls = async (
  tx: Tx,
  supplierId: string,
  wanted: number,
  now: Date,
  limits: FulfilmentLimits,
): Promise<number> => {
  const [row] = await tx.rows<{ granted: number }>(sql`
    with gate as (
      select id, rate_per_second as rate, consecutive_failures >= ${limits.breakerFailures} as tripped,
             greatest(next_call_at, ${now}::timestamptz - make_interval(secs => ${BURST_SECONDS})) as free_from,
             enabled and coalesce(open_until <= ${now}, true) as passable
      from suppliers where id = ${supplierId} for no key update
    ), decided as (
      select id, rate, free_from, tripped, case when not passable then 0 else greatest(0, least(
        ${wanted}::integer, case when tripped then 1 else ${wanted}::integer end,
        floor(extract(epoch from (${now}::timestamptz - free_from)) * rate)::integer)) end as granted
      from gate
    )
    update suppliers s
    set next_call_at = d.free_from + make_interval(secs => ceil(d.granted * 1000.0 / d.rate)::double precision / 1000),
        open_until = case when d.tripped and d.granted > 0
          then ${now}::timestamptz + make_interval(secs => ${limits.breakerFirstMs / 1000}) else s.open_until end
    from decided d where s.id = d.id
    returning d.granted`);
  return row?.granted ?? 0;
};

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
