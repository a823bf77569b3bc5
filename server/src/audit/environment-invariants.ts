import sql from "sql-template-tag";
import { ENVIRONMENT_GUARDS, missingTriggers } from "../db/guards.ts";
import type { Invariant } from "./invariant.ts";
import { attemptName, unitName } from "./unit-name.ts";

/** The debit and refund invariants compare lines and entries with their orders. This one covers the rest. */
export const environmentsAreApart: Invariant = {
  number: 10,
  name: "sandbox and live share no order, wallet, code, endpoint or event; reveals cannot be changed",
  count: ({ orders }) => sql`select count(*) as count from ${orders} o`,
  violations: ({ orders, units, attempts, codes, reveals }) => sql`
    select ${unitName("u")} || ' is ' || u.environment || ' but its order is ' || o.environment as violation
    from ${units} u
    join ${orders} o on o.id = u.order_id
    where u.environment <> o.environment
    union all
    select ${attemptName("a")} || ' is ' || a.environment || ' but its order is ' || o.environment
    from ${attempts} a
    join ${orders} o on o.id = a.order_id
    where o.environment <> 'live' or a.environment <> 'live'
    union all
    select 'code ' || c.id || ' is ' || c.environment || ' but its order is ' || o.environment
    from ${codes} c
    join ${orders} o on o.id = c.order_id
    where c.environment <> o.environment
    union all
    select 'code ' || c.id || ' is ' || c.environment || ' but not stored as such'
    from ${codes} c
    where (c.environment = 'live') <> (c.supplier_id is not null)
      or (c.environment = 'test' and c.sealed is not null)
      or (c.environment = 'live' and (c.sealed is null) = (c.ciphertext is null))
      or (c.environment = 'test') <> (c.test_code is not null)
      or (c.environment = 'test' and (c.digest is not null or c.test_code not like 'TEST-%'))
    union all
    select 'reveal ' || r.id || ' does not belong to an order of its reseller and environment'
    from ${reveals} r
    where not exists (
      select from orders o
      where o.id = r.order_id and o.reseller_id = r.reseller_id and o.environment = r.environment
    )
    union all ${missingTriggers(ENVIRONMENT_GUARDS)}`,
};
