import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { continueAudit } from "../../server/src/audit/audit.ts";
import { WHOLE } from "../../server/src/audit/extent.ts";
import { adoptProof, insertProof } from "../../server/src/audit/proof-queries.ts";
import type { Db } from "../../server/src/db/database.ts";
import { migrate } from "../../server/src/db/migrate.ts";
import { createKey } from "../../server/src/keys/create-key.ts";
import { loadServerSecrets } from "../../server/src/keys/server-secrets.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { countFacts } from "../../server/src/reports/count-facts.ts";
import { openKeyring } from "../../server/src/vault/keyring.ts";
import { type BenchDatabase, onBenchDatabase } from "../bench-database.ts";
import { postgresMs, processMs } from "../cpu-time.ts";
import { signInOwner } from "../pages/visit-pages.ts";
import { placeOrders } from "../place-orders.ts";
import { type Running, startProcess } from "../processes.ts";
import { median, type Row, report } from "../report.ts";
import { completeTestOrder } from "./complete-test-order.ts";
import { DAYS, FILL_SETTINGS, type Filled, fillScale } from "./fill-scale.ts";
import { API_PATHS, PAGE_PATHS } from "./scale-paths.ts";
import { compareReplies, RATIO_MAX, type Source } from "./time-replies.ts";

/** `BENCH_ORDERS=2000000 npm run bench -- scale` is a quick run. */
const ORDERS = Number(process.env.BENCH_ORDERS ?? 20_000_000);
/** As good as none, but every list has a page. */
const FEW_ORDERS = 20_000;
/** A folder in which the filled databases stay, for further runs. */
const KEPT = process.env.BENCH_KEPT;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ROUND_SECONDS = 4;
const DAY_MS = 86_400_000;
/** For a day's worth of orders. */
const AUDIT_MAX_S = 60;

/** Everything that a reseller reads and writes, with few orders in the database and with many. */
export async function benchScale(): Promise<void> {
  const root = KEPT ?? mkdtempSync(join(tmpdir(), "scrip-bench-"));
  try {
    const folders = { few: join(root, String(FEW_ORDERS)), many: join(root, String(ORDERS)) };
    const filled = {
      few: await fillOnce(folders.few, FEW_ORDERS),
      many: await fillOnce(folders.many, ORDERS),
    };
    const compare = async (few: BenchDatabase, many: BenchDatabase): Promise<void> => {
      const sides = { few: await prepare(few, filled.few), many: await prepare(many, filled.many) };
      const rows = await measure(sides);
      const audit = await timeAudit(many.db);
      report("scale", [...NOTES, ...filled.many.notes], [...rows, ...audit]);
    };
    await onBenchDatabase(
      (few) => onBenchDatabase((many) => compare(few, many), {}, folders.many),
      {},
      folders.few,
    );
  } finally {
    if (!KEPT) rmSync(root, { recursive: true, force: true });
  }
}

const NOTES = [
  `${ORDERS.toLocaleString("en")} orders of one line in ${DAYS} days, half of them of one reseller, beside a database with ${FEW_ORDERS.toLocaleString("en")}; events and deliveries of the last 7 days`,
  "processor time of the server and of PostgreSQL for a reply, one request at a time, in turn from both, because others use the machine too; beside it the time until the last byte, lower quartiles",
  `placing: 64 callers, ${ROUNDS} alternating rounds of ${ROUND_SECONDS} s each; processor time of all rounds, and the medians of the rates`,
];

type FilledNote = Filled & { notes: readonly string[] };

/** A folder that is kept has a note of what it was filled with. The server that fills it has settings of its own. */
async function fillOnce(folder: string, orders: number): Promise<FilledNote> {
  const note = join(folder, "filled.json");
  if (existsSync(note)) return JSON.parse(readFileSync(note, "utf8")) as FilledNote;
  const startedAt = performance.now();
  const run = async (database: BenchDatabase): Promise<void> => {
    const filled = await fillScale(database, orders);
    const [size] = await database.db.rows<{ bytes: bigint }>(sql`
      select pg_database_size(current_database()) as bytes`);
    const seconds = (performance.now() - startedAt) / 1_000;
    const made = `${orders.toLocaleString("en")} orders were made in ${(seconds / 60).toFixed(1)} minutes, indexes and \`vacuum\` included; ${(Number(size?.bytes) / 1e9).toFixed(1)} GB`;
    console.log(made);
    const told: FilledNote = { ...filled, notes: [made] };
    writeFileSync(note, JSON.stringify(told), { mode: 0o600 });
  };
  await onBenchDatabase(run, FILL_SETTINGS, folder);
  return JSON.parse(readFileSync(note, "utf8")) as FilledNote;
}

type Side = {
  database: BenchDatabase;
  key: string;
  testKey: string;
  cookie: string;
  of: (path: string) => string;
};

