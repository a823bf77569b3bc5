import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";

/** The tables that an acknowledgement relies on. */
const TABLES = ["orders", "order_lines", "order_work", "wallets", "ledger_entries", "order_units", "events"];

/**
 * A database does not know what callers were told, but it knows what the promise relies on: no table of orders or
 * money would be emptied by a crash, and a retry finds the order of its key. `npm run chaos` tests the rest.
 */
export const acknowledgementsSurvive: Invariant = {
  number: 11,
  name: "acknowledged orders survive a crash: their tables are logged, and a retry finds them by key",
  count: () => sql`select count(*) as count from unnest(${TABLES}::text[]) as name`,
  violations: () => sql`
    select 'table ' || name || case when c.oid is null then ' is missing' else ' would be emptied by a crash' end as violation
    from unnest(${TABLES}::text[]) as name
    left join pg_class c on c.oid = to_regclass(name)
    where c.relpersistence is distinct from 'p'
    union all
    select 'idempotency keys of orders are no longer unique'
    where not exists (
      select from pg_constraint k join pg_index i on i.indexrelid = k.conindid
      where k.conrelid = to_regclass('orders') and k.conname = 'orders_idempotency_key'
        and k.contype = 'u' and k.convalidated and i.indisvalid and i.indisready
    )`,
};
