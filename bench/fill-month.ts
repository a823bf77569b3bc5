import sql from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { systemClock } from "../server/src/lib/clock.ts";
import { firstIdAt } from "../server/src/lib/ids.ts";
import { createReseller } from "../server/src/resellers/create-reseller.ts";
import { fillWithoutTriggers } from "./fill-orders.ts";
import { withoutIndexes } from "./without-indexes.ts";

export const HOUR_MS = 3_600_000;
export const MONTH_HOURS = 30 * 24;

/** A product of the first orders that hardly anyone buys later: the page of its orders is full with few orders and with many. */
const RARE_PRODUCT = 900;
const RARE_EVERY = 25;

export type Month = { first: Date; resellerIds: readonly string[]; products: number; suppliers: number };

/** Resellers, products, suppliers and a wallet for each, for orders of a month that ends now. */
export async function prepareMonth(
  db: Db,
  { resellers, products, suppliers }: { resellers: number; products: number; suppliers: number },
): Promise<Month> {
  await migrate(db);
  await db.rows(sql`
    insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money)
    select 'card-' || n, 'Card ' || n, '25.00', 'USD', 'USD', true from generate_series(0, ${products - 1}) n`);
  await db.rows(sql`
    insert into suppliers (id, kind, name) select 'sup_' || n, 'stock', 'Supplier ' || n
    from generate_series(0, ${suppliers - 1}) n`);
  await db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, sku, priority, cost_minor, cost_currency)
    select 'card-' || n, 'sup_' || n % ${suppliers}, 'sku', 1, 2200, 'USD' from generate_series(0, ${products - 1}) n`);
  const resellerIds: string[] = [];
  for (let index = 0; index < resellers; index += 1) {
    const about = { name: `Reseller ${index}`, currency: "USD", email: "owner@reseller.example" };
    resellerIds.push((await createReseller(db, systemClock, about)).id);
  }
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return { first: new Date(now - MONTH_HOURS * HOUR_MS), resellerIds, products, suppliers };
}

/**
 * So many completed orders of two lines, spread over the hours of the month and over the resellers, with entries, units and
 * purchases. Products are chosen unevenly: few sell much, most sell little.
 */
export async function fillMonth(db: Db, month: Month, count: number, run: string): Promise<void> {
  await withoutIndexes(db, FILLED, () => fillHours(db, month, count, run));
  await db.rows(sql`vacuum analyze`);
}

const FILLED = ["orders", "order_lines", "order_units", "supplier_attempts", "ledger_entries"];

async function fillHours(db: Db, month: Month, count: number, run: string): Promise<void> {
  for (let hour = 0; hour < MONTH_HOURS; hour += 1) {
    const at = new Date(month.first.getTime() + hour * HOUR_MS);
    const from = Math.floor((count * hour) / MONTH_HOURS);
    const to = Math.floor((count * (hour + 1)) / MONTH_HOURS);
    if (to > from)
      await db.transaction(async (tx) => {
        await fillWithoutTriggers(tx);
        await tx.rows(fillHour(month, { at, from, to, run }));
      });
    if (hour % 24 === 23) process.stdout.write(`\r${to} orders filled`);
  }
  process.stdout.write("\n");
}

type Hour = { at: Date; from: number; to: number; run: string };

const fillHour = ({ resellerIds, products, suppliers }: Month, { at, from, to, run }: Hour) => sql`
  with made as materialized (
    select n, 'ord_' || ${firstIdAt("ord", at.getTime()).slice(4, 14)} || ${run} || lpad(n::text, 15, '0') as id,
           (${resellerIds}::text[])[1 + n % ${resellerIds.length}] as reseller_id,
           ${at}::timestamptz + (n % 3600) * interval '1 second' as at
    from generate_series(${from}::bigint, ${to - 1}::bigint) n
  ), lines as materialized (
    select m.*, line::smallint as line,
           case when ${run} = 'A' and line = 0 and n % ${RARE_EVERY} = 0 then ${RARE_PRODUCT}
                else floor(${products} * power(((n * 7919 + line * 104729) % 10007) / 10007.0, 3)) end::integer as product,
           (n + line) % ${suppliers} as supplier
    from made m, generate_series(0, 1) line
  ), numbered as materialized (
    select m.*, w.sequence + row_number() over (partition by m.reseller_id order by m.n) as sequence
    from made m join wallets w on w.reseller_id = m.reseller_id and w.environment = 'live'
  ), a as (
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, status, total_minor, currency,
                        key_id, created_at, updated_at, open_units, ended_at)
    select id, reseller_id, 'live', id, sha256(''), 'invoice-' || n, 'completed', 4750, 'USD', 'key', at, at, 0,
           at + (200 + n % 1800) * interval '1 ms' from made
  ), b as (
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity,
                             line_total_minor, fulfilled_quantity)
    select id, line, reseller_id, 'live', 'card-' || product, 'Card', 2375, 1, 2375, 1 from lines
  ), c as (
    insert into order_units (order_id, line_index, unit_index, environment, status, due_at, delivered_at)
    select id, line, 0, 'live', 'delivered', at, at + (200 + n % 1800) * interval '1 ms' from lines
  ), d as (
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   cost_minor, cost_currency, status, opened_at, resolved_at)
    select id, line, 0, 1, 'live', 'card-' || product, 'sup_' || supplier, 'sku', 2200, 'USD', 'delivered', at,
           at + (200 + n % 1800) * interval '1 ms' from lines
  ), e as (
    insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                balance_after_minor, currency, order_id, hash, created_at)
    select 'ent' || substr(id, 4), reseller_id, 'live', sequence, 'order', 'sales', -4750, 0, 'USD', id, sha256(''), at
    from numbered
  )
  update wallets w set sequence = l.sequence
  from (select reseller_id, max(sequence) as sequence from numbered group by reseller_id) l
  where w.reseller_id = l.reseller_id and w.environment = 'live'`;
