import sql, { raw, type Sql } from "sql-template-tag";
import type { Db } from "../../server/src/db/database.ts";
import { LINE_MEASURES } from "../../server/src/reports/add-up.ts";
import { addEndpoint } from "../../server/testing/builders/webhook-builders.ts";
import { fillSellers, type Seller } from "../sellers.ts";
import { CHUNK_PARTS, type Chunk, fillEvents, fillPart, HOUR_MS, SUPPLIERS } from "./fill-chunk.ts";
import { withoutIndexes } from "./without-indexes.ts";

const DAYS = 100;
const EVENT_DAYS = 7;
const RESELLERS = 20;
/** Enough for one statement: more would need more memory than it saves time. */
const CHUNK_ORDERS_MAX = 50_000;
/** These have no foreign keys that need an index. The roll-ups and events are small. */
const LOADED = ["orders", "order_lines", "order_units", "supplier_attempts", "codes", "ledger_entries"];

export type Filled = { sellers: readonly Seller[]; endpointIds: readonly string[] };

/**
 * A database with so many completed orders in the past hundred days, as the service would have left it: `scrip audit` finds
 * nothing. Each has one line, a unit, a purchase, a code and a debit in its wallet's chain. Those of the last week have an event.
 */
export async function fillScale(db: Db, dataDir: string, count: number): Promise<Filled> {
  const perHour = Math.max(1, Math.ceil(count / (DAYS * 24)));
  // The last hour is the one before now, however many orders there are.
  const hours = Math.ceil(count / perHour);
  const first = Math.floor(Date.now() / HOUR_MS - hours) * HOUR_MS;
  const sellers = await fillSellers(db, dataDir, { now: () => new Date(first - HOUR_MS) });
  const filled = sellers.slice(0, RESELLERS);
  const endpointIds: string[] = [];
  for (const { id } of filled)
    endpointIds.push(await addEndpoint(db, { resellerId: id, environment: "live" }));
  await db.rows(sql`
    insert into suppliers (id, kind, name) select 'sup_' || n, 'stock', 'Supplier ' || n
    from generate_series(0, ${SUPPLIERS - 1}) n`);
  const chunkHours = Math.min(24, Math.max(1, Math.floor(CHUNK_ORDERS_MAX / perHour)));
  await createFunctions(db);
  await withoutIndexes(db, LOADED, async () => {
    for (let hour = 0; hour < hours; hour += chunkHours) {
      const [from, to] = [hour * perHour, Math.min(count, Math.min(hour + chunkHours, hours) * perHour)];
      if (from >= to) break;
      const start = new Date(first + hour * HOUR_MS);
      const chunk = { resellerIds: filled.map(({ id }) => id), endpointIds, start, perHour, from, to };
      await fillChunk(db, chunk, hours - hour <= EVENT_DAYS * 24);
      if (hour % 240 === 0) console.log(`${to} orders filled`);
    }
  });
  await finishRollUps(db);
  await dropFunctions(db);
  await db.rows(sql`vacuum (freeze, analyze)`);
  await db.rows(sql`checkpoint`);
  return { sellers, endpointIds };
}

/** Only the entries of a wallet must be written one after the other. */
async function fillChunk(db: Db, chunk: Chunk, isRecent: boolean): Promise<void> {
  const parts = isRecent ? [...CHUNK_PARTS, fillEvents] : CHUNK_PARTS;
  await Promise.all(parts.map((part) => db.transaction((tx) => fillPart(tx, part(chunk)))));
}

/** The chain of hashes as a running aggregate, and the first ten characters of an id. */
async function createFunctions(db: Db): Promise<void> {
  await db.rows(sql`
    create function bench_chain_step(head bytea, first_head bytea, entry bytea) returns bytea language plpgsql as $$
    begin return sha256(coalesce(head, first_head) || entry); end $$`);
  await db.rows(sql`create aggregate bench_chain(bytea, bytea) (sfunc = bench_chain_step, stype = bytea)`);
  const letters = Array.from(
    { length: 10 },
    (_, index) => `substr(l, ((ms >> ${45 - index * 5}) & 31)::integer + 1, 1)`,
  );
  await db.rows(
    raw(`create function bench_time_text(ms bigint) returns text language sql immutable as $$
      select ${letters.join(" || ").replaceAll("(l,", "('0123456789abcdefghjkmnpqrstvwxyz',")} $$`),
  );
}

async function dropFunctions(db: Db): Promise<void> {
  await db.rows(sql`drop aggregate bench_chain(bytea, bytea)`);
  await db.rows(sql`drop function bench_chain_step(bytea, bytea, bytea), bench_time_text(bigint)`);
}

const sums: Sql = raw(LINE_MEASURES.map((name) => `sum(${name})`).join(", "));

/** Sums by product, reseller and supplier, and up to where each wallet has been counted. */
async function finishRollUps(db: Db): Promise<void> {
  for (const [dimension, at, member] of [
    ["product", "date_trunc('day', hour, 'UTC')", "product_id"],
    ["reseller", "hour", "reseller_id"],
    ["supplier", "hour", "supplier_id"],
  ] as const)
    await db.rows(sql`
      insert into report_slices (dimension, environment, at, member, currency, cost_currency, ${raw(LINE_MEASURES.join(", "))})
      select ${dimension}, environment, ${raw(at)}, ${raw(member)}, currency, cost_currency, ${sums}
      from report_lines where ${raw(member)} <> '' group by environment, 3, 4, currency, cost_currency`);
  await db.rows(sql`truncate report_days, report_day_times`);
  await db.rows(sql`
    insert into report_days (reseller_id, environment, day, currency, cost_currency, orders, sold_minor, completed)
    select reseller_id, environment, date_trunc('day', hour, 'UTC'), currency, '', sum(orders), sum(sold_minor), sum(completed)
    from report_orders group by 1, 2, 3, 4`);
  await db.rows(sql`
    insert into report_days as t (reseller_id, environment, day, currency, cost_currency, delivered_minor, cost_minor)
    select member, environment, date_trunc('day', at, 'UTC'), currency, cost_currency, sum(delivered_minor), sum(cost_minor)
    from report_slices where dimension = 'reseller' and cost_currency <> '' group by 1, 2, 3, 4, 5`);
  await db.rows(sql`
    insert into report_day_times (reseller_id, environment, day, bucket, count)
    select member, environment, date_trunc('day', at, 'UTC'), bucket, sum(count)
    from report_times where dimension = 'reseller' group by 1, 2, 3, 4`);
  await db.rows(sql`
    insert into report_wallets (reseller_id, environment, sequence)
    select reseller_id, environment, sequence from wallets
    on conflict (reseller_id, environment) do update set sequence = excluded.sequence`);
}
