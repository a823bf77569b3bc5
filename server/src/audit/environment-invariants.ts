import sql from "sql-template-tag";
import { missingTriggers } from "./guards.ts";
import type { Invariant } from "./invariant.ts";
import { attemptName, unitName } from "./unit-name.ts";

/** The record of who saw a code cannot be changed, like the ledger. */
const REVEAL_TRIGGERS = [
  `create trigger code_reveals_append_only before delete or update on code_reveals
     for each row execute function refuse_change()`,
  `create trigger code_reveals_never_emptied before truncate on code_reveals
     for each statement execute function refuse_change()`,
];

const apart = (name: string, when: string, table: string, refusal: string): string =>
  `create trigger ${name} after ${when} on ${table} referencing new table as written
     for each statement execute function ${refusal}()`;
const stays = (table: string, columns: string): string =>
  `create trigger ${table}_stay before update of ${columns} on ${table}
     for each row execute function refuse_move()`;

/** What keeps the two environments apart between audits. */
const APART_TRIGGERS = [
  apart("order_units_environment", "insert", "order_units", "refuse_other_environment"),
  apart("supplier_attempts_environment", "insert", "supplier_attempts", "refuse_other_environment"),
  apart("codes_environment_new", "insert", "codes", "refuse_other_environment"),
  apart("codes_environment_given", "update", "codes", "refuse_other_environment"),
  apart("events_owner", "insert", "events", "refuse_other_owner"),
  apart("code_reveals_owner", "insert", "code_reveals", "refuse_other_owner"),
  apart("deliveries_endpoint", "insert", "deliveries", "refuse_other_endpoint"),
  `create trigger ledger_entries_wallet after insert on ledger_entries for each row
     when new.type = 'refund' execute function refuse_other_wallet()`,
  stays("orders", "id, reseller_id, environment"),
  stays("order_lines", "order_id, reseller_id, environment"),
  stays("deliveries", "event_id, endpoint_id"),
  stays("webhook_secrets", "endpoint_id"),
  stays("wallets", "reseller_id, environment"),
  stays("order_units", "order_id, environment"),
  stays("supplier_attempts", "order_id, environment"),
  stays("webhook_endpoints", "reseller_id, environment"),
  stays("api_keys", "reseller_id, environment"),
];

/** The debit and refund invariants compare lines and entries with their orders. This one covers the rest. */
export const environmentsAreApart: Invariant = {
  number: 10,
  name: "sandbox and live share no order, wallet, code, endpoint or event; reveals cannot be changed",
  count: sql`select count(*) as count from orders`,
  violations: sql`
    select ${unitName("u")} || ' is ' || u.environment || ' but its order is ' || o.environment as violation
    from order_units u
    join orders o on o.id = u.order_id
    where u.environment <> o.environment
    union all
    select ${attemptName("a")} || ' is ' || a.environment || ' but its order is ' || o.environment
    from supplier_attempts a
    join orders o on o.id = a.order_id
    where o.environment <> 'live' or a.environment <> 'live'
    union all
    select 'code ' || c.id || ' is ' || c.environment || ' but its order is ' || o.environment
    from codes c
    join orders o on o.id = c.order_id
    where c.environment <> o.environment
    union all
    select 'code ' || c.id || ' is ' || c.environment || ' but not stored as such'
    from codes c
    where (c.environment = 'live') <> (c.sealed is not null)
      or (c.environment = 'live') <> (c.supplier_id is not null)
      or (c.environment = 'test') <> (c.test_code is not null)
      or (c.environment = 'test' and (c.digest is not null or c.test_code not like 'TEST-%'))
    union all
    select 'reveal ' || r.id || ' does not belong to an order of its reseller and environment'
    from code_reveals r
    where not exists (
      select from orders o
      where o.id = r.order_id and o.reseller_id = r.reseller_id and o.environment = r.environment
    )
    union all ${missingTriggers([...REVEAL_TRIGGERS, ...APART_TRIGGERS])}`,
};
