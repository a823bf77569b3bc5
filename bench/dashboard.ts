import type { Db } from "../server/src/db/database.ts";
import { onBenchDatabase } from "./bench-database.ts";
import { fillHistory } from "./fill-history.ts";
import { fillOrders } from "./fill-orders.ts";
import { placeOrders } from "./place-orders.ts";
import { type Running, startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";
import { fillSellers, type Seller } from "./sellers.ts";
import { signInOwner, timePage, visitSteadily } from "./visit-pages.ts";

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
const LOG_COST_MIN = 0.97;

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
    const logCost = await measureLog(dataDir, connectionString, placing);
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
  `time until the last byte of a page, over HTTP with brotli, one request at a time; ${VISITS} visits of each, alternating between a reseller with ${ORDERS_FEW.toLocaleString("en")} orders and one with ${ORDERS_MANY.toLocaleString("en")}; medians`,
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
  return { cookie: await signInOwner(db, dataDir, id), endpointId };
}

const urlOf = (scrip: Running, path: string, { endpointId }: Reader): string =>
  `${scrip.url}${path.replace(":endpoint", endpointId)}`;

async function measurePages(scrip: Running, { few, many }: { few: Reader; many: Reader }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of LISTS) {
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    for (let visit = 0; visit < VISITS; visit += 1) {
      times.few.push(await timePage(urlOf(scrip, path, few), few.cookie));
      times.many.push(await timePage(urlOf(scrip, path, many), many.cookie));
    }
    const [fewMs, manyMs] = [median(times.few), median(times.many)];
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

async function measureLog(dataDir: string, connectionString: string, { key }: Seller): Promise<Row[]> {
  const file = new URL("logged-server.ts", import.meta.url).pathname;
  const start = (log: string) => startProcess(file, [dataDir, connectionString, log], {});
  const servers = { on: await start("on"), off: await start("off") };
  const rates: Record<"on" | "off", number[]> = { on: [], off: [] };
  const place = async (log: "on" | "off", seconds: number) =>
    (await placeOrders({ url: servers[log].url, keys: [key], callers: 64, seconds })).ordersPerSecond;
  try {
    for (const log of ["on", "off"] as const) await place(log, 2);
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each goes first as often as the other.
      const order = round % 2 === 0 ? (["on", "off"] as const) : (["off", "on"] as const);
      for (const log of order) rates[log].push(await place(log, ROUND_SECONDS));
      console.log(
        `round ${round + 1}: with the log ${Math.round(rates.on.at(-1) ?? 0)}/s, without ${Math.round(rates.off.at(-1) ?? 0)}/s`,
      );
    }
  } finally {
    await servers.on.stop();
    await servers.off.stop();
  }
  const ratio = median(rates.on) / median(rates.off);
  return [
    {
      what: "placements with the request log against without",
      measured: `${Math.round(median(rates.on))} against ${Math.round(median(rates.off))} orders/s, ${ratio.toFixed(2)}×`,
      goal: `≥ ${LOG_COST_MIN}×`,
      met: ratio >= LOG_COST_MIN,
    },
  ];
}
