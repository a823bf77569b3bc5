import sql, { raw, type Sql } from "sql-template-tag";

/** What one audit covers: the names of what it reads in place of the tables. */
export type Extent = {
  orders: Sql;
  lines: Sql;
  units: Sql;
  attempts: Sql;
  codes: Sql;
  entries: Sql;
  events: Sql;
  deliveries: Sql;
  reveals: Sql;
  proposals: Sql;
  refundNotes: Sql;
  /** Where each wallet's chain is continued. Wallets that have none are proved from their first entry. */
  marks: Sql;
  /** Roll-ups and counts by the hour are compared from here on. It is the beginning of a day. */
  since: Sql;
};

/** Everything. */
export const WHOLE: Extent = {
  orders: raw("orders"),
  lines: raw("order_lines"),
  units: raw("order_units"),
  attempts: raw("supplier_attempts"),
  codes: raw("codes"),
  entries: raw("ledger_entries"),
  events: raw("events"),
  deliveries: raw("deliveries"),
  reveals: raw("code_reveals"),
  proposals: raw("movement_proposals"),
  refundNotes: raw("report_refunds"),
  marks: sql`(select * from audit_marks where false)`,
  since: sql`timestamptz '-infinity'`,
};

/** The parts of the tables that `collect-changes` has copied, within its transaction. */
export const changedSince = (proof: { id: bigint; settledBefore: Date }): Extent => ({
  orders: raw("audited_orders"),
  lines: raw("audited_lines"),
  units: raw("audited_units"),
  attempts: raw("audited_attempts"),
  codes: raw("audited_codes"),
  entries: raw("audited_entries"),
  events: raw("audited_events"),
  deliveries: raw("audited_deliveries"),
  reveals: raw("audited_reveals"),
  proposals: sql`(
    select * from movement_proposals where decided_at is null or decided_at >= ${proof.settledBefore})`,
  refundNotes: sql`(select r.* from report_refunds r join audited_orders o on o.id = r.order_id)`,
  marks: sql`(select * from audit_marks where proof_id = ${proof.id})`,
  since: sql`${proof.settledBefore}::timestamptz`,
});
