import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";

/** Counts are kept for 35 days. Only younger ones are checked, with a margin of one day. */
const KEPT = sql`interval '34 days'`;

const dayOf = (column: "o" | "e") =>
  column === "o"
    ? sql`(o.created_at at time zone 'UTC')::date`
    : sql`(e.created_at at time zone 'UTC')::date`;

/** What caps are decided by is what the orders and the ledger say. */
export const keysCountSpending: Invariant = {
  number: 14,
  name: "what a key with a daily cap or a velocity limit has spent in an hour = its orders less refunds of the same day",
  count: ({ since }) => sql`select count(*) as count from key_spending where hour >= ${since}`,
  violations: ({ orders, entries, since }) => sql`
    with facts as (
      select o.key_id, date_trunc('hour', o.created_at, 'UTC') as hour, sum(o.total_minor - coalesce(r.amount, 0)) as spent
      from ${orders} o
      join api_keys k on k.id = o.key_id and ${dayOf("o")} >= k.counted_from
      left join (
        select e.order_id, ${dayOf("e")} as day, sum(e.amount_minor) as amount
        from ${entries} e where e.type = 'refund' group by e.order_id, day
      ) r on r.order_id = o.id and r.day = ${dayOf("o")}
      where o.created_at > now() - ${KEPT} and o.created_at >= ${since}
      group by o.key_id, hour
    ), counts as (
      select key_id, hour, spent_minor as spent from key_spending where hour >= ${since}
    )
    select 'key ' || coalesce(f.key_id, c.key_id) || ' spent ' || coalesce(f.spent, 0) || ' in the hour from ' ||
      to_char(coalesce(f.hour, c.hour) at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC, and ' || coalesce(c.spent, 0) ||
      ' is counted' as violation
    from facts f full join counts c on c.key_id = f.key_id and c.hour = f.hour
    where coalesce(f.spent, 0) <> coalesce(c.spent, 0)
      and coalesce(f.hour, c.hour) > now() - ${KEPT} + interval '1 hour'`,
};
