import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import sql, { raw } from "sql-template-tag";
import { connectDatabase, type Db } from "../server/src/db/database.ts";
import {
  findOtherPostgres,
  type InstalledPostgres,
  startOtherPostgres,
} from "../server/testing/database/other-postgres.ts";
import { onBenchDatabase } from "./bench-database.ts";
import type { CallerFigures } from "./order-callers.ts";
import { pgbenchRate } from "./pgbench.ts";
import { callersProgram, placeOrders } from "./place-orders.ts";
import { startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";
import { fillSellers, WALLETS } from "./sellers.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ROUND_SECONDS = 6;
const P99_MAX_MS = 100;
/** How far the ratio on another server can be below that on the embedded one. */
const SHARE_MIN = 0.85;

/** What is placed, and the goal against pgbench. */
type Case = { name: string; isOneWallet: boolean; callers: number; goal: number };
const CASES = [
  { name: "one wallet, 64 callers", isOneWallet: true, callers: 64, goal: 2.2 },
  { name: "one wallet, 256 callers", isOneWallet: true, callers: 256, goal: 3 },
  { name: `${WALLETS} wallets, 256 callers`, isOneWallet: false, callers: 256, goal: 3 },
] as const satisfies Case[];
type CaseName = (typeof CASES)[number]["name"];

/** One server, with a Scrip on it, and what was measured there in each round. */
type Stand = {
  name: string;
  db: Db;
  connectionString: string;
  url: string;
  /** The first one is of the hot wallet. */
  keys: string[];
  rounds: Round[];
};
type Round = { pgbench: number; orders: Record<CaseName, CallerFigures> };

/** Placement against pgbench on every PostgreSQL of this machine, as it comes, beside the embedded one. */
export const benchPostgres = (): Promise<void> =>
  onBenchDatabase(async ({ db, dataDir, connectionString }) => {
    const others = await findOtherPostgres();
    if (others.length === 0) {
      console.log("postgres: only the embedded PostgreSQL is on this machine; there is nothing to compare");
      return;
    }
    const [version] = await db.rows<{ server_version: string }>(sql`show server_version`);
    await onStand(
      { name: `embedded ${version?.server_version}`, db, dataDir, connectionString },
      (embedded) =>
        onOtherStands(others, async (stands) => {
          const all = [embedded, ...stands];
          const disturbance = `load of the machine in the minute before it began: ${loadavg()[0]?.toFixed(1)}`;
          await measure(all);
          report("postgres", [...NOTES, disturbance], toRows(all));
        }),
    );
  });

const NOTES = [
  "other PostgreSQL servers of this machine with the settings that PostgreSQL has by itself, beside the embedded one; fsync on",
  `orders: \`POST /v1/orders\` with two lines by ${callersProgram}, the rate limit off. pgbench: \`-c 64 -j 2 -M prepared\`, scale 10`,
  `${ROUNDS} rounds of ${ROUND_SECONDS} s each, all servers in turn, pgbench and orders one after the other; medians, the ratio of each round by itself`,
];

async function onOtherStands(
  others: readonly InstalledPostgres[],
  run: (stands: Stand[]) => Promise<void>,
  stands: Stand[] = [],
): Promise<void> {
  const [next, ...rest] = others;
  if (!next) return run(stands);
  const server = await startOtherPostgres(next);
  const dataDir = mkdtempSync(join(tmpdir(), "scrip-bench-"));
  const connectionString = server.connectionString.replace(/postgres$/, "scrip");
  const admin = connect(server.connectionString);
  const db = connect(connectionString);
  try {
    await admin.rows(raw("create database scrip"));
    const place = { name: `PostgreSQL ${next.version}`, db, dataDir, connectionString };
    await onStand(place, (stand) => onOtherStands(rest, run, [...stands, stand]));
  } finally {
    await Promise.all([admin.close(), db.close()]);
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const connect = (connectionString: string): Db =>
  connectDatabase({
    connectionString,
    applicationName: "scrip bench",
    poolSize: 2,
    statementTimeoutMs: 0,
    onConnectionLost: () => {},
  });

async function onStand(
  {
    name,
    db,
    dataDir,
    connectionString,
  }: Pick<Stand, "name" | "db" | "connectionString"> & { dataDir: string },
  run: (stand: Stand) => Promise<void>,
): Promise<void> {
  const keys = (await fillSellers(db, dataDir)).map(({ key }) => key);
  const scrip = await startProcess(
    new URL("../server/src/bin/scrip.ts", import.meta.url).pathname,
    ["start", "--role", "api"],
    {
      DATABASE_URL: connectionString,
      DATA_DIR: dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      CONSOLE_PORT: "0",
      LOG_LEVEL: "warn",
      RATE_LIMIT_ORDERS: "0",
    },
  );
  try {
    await run({ name, db, connectionString, url: scrip.url, keys, rounds: [] });
  } finally {
    await scrip.stop();
  }
}

/** Every round asks each server once, the first one by turns, so that noise affects all of them alike. */
async function measure(stands: readonly Stand[]): Promise<void> {
  for (const { url, keys } of stands) await placeOrders({ url, keys, callers: 256, seconds: 2 });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const index of stands.keys()) {
      const stand = stands[(index + round) % stands.length] as Stand;
      const measured = await measureRound(stand);
      stand.rounds.push(measured);
      const rates = CASES.map(({ name }) => `${name} ${Math.round(measured.orders[name].ordersPerSecond)}/s`);
      console.log(
        `round ${round + 1}, ${stand.name}: pgbench ${Math.round(measured.pgbench)}/s, ${rates.join(", ")}`,
      );
    }
  }
}

async function measureRound({
  db,
  connectionString,
  url,
  keys: [hot = "", ...others],
}: Stand): Promise<Round> {
  await db.rows(sql`checkpoint`);
  const pgbench = await pgbenchRate(connectionString, ROUND_SECONDS);
  if (pgbench === undefined) throw new Error("pgbench is not on this machine");
  const place = ({ isOneWallet, callers }: Case) =>
    placeOrders({ url, keys: isOneWallet ? [hot] : others, callers, seconds: ROUND_SECONDS });
  const orders: [CaseName, CallerFigures][] = [];
  for (const one of CASES) orders.push([one.name, await place(one)]);
  return { pgbench, orders: Object.fromEntries(orders) as Round["orders"] };
}

const rateOf = ({ rounds }: Stand, name: CaseName): number =>
  median(rounds.map(({ orders }) => orders[name].ordersPerSecond));

/** The ratio of each round by itself: its pgbench had the same neighbours. */
const ratioOf = ({ rounds }: Stand, name: CaseName): number =>
  median(rounds.map(({ pgbench, orders }) => orders[name].ordersPerSecond / pgbench));

function toRows([embedded, ...others]: readonly Stand[]): Row[] {
  if (!embedded) return [];
  return [
    ...[embedded, ...others].flatMap(rowsOf),
    ...others.flatMap((stand) =>
      CASES.map(({ name }): Row => {
        const share = ratioOf(stand, name) / ratioOf(embedded, name);
        return {
          what: `${name}: the ratio on ${stand.name} against that on the embedded server`,
          measured: share.toFixed(2),
          goal: `≥ ${SHARE_MIN}`,
          met: share >= SHARE_MIN,
        };
      }),
    ),
  ];
}

function rowsOf(stand: Stand): Row[] {
  const p99Ms = median(stand.rounds.map(({ orders }) => orders["one wallet, 64 callers"].p99Ms));
  return [
    {
      what: `${stand.name}: pgbench`,
      measured: `${Math.round(median(stand.rounds.map(({ pgbench }) => pgbench)))} transactions/s`,
      goal: "",
      met: undefined,
    },
    ...CASES.map(({ name, goal }): Row => {
      const ratio = ratioOf(stand, name);
      return {
        what: `${stand.name}: ${name}, against pgbench`,
        measured: `${ratio.toFixed(2)}× (${Math.round(rateOf(stand, name))} orders/s)`,
        goal: `≥ ${goal}×`,
        met: ratio >= goal,
      };
    }),
    {
      what: `${stand.name}: p99 of one wallet, 64 callers`,
      measured: `${p99Ms.toFixed(1)} ms`,
      goal: `< ${P99_MAX_MS} ms`,
      met: p99Ms < P99_MAX_MS,
    },
  ];
}
