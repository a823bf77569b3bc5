import sql, { raw, type Sql } from "sql-template-tag";
import type { Db } from "../../server/src/db/database.ts";
import { LINE_MEASURES } from "../../server/src/reports/add-up.ts";
import { addEndpoint } from "../../server/testing/builders/webhook-builders.ts";
import type { BenchDatabase } from "../bench-database.ts";
import { fillWithoutTriggers } from "../fill-orders.ts";
import { fillSellers, type Seller } from "../sellers.ts";
import { entriesTable, type Head } from "./entries-table.ts";
import { type Chunk, fillEvents, fillRollUps } from "./fill-chunk.ts";
import { loadTable } from "./load-table.ts";
import { HOUR_MS, type Plan, SUPPLIERS } from "./scale-orders.ts";
import { independentTables } from "./scale-tables.ts";

export const DAYS = 100;
const EVENT_DAYS = 7;
const RESELLERS = 20;
const CHUNK_HOURS = 24;
/** Tables that are loaded or indexed at the same time. More than processors, because they also wait for the disk. */
const LANES = 4;

/** For a server that only loads: what is written to a new file is not written to the log too. */
export const FILL_SETTINGS: Readonly<Record<string, string>> = {
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "4GB",
  autovacuum: "off",
};

export type Filled = { sellers: readonly Seller[]; endpointIds: readonly string[] };

/**
 * A database with so many completed orders in the past hundred days, as the service would have left it: `scrip audit` finds
 * nothing. Each has one line, a unit, a purchase, a code and a debit in its wallet's chain. Those of the last week have an event.
 */
export async function fillScale(
  { db, dataDir, connectionString }: BenchDatabase,
  count: number,
): Promise<Filled> {
  const perHour = Math.max(1, Math.ceil(count / (DAYS * 24)));
  // The last hour is the one before now, however many orders there are.
  const hours = Math.ceil(count / perHour);
  const first = Math.floor(Date.now() / HOUR_MS - hours) * HOUR_MS;
  const sellers = await fillSellers(db, dataDir, { now: () => new Date(first - HOUR_MS) });
  const resellerIds = sellers.slice(0, RESELLERS).map(({ id }) => id);
  const endpointIds: string[] = [];
  for (const resellerId of resellerIds)
    endpointIds.push(await addEndpoint(db, { resellerId, environment: "live" }));
  await db.rows(sql`
    insert into suppliers (id, kind, name) select 'sup_' || n, 'stock', 'Supplier ' || n
    from generate_series(0, ${SUPPLIERS - 1}) n`);
  const plan = { count, first, perHour, resellerIds, endpointIds };
  await inLanes(LANES, [
    () => loadEntries({ db, connectionString }, plan),
    ...independentTables(plan).map((table) => () => loadTable(connectionString, table, count)),
    () => fillReports(db, plan),
    () => fillFeed(db, plan, hours),
  ]);
  // Everything up to the last entry is counted.
  await db.rows(sql`
    insert into report_wallets (reseller_id, environment, sequence)
    select reseller_id, environment, sequence from wallets
    on conflict (reseller_id, environment) do update set sequence = excluded.sequence`);
  await db.rows(sql`vacuum (freeze, analyze)`);
  await db.rows(sql`checkpoint`);
  return { sellers, endpointIds };
}

async function inLanes(lanes: number, steps: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...steps];
  const run = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) await step();
  };
  await Promise.all(Array.from({ length: lanes }, run));
}

/** The debits of all wallets, and then the wallets' heads. */
async function loadEntries(
  { db, connectionString }: Pick<BenchDatabase, "db" | "connectionString">,
  plan: Plan,
): Promise<void> {
  const heads: Head[] = [];
  for (const resellerId of plan.resellerIds) {
    const [wallet] = await db.rows<{ sequence: bigint; balance: bigint; hash: Buffer }>(sql`
      select sequence, balance_minor as balance, head_hash as hash from wallets
      where reseller_id = ${resellerId} and environment = 'live'`);
    if (!wallet) throw new Error("no wallet");
    heads.push({
      sequence: Number(wallet.sequence),
      balanceMinor: Number(wallet.balance),
      hash: wallet.hash,
      at: plan.first,
    });
  }
  await loadTable(connectionString, entriesTable(plan, heads), plan.count);
  for (const [index, { sequence, balanceMinor, hash, at }] of heads.entries())
    await db.rows(sql`
      update wallets set sequence = ${sequence}, balance_minor = ${balanceMinor}, head_hash = ${hash}, last_entry_at = ${new Date(at)}
      where reseller_id = ${plan.resellerIds[index]} and environment = 'live'`);
}

/** The roll-ups, a day at a time. */
async function fillReports(db: Db, plan: Plan): Promise<void> {
  await inChunks(plan, 0, (chunk) => fill(db, fillRollUps(chunk)));
  await finishRollUps(db);
}

/** Events of the last days, with their deliveries. */
async function fillFeed(db: Db, plan: Plan, hours: number): Promise<void> {
  await createTimeText(db);
  await inChunks(plan, Math.max(0, hours - EVENT_DAYS * 24), (chunk) => fill(db, fillEvents(chunk)));
  await db.rows(sql`drop function bench_time_text(bigint)`);
}

async function inChunks(plan: Plan, firstHour: number, run: (chunk: Chunk) => Promise<void>): Promise<void> {
  const step = CHUNK_HOURS * plan.perHour;
  for (let from = firstHour * plan.perHour; from < plan.count; from += step)
    await run({ ...plan, from, to: Math.min(plan.count, from + step) });
}

const fill = (db: Db, statement: Sql): Promise<void> =>
  db.transaction(async (tx) => {
    await fillWithoutTriggers(tx);
    await tx.rows(sql`set local work_mem to '64MB'`);
    await tx.rows(statement);
  });

/** The first ten characters of an id. */
async function createTimeText(db: Db): Promise<void> {
  const letters = Array.from(
    { length: 10 },
    (_, index) => `substr(l, ((ms >> ${45 - index * 5}) & 31)::integer + 1, 1)`,
  );
  await db.rows(
    raw(`create function bench_time_text(ms bigint) returns text language sql immutable as $$
      select ${letters.join(" || ").replaceAll("(l,", "('0123456789abcdefghjkmnpqrstvwxyz',")} $$`),
  );
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
    insert into report_days (reseller_id, environment, day, currency, orders, sold_minor, completed)
    select reseller_id, environment, date_trunc('day', hour, 'UTC'), currency, sum(orders), sum(sold_minor), sum(completed)
    from report_orders group by 1, 2, 3, 4`);
  await db.rows(sql`
    insert into report_day_times (reseller_id, environment, day, bucket, count)
    select member, environment, date_trunc('day', at, 'UTC'), bucket, sum(count)
    from report_times where dimension = 'reseller' group by 1, 2, 3, 4`);
}
