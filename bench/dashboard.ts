import type { Db } from "../server/src/db/database.ts";
import { onBenchDatabase } from "./bench-database.ts";
import { markCounted } from "./count-history.ts";
import { postgresMs, processMs } from "./cpu-time.ts";
import { fillHistory } from "./fill-history.ts";
import { fillOrders } from "./fill-orders.ts";
import { signInOwner, timePage, visitSteadily } from "./pages/visit-pages.ts";
import { placeOrders } from "./place-orders.ts";
import { type Running, startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";
import { fillSellers, type Seller } from "./sellers.ts";

const ORDERS_MANY = Number(process.env.BENCH_ORDERS ?? 2_000_000);
const ORDERS_FEW = 2_000;
/** Events, deliveries, requests and the log of activity of the reseller with many orders. */
const HISTORY_MANY = Math.min(ORDERS_MANY, 200_000);
const VISITS = 41;
const STEADY = { perSecond: 20, seconds: 30 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 8);
const ROUND_SECONDS = 4;
const RATIO_MAX = 1.5;
const P95_MAX_MS = 50;
const LOG_RATE_MIN = 0.97;
const LOG_COST_MAX = 1.03;

/** Every list of the dashboard, as it is opened and with filters that people use. `:endpoint` is the reseller's. */
const LISTS: readonly string[] = [
  "/dashboard/orders",
  "/dashboard/orders?status=failed",
  "/dashboard/orders?q=invoice-77",
  "/dashboard/wallet",
  "/dashboard/wallet?type=refund",
  "/dashboard/requests",
  "/dashboard/requests?status=4xx",
  "/dashboard/events",
  "/dashboard/webhooks",
  "/dashboard/webhooks/:endpoint",
  "/dashboard/webhooks/:endpoint?status=failed",
  "/dashboard/activity",
  "/dashboard/activity?action=person.invited",
  "/dashboard/catalog",
  "/dashboard/keys",
  "/dashboard/team",
];

type Reader = { cookie: string; endpointId: string };

/** The dashboard's lists of a reseller with few orders and of one with many, and what the request log costs placements. */
export const benchDashboard = (): Promise<void> =>
  onBenchDatabase(async ({ db, dataDir, connectionString }) => {
    const [few, many, placing] = await fillSellers(db, dataDir);
    if (!few || !many || !placing) throw new Error("no sellers");
    const logCost = await measureLog(db, dataDir, connectionString, placing);
    const readers = {
      few: await prepare(db, dataDir, few, ORDERS_FEW, 2019),
      many: await prepare(db, dataDir, many, ORDERS_MANY, 2020),
    };
    const scrip = await startProcess(
      new URL("../server/src/bin/scrip.ts", import.meta.url).pathname,
      ["start", "--role", "api"],
      { DATA_DIR: dataDir, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "warn" },
    );
    try {
      report("dashboard", NOTES, [...(await measurePages(scrip, readers)), ...logCost]);
    } finally {
      await scrip.stop();
    }
  });

const NOTES = [
  `time until the last byte of a page, over HTTP with brotli, one request at a time; ${VISITS} visits of each, alternating between a reseller with ${ORDERS_FEW.toLocaleString("en")} orders and one with ${ORDERS_MANY.toLocaleString("en")}; lower quartiles, because others use the machine too`,
  `events, deliveries, requests and activity: ${ORDERS_FEW.toLocaleString("en")} and ${HISTORY_MANY.toLocaleString("en")} of each`,
  `steady: ${STEADY.perSecond} requests/s for ${STEADY.seconds} s over all lists of the reseller with many, whether the one before has come or not`,
  `request log: two API processes on one database, one without the log; 64 callers, ${ROUNDS} alternating rounds of ${ROUND_SECONDS} s each; medians`,
];

async function prepare(
  db: Db,
  dataDir: string,
  { id }: Seller,
  orders: number,
  year: number,
): Promise<Reader> {
  const endpointId = await fillHistory(db, id, Math.min(orders, HISTORY_MANY), year);
  await fillOrders(db, id, orders, year);
  await markCounted(db);
  return { cookie: await signInOwner(db, dataDir, id), endpointId };
}

const urlOf = (scrip: Running, path: string, { endpointId }: Reader): string =>
  `${scrip.url}${path.replace(":endpoint", endpointId)}`;

const lowerQuartile = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;

async function measurePages(scrip: Running, { few, many }: { few: Reader; many: Reader }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of LISTS) {
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    for (let visit = 0; visit < VISITS; visit += 1) {
      times.few.push(await timePage(urlOf(scrip, path, few), few.cookie));
      times.many.push(await timePage(urlOf(scrip, path, many), many.cookie));
    }
    const [fewMs, manyMs] = [lowerQuartile(times.few), lowerQuartile(times.many)];
    console.log(`${path}: ${fewMs.toFixed(1)} and ${manyMs.toFixed(1)} ms`);
    const ratio = manyMs / fewMs;
    rows.push({
      what: `\`${path}\``,
      measured: `${fewMs.toFixed(1)} and ${manyMs.toFixed(1)} ms, ${ratio.toFixed(2)}×`,
      goal: `≤ ${RATIO_MAX}×`,
      met: ratio <= RATIO_MAX,
    });
  }
  const urls = LISTS.map((path) => urlOf(scrip, path, many));
  const steady = (await visitSteadily(urls, many.cookie, STEADY)).toSorted((a, b) => a - b);
  const at = (share: number): number => steady[Math.floor(steady.length * share)] ?? Number.NaN;
  const measured = `p50 ${at(0.5).toFixed(1)}, p95 ${at(0.95).toFixed(1)}, p99 ${at(0.99).toFixed(1)} ms`;
  const p95: Row = { what: "steady", measured, goal: `p95 < ${P95_MAX_MS} ms`, met: at(0.95) < P95_MAX_MS };
  return [...rows, p95];
}

