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
import { pgbenchRate } from "./pgbench.ts";
import { placeOrders } from "./place-orders.ts";
import { startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";
import { fillSellers } from "./sellers.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ROUND_SECONDS = 6;
const CALLERS = 256;
/** How far the ratio on another server can be below that on the embedded one. */
const SHARE_MIN = 0.85;

/** One server, with a Scrip on it, and what was measured there. */
type Stand = {
  name: string;
  db: Db;
  connectionString: string;
  url: string;
  key: string;
  pgbench: number[];
  orders: number[];
};

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
  `orders: \`POST /v1/orders\` with two lines, one wallet, ${CALLERS} callers. pgbench: \`-c 64 -j 2 -M prepared\`, scale 10`,
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
  const [seller] = await fillSellers(db, dataDir);
  if (!seller) throw new Error("no seller");
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
    await run({ name, db, connectionString, url: scrip.url, key: seller.key, pgbench: [], orders: [] });
  } finally {
    await scrip.stop();
  }
}

/** Every round asks each server once, the first one by turns, so that noise affects all of them alike. */
async function measure(stands: readonly Stand[]): Promise<void> {
  for (const { url, key } of stands) await placeOrders({ url, keys: [key], callers: CALLERS, seconds: 2 });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const index of stands.keys()) {
      const stand = stands[(index + round) % stands.length] as Stand;
      await stand.db.rows(sql`checkpoint`);
      const rate = await pgbenchRate(stand.connectionString, ROUND_SECONDS);
      if (rate === undefined) throw new Error("pgbench is not on this machine");
      const { url, key } = stand;
      const figures = await placeOrders({ url, keys: [key], callers: CALLERS, seconds: ROUND_SECONDS });
      stand.pgbench.push(rate);
      stand.orders.push(figures.ordersPerSecond);
      console.log(
        `round ${round + 1}, ${stand.name}: pgbench ${Math.round(rate)}/s, orders ${Math.round(figures.ordersPerSecond)}/s`,
      );
    }
  }
}

const ratioOf = ({ pgbench, orders }: Stand): number =>
  median(orders.map((rate, round) => rate / (pgbench[round] ?? Number.NaN)));

function toRows([embedded, ...others]: readonly Stand[]): Row[] {
  if (!embedded) return [];
  const plain = (stand: Stand): Row => ({
    what: stand.name,
    measured: `pgbench ${Math.round(median(stand.pgbench))}/s, ${Math.round(median(stand.orders))} orders/s, ratio ${ratioOf(stand).toFixed(2)}×`,
    goal: "",
    met: undefined,
  });
  return [
    ...[embedded, ...others].map(plain),
    ...others.map((stand): Row => {
      const share = ratioOf(stand) / ratioOf(embedded);
      return {
        what: `ratio on ${stand.name} against the ratio on the embedded server`,
        measured: share.toFixed(2),
        goal: `≥ ${SHARE_MIN}`,
        met: share >= SHARE_MIN,
      };
    }),
  ];
}
