import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";

/**
 * What the margin report calls sold and refunded is what the ledger moved between wallets and the account `sales`, up to the entry that
 * each wallet has been counted to. Nothing is lost or counted twice between the money and the report.
 */
export const marginEqualsLedger: Invariant = {
  number: 15,
  name: "the margin report's totals equal the change of the ledger's sales account, per environment and currency",
  count: ({ since }) => sql`select count(*) as count from report_lines where hour >= ${since}`,
  violations: ({ entries, since }) => sql`
    select 'the report of ' || environment || ' ' || currency || ' says ' || sum(reported) || ', and the ledger ' || sum(moved)
      as violation
    from (
      select environment, currency, sold_minor - refunded_minor as reported, 0 as moved from report_lines
      where hour >= ${since}
      union all
      select e.environment, e.currency, 0, -e.amount_minor
      from ${entries} e
      join report_wallets w on w.reseller_id = e.reseller_id and w.environment = e.environment
      where e.sequence <= w.sequence and e.counter_account = 'sales' and e.created_at >= ${since}
    ) f
    group by environment, currency having sum(reported) <> sum(moved)`,
};