type Placed = { perSecond: number; cpuMs: number };

/** Rates are noisy on a machine that others use too. What a placement costs in processor time is less so. */
async function measureLog(
  db: Db,
  dataDir: string,
  connectionString: string,
  { key }: Seller,
): Promise<Row[]> {
  const file = new URL("servers/logged-server.ts", import.meta.url).pathname;
  const start = (log: string) => startProcess(file, [dataDir, connectionString, log], {});
  const servers = { on: await start("on"), off: await start("off") };
  const placed: Record<"on" | "off", Placed[]> = { on: [], off: [] };
  const cpu = async (log: "on" | "off") => processMs(servers[log].child.pid ?? 0) + (await postgresMs(db));
  const place = async (log: "on" | "off", seconds: number): Promise<Placed> => {
    const before = await cpu(log);
    const figures = await placeOrders({ url: servers[log].url, keys: [key], callers: 64, seconds });
    return {
      perSecond: figures.ordersPerSecond,
      cpuMs: ((await cpu(log)) - before) / Math.max(1, figures.orders),
    };
  };
  try {
    for (const log of ["on", "off"] as const) await place(log, 2);
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each goes first as often as the other.
      const order = round % 2 === 0 ? (["on", "off"] as const) : (["off", "on"] as const);
      for (const log of order) placed[log].push(await place(log, ROUND_SECONDS));
      const said = (log: "on" | "off") =>
        `${Math.round(placed[log].at(-1)?.perSecond ?? 0)}/s at ${placed[log].at(-1)?.cpuMs.toFixed(2)} ms`;
      console.log(`round ${round + 1}: with the log ${said("on")}, without ${said("off")}`);
    }
  } finally {
    await servers.on.stop();
    await servers.off.stop();
  }
  return logRows(placed);
}

function logRows({ on, off }: Record<"on" | "off", Placed[]>): Row[] {
  const middle = (list: readonly Placed[], name: keyof Placed) => median(list.map((one) => one[name]));
  const rate = middle(on, "perSecond") / middle(off, "perSecond");
  const cost = middle(on, "cpuMs") / middle(off, "cpuMs");
  return [
    {
      what: "placements with the request log against without",
      measured: `${Math.round(middle(on, "perSecond"))} against ${Math.round(middle(off, "perSecond"))} orders/s, ${rate.toFixed(2)}×`,
      goal: `≥ ${LOG_RATE_MIN}×`,
      met: rate >= LOG_RATE_MIN,
    },
    {
      what: "processor time of a placement, server and PostgreSQL, with the log against without",
      measured: `${middle(on, "cpuMs").toFixed(3)} against ${middle(off, "cpuMs").toFixed(3)} ms, ${cost.toFixed(2)}×`,
      goal: `≤ ${LOG_COST_MAX}×`,
      met: cost <= LOG_COST_MAX,
    },
  ];
}