async function prepare(database: BenchDatabase, { sellers, endpointIds }: Filled): Promise<Side> {
  const { db, dataDir } = database;
  // A folder that was kept can be older than the code.
  await migrate(db);
  const [seller] = sellers;
  if (!seller) throw new Error("no seller");
  const secrets = await loadServerSecrets(db, (await openKeyring([], dataDir)).masterKeys());
  const input = { resellerId: seller.id, environment: "test", name: "", scopes: undefined } as const;
  const { key: testKey } = await createKey(
    { db, clock: systemClock, pepper: secrets.pepper },
    { ...input, allowedIps: [], expiresAt: undefined },
  );
  const testOrderId = await completeTestOrder(dataDir, testKey);
  // Its worker saw that there is nothing in stock.
  await db.rows(sql`
    insert into product_supply (product_id, state) select id, 'available' from products
    on conflict (product_id) do update set state = excluded.state`);
  while (await countFacts({ db, clock: systemClock }));
  const [order] = await db.rows<{ id: string; key: string; reference: string }>(sql`
    select id, idempotency_key as key, reference from orders
    where reseller_id = ${seller.id} and environment = 'live' and reference is not null order by id desc offset 1000 limit 1`);
  const from = new Date(Date.now() - 3 * DAY_MS).toISOString();
  const values: Readonly<Record<string, string>> = {
    ":order": order?.id ?? "",
    ":key": order?.key ?? "",
    ":reference": order?.reference ?? "",
    ":test": testOrderId,
    ":endpoint": endpointIds[0] ?? "",
    ":from": from,
    ":to": new Date(Date.parse(from) + DAY_MS).toISOString(),
  };
  return {
    database,
    key: seller.key,
    testKey,
    cookie: await signInOwner(db, dataDir, seller.id),
    of: (path) => path.replaceAll(/:[a-z]+/g, (name) => values[name] ?? name),
  };
}

async function measure(sides: Record<"few" | "many", Side>): Promise<Row[]> {
  const servers = { few: await start(sides.few), many: await start(sides.many) };
  try {
    const at = (side: "few" | "many", headers: (side: Side) => Record<string, string>): Source => ({
      url: servers[side].url,
      headers: headers(sides[side]),
      of: sides[side].of,
      cpuMs: async () =>
        processMs(servers[side].child.pid ?? 0) + (await postgresMs(sides[side].database.db)),
    });
    const both = (headers: (side: Side) => Record<string, string>) => ({
      few: at("few", headers),
      many: at("many", headers),
    });
    const api = await compareReplies(
      API_PATHS,
      both(({ key }) => ({ "x-api-key": key })),
    );
    const codes = await compareReplies(
      ["/v1/orders/:test/codes"],
      both(({ testKey }) => ({ "x-api-key": testKey })),
    );
    const pages = await compareReplies(
      PAGE_PATHS,
      both(({ cookie }) => ({ cookie, "accept-encoding": "br" })),
    );
    // Last, because no worker counts these orders.
    return [await comparePlacing(servers, sides), ...api, ...codes, ...pages];
  } finally {
    await servers.few.stop();
    await servers.many.stop();
  }
}

const start = ({ database }: Side): Promise<Running> =>
  startProcess(
    new URL("../../server/src/bin/scrip.ts", import.meta.url).pathname,
    ["start", "--role", "api"],
    {
      DATA_DIR: database.dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      CONSOLE_PORT: "0",
      LOG_LEVEL: "warn",
      RATE_LIMIT_ORDERS: "0",
      RATE_LIMIT_READS: "0",
    },
  );

async function comparePlacing(
  servers: Record<"few" | "many", Running>,
  sides: Record<"few" | "many", Side>,
): Promise<Row> {
  const rates: Record<"few" | "many", number[]> = { few: [], many: [] };
  const cost = { few: 0, many: 0 };
  const placed = { few: 0, many: 0 };
  const place = (side: "few" | "many", seconds: number) =>
    placeOrders({ url: servers[side].url, keys: [sides[side].key], callers: 64, seconds });
  const cpuMs = async (side: "few" | "many") =>
    processMs(servers[side].child.pid ?? 0) + (await postgresMs(sides[side].database.db));
  for (const side of ["few", "many"] as const) await place(side, 2);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of round % 2 === 0 ? (["few", "many"] as const) : (["many", "few"] as const)) {
      const before = await cpuMs(side);
      const figures = await place(side, ROUND_SECONDS);
      cost[side] += (await cpuMs(side)) - before;
      placed[side] += figures.orders;
      rates[side].push(figures.ordersPerSecond);
    }
  const [few, many] = [cost.few / placed.few, cost.many / placed.many];
  const row = {
    what: "placing, one wallet, 64 callers",
    measured: `${few.toFixed(3)} and ${many.toFixed(3)} ms, ${(many / few).toFixed(2)}×; ${Math.round(median(rates.few))} and ${Math.round(median(rates.many))} orders/s`,
    goal: `≤ ${RATIO_MAX}×`,
    met: many / few <= RATIO_MAX,
  };
  console.log(`${row.what}: ${row.measured}`);
  return row;
}

/** What happened since the beginning of yesterday, after a proof of everything before it. */
async function timeAudit(db: Db): Promise<Row[]> {
  const settledBefore = new Date(Math.floor(Date.now() / DAY_MS - 1) * DAY_MS);
  const id = await db.transaction((tx) => insertProof(tx, WHOLE, undefined, settledBefore));
  await db.transaction((tx) => adoptProof(tx, id, 0n));
  const [startedAt, cpuBefore] = [performance.now(), await postgresMs(db)];
  const { invariants } = await continueAudit(db, {});
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = ((await postgresMs(db)) - cpuBefore) / 1_000;
  const broken = invariants.filter(({ ok }) => !ok).map(({ number }) => number);
  if (broken.length > 0) console.log(JSON.stringify(invariants.filter(({ ok }) => !ok)));
  const orders = invariants.find(({ number }) => number === 3)?.checked ?? 0;
  // A proof ends with a day, so what follows it is up to two days' worth, by the time of the day.
  const daySeconds = (seconds / orders) * (ORDERS / DAYS);
  return [
    {
      what: `\`scrip audit\` since the beginning of yesterday, ${orders.toLocaleString("en")} orders; ${broken.length} invariants broken`,
      measured: `${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} s of processor time; ${daySeconds.toFixed(0)} s for a day's worth, ${(ORDERS / DAYS).toLocaleString("en")} orders`,
      goal: `< ${AUDIT_MAX_S} s a day's worth`,
      met: daySeconds < AUDIT_MAX_S && broken.length === 0,
    },
  ];
}
