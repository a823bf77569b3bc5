import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { STUCK_AFTER_MS } from "./find-orders.ts";
import { isUnknown } from "./unit-choice.ts";

/** Orders of the sandbox among the oldest unfinished ones are passed over, at most so many. */
const WALKED_MAX = 1_000;

/**
 * How many purchases have no known outcome and how many orders are stuck, each counted up to a limit, as the pages list them.
 * It is read with every page of the console, so it walks indexes of what is unfinished and stops at the limit.
 */
export async function countWaiting(
  db: Queryable,
  { environment, max, now }: { environment: Tenant["environment"]; max: number; now: Date },
): Promise<{ unknown: number; stuck: number }> {
  const [row] = await db.rows<{ unknown: number; stuck: number }>(
    sql`
      select (select count(*)::integer from (
                select from supplier_attempts a
                where a.status = 'open' and a.written_off_at is null and ${isUnknown(now)} limit ${max}
              ) unknown) as unknown,
             (select count(*)::integer from (
                select id from (
                  (select o.id from (
                     select order_id from order_work
                     where order_id < ${firstIdAt("ord", now.getTime() - STUCK_AFTER_MS)}
                     order by order_id limit ${WALKED_MAX}
                   ) w join orders o on o.id = w.order_id where o.environment = ${environment} limit ${max})
                  union
                  (select id from orders
                   where refund_held and environment = ${environment} and status in ('processing', 'failed')
                   order by id limit ${max})
                ) both_kinds limit ${max}
              ) stuck) as stuck`,
    { name: "count-waiting" },
  );
  return row ?? { unknown: 0, stuck: 0 };
}
