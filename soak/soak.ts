import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { type Actor, placeOrders, type Weather } from "../chaos/actors/placers.ts";
import { readBack } from "../chaos/actors/readers.ts";
import { createRecorder } from "../chaos/recorder.ts";
import { settle } from "../chaos/settle.ts";
import { fillWorld } from "../chaos/shopfront.ts";
import { verify } from "../chaos/verify/verify.ts";
import { openWorld, type World } from "../chaos/world.ts";
import type { Db } from "../server/src/db/database.ts";

/** Measured values, by name. */
export type Sample = Map<string, number>;
export type SoakOptions = {
  durationMs: number;
  seed: number;
  /** Callers that place orders at the same time, each about four a second. */
  callers: number;
  /** How much longer than usual they wait between two orders. */
  slowness: number;
  say: (line: string) => void;
};
export type SoakResult = { samples: Sample[]; orders: number; faults: string[] };

const ACTORS: readonly Actor[] = [placeOrders, readBack];
/** A busy machine can be too slow for a few of them. */
const SAMPLES = 40;
/** More than a caller can buy. */
const CODES_PER_SECOND_AND_CALLER = 6;

/** Tables that work passes through: finished work leaves nothing in them. */
const PASSING = [
  "order_work",
  "webhook_lanes",
  "wallets",
  "suppliers",
  "webhook_endpoints",
  "product_supply",
  "report_changes",
];
/** History tables: they grow with the orders, and no faster. */
const KEEPING = [
  "orders",
  "order_lines",
  "order_units",
  "ledger_entries",
  "codes",
  "events",
  "deliveries",
  "delivery_attempts",
  "supplier_attempts",
  "code_reveals",
];

/** Steady load without faults, measured regularly. Then everything finishes and the books are checked. */
export async function runSoak({
  durationMs,
  seed,
  callers,
  slowness,
  say,
}: SoakOptions): Promise<SoakResult> {
  const recorder = createRecorder();
  const world = await openWorld({ seed, hasFsync: true, hasSmallDisk: false, isWhole: true }, recorder);
  try {
    for (const upstream of world.upstreams) upstream.heal();
    world.receivers.heal();
    const perSecond = (callers * CODES_PER_SECOND_AND_CALLER) / slowness;
    const stock = Math.ceil((durationMs / 1_000) * perSecond) + 500;
    const accounts = await fillWorld(world, recorder, stock);
    const weather: Weather = { isStormy: true, seed, placers: callers, slowness };
    const actors = ACTORS.map((act) => act(world, accounts, recorder, weather));
    const samples: Sample[] = [];
    for (let count = 0; count < SAMPLES; count += 1) {
      await wait(durationMs / SAMPLES);
      const sample = await takeSample(world).catch((error: Error) => say(`no sample: ${error.message}`));
      if (!sample) continue;
      samples.push(sample);
      say(
        `${sample.get("orders")} orders, heap of the first API ${Math.round((sample.get("API 1 heap MB") ?? 0) * 10) / 10} MB`,
      );
    }
    weather.isStormy = false;
    await Promise.all(actors);
    const unended = await settle(world, say);
    const findings = await verify(world, accounts, recorder, stock);
    return {
      samples,
      orders: samples.at(-1)?.get("orders") ?? 0,
      faults: [...unended, ...Object.values(findings).flat()],
    };
  } finally {
    await world.close();
  }
}

async function takeSample({ db, apis, workers }: World): Promise<Sample> {
  const sample: Sample = new Map();
  const named = [
    ...apis.map((node, index) => [`API ${index + 1}`, node] as const),
    ...workers.map((node, index) => [`worker ${index + 1}`, node] as const),
  ];
  for (const [name, node] of named) {
    const { heapBytes, rssBytes, handles } = await node.sample();
    sample.set(`${name} heap MB`, heapBytes / 2 ** 20).set(`${name} RSS MB`, rssBytes / 2 ** 20);
    sample.set(`${name} handles`, handles);
  }
  const [counted] = await db.rows<{ orders: number; connections: number }>(sql`
    select (select count(*) from orders)::integer as orders,
           (select count(*) from pg_stat_activity where application_name like 'scrip node%')::integer as connections`);
  const orders = Math.max(1, counted?.orders ?? 1);
  sample.set("orders", orders).set("connections", counted?.connections ?? 0);
  for (const { name, tableBytes, indexBytes, deadShare } of await measureTables(db)) {
    if (PASSING.includes(name)) sample.set(`${name} KB`, (tableBytes + indexBytes) / 1024);
    else {
      sample.set(`${name} bytes per order`, tableBytes / orders);
      sample.set(`${name} index bytes per order`, indexBytes / orders);
      sample.set(`${name} dead rows %`, 100 * deadShare);
    }
  }
  return sample;
}

type Measured = { name: string; tableBytes: number; indexBytes: number; deadShare: number };

/** A partitioned table is the sum of its partitions. */
const measureTables = (db: Db): Promise<Measured[]> =>
  db.rows(sql`
    select named.relname as name,
           sum(pg_table_size(part.oid))::double precision as "tableBytes",
           sum(pg_indexes_size(part.oid))::double precision as "indexBytes",
           coalesce(sum(stats.n_dead_tup) / nullif(sum(stats.n_live_tup + stats.n_dead_tup), 0), 0)::double precision
             as "deadShare"
    from pg_class as named
    join pg_class as part on part.oid = named.oid
      or part.oid in (select inhrelid from pg_inherits where inhparent = named.oid)
    left join pg_stat_all_tables as stats on stats.relid = part.oid
    where named.relkind in ('r', 'p') and named.relname = any(${[...PASSING, ...KEEPING]})
      and named.relnamespace = 'public'::regnamespace
    group by named.relname order by named.relname`);
