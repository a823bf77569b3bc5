import sql from "sql-template-tag";
import type { Db, Tx } from "../../src/db/database.ts";
import type { Tenant } from "../../src/http/caller.ts";
import { appendEntry, type Entry, type Movement } from "../../src/wallet/entry.ts";
import { lockWallet, updateWallet } from "../../src/wallet/queries.ts";
import { FIRST_SUPPLIER } from "./fulfilment-rows.ts";

/** The unit price. */
const PRICE_MINOR = 10;
/** Entries per insert statement. */
const CHUNK = 10_000;

/**
 * A long history of orders with one line and two units. Of ten orders, one is pending, one processing, one failed,
 * one refunded, one half refunded, and five fully delivered. The wallet must be able to pay for them.
 */
export async function addManyOrders(db: Db, tenant: Tenant, orders: number): Promise<void> {
  await addOrders(db, tenant, orders);
  await addLines(db);
  await addUnits(db);
  await addPurchases(db);
  await addEntries(db, tenant);
  await addEvents(db);
}

const addEvents = (db: Db) =>
  db.rows(sql`
    insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
    select 'evt_f_' || id, reseller_id, environment, 'order.fulfilled', '{}', id, 'fulfilled', now()
    from orders where status = 'completed'
    union all
    select 'evt_r_' || id, reseller_id, environment, 'order.refunded', '{}', order_id, id, now()
    from ledger_entries where type = 'refund'`);

const addOrders = (db: Db, { resellerId, environment }: Tenant, orders: number) =>
  db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, status, total_minor, refunded_minor,
                        currency, key_id, created_at, updated_at, open_units)
    select 'ord_' || lpad(n::text, 26, '0'), ${resellerId}, ${environment}, 'key-' || n, sha256(''),
      case n % 10 when 0 then 'pending' when 1 then 'processing' when 2 then 'failed' when 3 then 'refunded'
        else 'completed' end,
      2 * ${PRICE_MINOR}::integer,
      case n % 10 when 3 then 2 when 4 then 1 else 0 end * ${PRICE_MINOR}::integer, 'USD', 'key', now(), now(),
      case n % 10 when 0 then null when 1 then 2 else 0 end
    from generate_series(0, ${orders - 1}::integer) n`);

async function addLines(db: Db): Promise<void> {
  await db.rows(sql`
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                             quantity, line_total_minor, fulfilled_quantity, refunded_quantity, failure_code)
    select id, 0, reseller_id, environment, 'card', 'Card', ${PRICE_MINOR}, 2, total_minor,
      case when status = 'completed' then 2 - refunded_minor / ${PRICE_MINOR} else 0 end,
      refunded_minor / ${PRICE_MINOR},
      case when status = 'failed' or refunded_minor > 0 then 'out_of_stock' end
    from orders`);
  await db.rows(sql`
    insert into order_work (order_id, due_at)
    select id, now() from orders where status in ('pending', 'processing', 'failed')`);
}

const addUnits = (db: Db) =>
  db.rows(sql`
    insert into order_units (order_id, line_index, unit_index, environment, status, due_at, delivered_at, failure_code)
    select id, 0, unit_index, environment,
      case when is_delivered then 'delivered' when status = 'processing' then 'waiting' when status = 'failed' then 'failed'
        else 'refunded' end,
      now(), case when is_delivered then created_at end,
      case when not is_delivered and status <> 'processing' then 'out_of_stock' end
    from orders
    cross join generate_series(0, 1) unit_index
    cross join lateral (select status = 'completed' and (unit_index = 0 or refunded_minor = 0) as is_delivered) unit
    where status <> 'pending'`);

async function addPurchases(db: Db): Promise<void> {
  await db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   status, failure_code, opened_at, resolved_at)
    select order_id, line_index, unit_index, 1, 'live', 'card', ${FIRST_SUPPLIER}, 'sku',
      case status when 'waiting' then 'open' when 'delivered' then 'delivered' else 'refused' end, failure_code, now(),
      case when status <> 'waiting' then now() end
    from order_units`);
  await db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
                       unit_index, delivered_at)
    select 'cod_' || order_id || unit_index, 'live', 'card', ${FIRST_SUPPLIER}, 'delivered', 'code', 'sealed'::bytea,
           sha256((order_id || unit_index)::bytea), order_id, line_index, unit_index, delivered_at
    from order_units where status = 'delivered'`);
}

/** The debit and refund of each order, chained as the wallet chains them. */
const addEntries = (db: Db, tenant: Tenant) =>
  db.transaction(async (tx) => {
    let head = await lockWallet(tx, tenant);
    const entries: Entry[] = [];
    const movements = await tx.rows<Pick<Movement, "type" | "amountMinor" | "orderId">>(sql`
      select 'order' as type, -total_minor as "amountMinor", id as "orderId" from orders
      union all
      select 'refund', refunded_minor, id from orders where refunded_minor > 0`);
    for (const movement of movements) {
      const id = `ent_${movement.type}_${movement.orderId}`;
      const next = head && appendEntry(head, { ...movement, id, note: null, createdAt: new Date(0) });
      if (!next) throw new Error("the wallet cannot pay for that many orders");
      head = next.head;
      entries.push(next.entry);
    }
    for (let from = 0; from < entries.length; from += CHUNK)
      await insertEntries(tx, entries.slice(from, from + CHUNK));
    if (head) await updateWallet(tx, head);
  });

const insertEntries = (tx: Tx, entries: readonly Entry[]) =>
  tx.rows(sql`
    insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                balance_after_minor, currency, order_id, hash, created_at)
    select one.id, w.reseller_id, w.environment, one.sequence, one.type, 'sales', one.amount_minor,
           one.balance_after_minor, w.currency, one.order_id, decode(one.hash, 'hex'), w.last_entry_at
    from unnest(
      ${entries.map((one) => one.id)}::text[], ${entries.map((one) => one.sequence)}::bigint[],
      ${entries.map((one) => one.type)}::text[], ${entries.map((one) => one.amountMinor)}::bigint[],
      ${entries.map((one) => one.balanceAfterMinor)}::bigint[], ${entries.map((one) => one.orderId)}::text[],
      ${entries.map((one) => one.hash.toString("hex"))}::text[]
    ) as one (id, sequence, type, amount_minor, balance_after_minor, order_id, hash)
    cross join wallets w
    where w.reseller_id = ${entries[0]?.resellerId} and w.environment = ${entries[0]?.environment}`);
