import sql, { raw, type Sql } from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import { firstIdAt, type IdPrefix } from "../lib/ids.ts";
import type { Proof } from "./proof-queries.ts";

/**
 * Copies what can have changed since a proof into temporary tables, by indexes alone. That is, with all that belongs to them, the orders
 *
 * - that were placed since, by their ids and by the entries of the ledger,
 * - that were refunded since, by the entries,
 * - that were not settled when the proof was made, and those that are not finished now,
 * - that an event or a code since then belongs to, or of which a supplier took a purchase back.
 *
 * A finished order does not change in any other way. What someone changes behind the service's back is found by a full audit.
 */
export async function collectChanges(tx: Tx, proof: Proof): Promise<void> {
  // PostgreSQL would rather read a whole table or index than look up some of its rows.
  await tx.rows(switchScans("off"));
  for (const [name, query] of partsOf(proof)) {
    await tx.rows(sql`create temporary table ${raw(name)} on commit drop as ${query}`);
    await tx.rows(sql`analyze ${raw(name)}`);
  }
  await tx.rows(switchScans("on"));
}

const switchScans = (state: "on" | "off"): Sql => sql`
  select set_config(name, ${state}, true) from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`;

/** In this order, because later ones read earlier ones. */
const partsOf = (proof: Proof): readonly (readonly [string, Sql])[] => [
  ["audited_new_entries", newEntries(proof)],
  ["audited_older", olderOrders(proof)],
  ["audited_orders", ofOrders(proof, "orders", "id")],
  ["audited_lines", ofOrders(proof, "order_lines")],
  ["audited_units", ofOrders(proof, "order_units")],
  ["audited_attempts", ofOrders(proof, "supplier_attempts")],
  ["audited_codes", codes(proof)],
  ["audited_entries", entries(proof)],
  ["audited_events", events(proof)],
  ["audited_deliveries", deliveries(proof)],
  ["audited_reveals", sql`select * from code_reveals where id > ${proof.revealId}`],
];

/** The first id that a thing made since the proof can have. */
const firstId = (proof: Proof, prefix: IdPrefix): string => firstIdAt(prefix, proof.settledBefore.getTime());

/** The offset keeps PostgreSQL from reading the whole ledger and comparing each entry with its wallet's mark. */
const newEntries = (proof: Proof): Sql => sql`
  select e.* from wallets w
  left join audit_marks m on m.proof_id = ${proof.id} and m.reseller_id = w.reseller_id and m.environment = w.environment
  cross join lateral (
    select * from ledger_entries e
    where e.reseller_id = w.reseller_id and e.environment = w.environment and e.sequence > coalesce(m.sequence, 0)
    offset 0
  ) e`;

/** Orders with an older id than those that a range of ids finds. The offset makes it one look-up for each wallet. */
const olderOrders = (proof: Proof): Sql => sql`
  select order_id from (
    select order_id from audited_new_entries
    union
    select order_id from audit_open_orders where proof_id = ${proof.id}
    union
    select order_id from order_work
    union
    select order_id from report_changes
    union
    select order_id from supplier_reversals where found_at >= ${proof.settledBefore}
    union
    select unfinished.id from wallets w
    cross join lateral (
      select o.id from unnest(array['pending', 'processing', 'failed']) unfinished_status (status)
      join orders o on hashtextextended(o.status, tenant_hash(o.reseller_id, o.environment))
                     = hashtextextended(unfinished_status.status, tenant_hash(w.reseller_id, w.environment))
      where o.status = unfinished_status.status and o.reseller_id = w.reseller_id and o.environment = w.environment
      offset 0
    ) unfinished
    union
    select order_id from supplier_attempts where status = 'open'
    union
    select order_id from events where id >= ${firstId(proof, "evt")}
    union
    select order_id from codes where id >= ${firstId(proof, "cod")}
    union
    select 'ord' || substr(cause, 4) from events where id >= ${firstId(proof, "evt")} and type = 'wallet.low'
  ) touched
  where order_id < ${firstId(proof, "ord")}`;

const ofOrders = (proof: Proof, table: string, column = "order_id", where: Sql = sql`true`): Sql => sql`
  select t.* from ${raw(table)} t where t.${raw(column)} >= ${firstId(proof, "ord")} and ${where}
  union all
  select t.* from audited_older o join ${raw(table)} t on t.${raw(column)} = o.order_id where ${where}`;

/** Codes of the orders, and those that were imported or set aside since. No code is in two of the parts: to compare them takes longer. */
const codes = (proof: Proof): Sql => sql`
  select * from codes where id >= ${firstId(proof, "cod")}
  union all
  ${ofOrders(proof, "codes", "order_id", sql`t.state = 'delivered' and t.id < ${firstId(proof, "cod")}`)}
  union all
  select c.* from codes c
  where c.state = 'quarantined' and c.id < ${firstId(proof, "cod")}
    and (c.order_id >= ${firstId(proof, "ord")} or c.order_id in (select order_id from audited_older))`;

/** Entries since the marks of their wallets, and the earlier ones of the orders and of what is told about wallets. */
const entries = (proof: Proof): Sql => sql`
  select * from audited_new_entries
  union all
  (
    select distinct on (e.id) e.* from (
      ${ofOrders(proof, "ledger_entries", "order_id", sql`t.type = 'order'`)}
      union all
      ${ofOrders(proof, "ledger_entries", "order_id", sql`t.type = 'refund'`)}
      union all
      select e.* from events v
      join ledger_entries e on e.id = v.cause and e.type <> 'order'
      where v.id >= ${firstId(proof, "evt")} and v.type = 'wallet.low'
    ) e
    where e.sequence <= (
      select m.sequence from audit_marks m
      where m.proof_id = ${proof.id} and m.reseller_id = e.reseller_id and m.environment = e.environment
    )
    order by e.id
  )`;

const events = (proof: Proof): Sql => sql`
  select * from events where id >= ${firstId(proof, "evt")}
  union
  ${ofOrders(proof, "events", "order_id")}`;

const deliveries = (proof: Proof): Sql => sql`
  select * from deliveries where event_id >= ${firstId(proof, "evt")}
  union all
  select d.* from audited_events e join deliveries d on d.event_id = e.id where e.id < ${firstId(proof, "evt")}`;
