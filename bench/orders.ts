import sql from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";
import { type BenchDatabase, onBenchDatabase } from "./bench-database.ts";
import { postgresMs, processMs } from "./cpu-time.ts";
import { fillOrders } from "./fill-orders.ts";
import type { CallerFigures } from "./order-callers.ts";
import { pgbenchRate } from "./pgbench.ts";
import { callersProgram, placeOrders } from "./place-orders.ts";
import { type Running, startProcess } from "./processes.ts";
import { median, type Row, report } from "./report.ts";
import { fillSellers, type Seller, WALLETS } from "./sellers.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROUND_SECONDS = 6;
const ORDERS_THERE = Number(process.env.BENCH_ORDERS ?? 2_000_000);

const WARM_UP_SECONDS = 2;
/** The case with one wallet and 256 callers. */
const COMPARED_WITH_FULL = 1;

type Case = { name: string; keys: string[]; callers: number };
/** What a case took: the processor time for an order too, of the server and of PostgreSQL. */
type Figures = CallerFigures & { serverUs: number; postgresUs: number };

/**
 * Placements over HTTP from one wallet and from many, beside a naive server and pgbench, with fsync on; and in turn with them on a
 * second database that is full.
 */
export const benchOrders = (): Promise<void> =>
  onBenchDatabase((full) =>
    onBenchDatabase(async (empty) => {
      const [rich] = await fillSellers(full.db, full.dataDir);
      if (!rich) throw new Error("no seller");
      console.log(`filling ${ORDERS_THERE} orders`);
      await fillOrders(full.db, rich.id, ORDERS_THERE);
      const sellers = await fillSellers(empty.db, empty.dataDir);
      report("orders", NOTES, await measure(empty, sellers, full, rich));
    }),
  );

const NOTES = [
  "`POST /v1/orders` with two lines over HTTP, fsync on, the embedded server with its default settings; the rate limit is off",
  `${ROUNDS} alternating rounds of ${ROUND_SECONDS} s each; medians. Callers (${callersProgram}), server and PostgreSQL share the machine`,
  "naive: a server that opens a transaction for each order and runs one statement after another in it, same tables and driver",
  "pgbench: `-c 64 -j 2 -M prepared`, scale 10, on the same PostgreSQL",
  "the full table is that of a second PostgreSQL and server, measured in each round right after the empty one",
];

async function measure(
  empty: BenchDatabase,
  [hot, ...others]: Seller[],
  full: BenchDatabase,
  rich: Seller,
): Promise<Row[]> {
  if (!hot) throw new Error("no seller");
  const scrip = await startScrip(empty);
  const scripOfFull = await startScrip(full);
  const naive = await startProcess(new URL("./servers/naive-server.ts", import.meta.url).pathname, [], {
    NAIVE_DATABASE_URL: empty.connectionString,
    NAIVE_RESELLER: others[0]?.id ?? "",
  });
  const cases: Case[] = [
    { name: "one wallet, 64 callers", keys: [hot.key], callers: 64 },
    { name: "one wallet, 256 callers", keys: [hot.key], callers: 256 },
    { name: `${WALLETS} wallets, 256 callers`, keys: others.map((seller) => seller.key), callers: 256 },
  ];
  try {
    await placeOrders({ url: scrip.url, keys: [hot.key], callers: 64, seconds: WARM_UP_SECONDS });
    await placeOrders({ url: scripOfFull.url, keys: [rich.key], callers: 64, seconds: WARM_UP_SECONDS });
    const placeInFull = (): Promise<CallerFigures> =>
      placeOrders({ url: scripOfFull.url, keys: [rich.key], callers: 256, seconds: ROUND_SECONDS });
    return toRows(cases, await rounds(empty, scrip, naive.url, cases, placeInFull));
  } finally {
    await naive.stop();
    await scripOfFull.stop();
    await scrip.stop();
  }
}

const startScrip = ({ dataDir }: BenchDatabase): Promise<Running> =>
  startProcess(new URL("../server/src/bin/scrip.ts", import.meta.url).pathname, ["start", "--role", "api"], {
    DATA_DIR: dataDir,
    PORT: "0",
    METRICS_PORT: "0",
    CONSOLE_PORT: "0",
    LOG_LEVEL: "warn",
    RATE_LIMIT_ORDERS: "0",
  });

type Rounds = { pgbench: number[]; naive: CallerFigures[]; ours: Figures[][]; full: CallerFigures[] };

/** Each round measures everything once, so that noise affects all of them alike. */
async function rounds(
  { db, connectionString }: BenchDatabase,
  scrip: Running,
  naiveUrl: string,
  cases: readonly Case[],
  placeInFull: () => Promise<CallerFigures>,
): Promise<Rounds> {
  const result: Rounds = { pgbench: [], naive: [], ours: cases.map(() => []), full: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await db.rows(sql`checkpoint`);
    const rate = await pgbenchRate(connectionString, ROUND_SECONDS);
    if (rate !== undefined) result.pgbench.push(rate);
    result.naive.push(
      await placeOrders({ url: naiveUrl, keys: ["none"], callers: 64, seconds: ROUND_SECONDS }),
    );
    for (const [index, one] of cases.entries()) {
      result.ours[index]?.push(await place(db, scrip, one));
      if (index === COMPARED_WITH_FULL) result.full.push(await placeInFull());
    }
    const figures = [
      rate,
      result.naive.at(-1)?.ordersPerSecond,
      ...result.ours.map((one) => one.at(-1)?.ordersPerSecond),
      result.full.at(-1)?.ordersPerSecond,
    ];
    console.log(
      `round ${round + 1}: pgbench, naive, ${cases.map((one) => one.name).join(", ")}, full table: ${figures.map((figure) => Math.round(figure ?? 0)).join(", ")}/s`,
    );
  }
  return result;
}

async function place(db: Db, { url, child }: Running, { keys, callers }: Case): Promise<Figures> {
  const pid = child.pid ?? 0;
  const before = { server: processMs(pid), postgres: await postgresMs(db) };
  const figures = await placeOrders({ url, keys, callers, seconds: ROUND_SECONDS });
  const toUs = (ms: number): number => (ms * 1000) / figures.orders;
  return {
    ...figures,
    serverUs: toUs(processMs(pid) - before.server),
    postgresUs: toUs((await postgresMs(db)) - before.postgres),
  };
}

const rateOf = (figures: readonly CallerFigures[]): number =>
  median(figures.map((one) => one.ordersPerSecond));

function toRows(cases: readonly Case[], { pgbench, naive, ours, full }: Rounds): Row[] {
  const [at64 = [], at256 = [], many = []] = ours;
  const reference = pgbench.length > 0 ? median(pgbench) : undefined;
  const ratio = (what: string, value: number, goal: number): Row => ({
    what,
    measured: `${value.toFixed(2)}×`,
    goal: `≥ ${goal}×`,
    met: value >= goal,
  });
  const p99Ms = median(at64.map((one) => one.p99Ms));
  const processorTime = (what: string, us: number, maxUs: number): Row => ({
    what: `processor time of an order, 64 callers: ${what}`,
    measured: `${us.toFixed(0)} µs`,
    goal: `≤ ${maxUs} µs`,
    met: us <= maxUs,
  });
  return [
    {
      what: "pgbench",
      measured: reference === undefined ? "not on this machine" : `${Math.round(reference)} transactions/s`,
      goal: "",
      met: undefined,
    },
    plain("naive, one wallet, 64 callers", naive),
    ...cases.map((one, index) => plain(one.name, ours[index] ?? [])),
    plain(`one wallet, 256 callers, ${ORDERS_THERE.toLocaleString("en")} orders there`, full),
    ratio("one wallet against naive, 64 callers", rateOf(at64) / rateOf(naive), 10),
    ...(reference === undefined
      ? []
      : [
          ratio("one wallet, 64 callers, against pgbench", rateOf(at64) / reference, 2.2),
          ratio("one wallet, 256 callers, against pgbench", rateOf(at256) / reference, 3),
          ratio(`${WALLETS} wallets against pgbench`, rateOf(many) / reference, 3),
        ]),
    processorTime("the server", median(at64.map((one) => one.serverUs)), 120),
    processorTime("PostgreSQL", median(at64.map((one) => one.postgresUs)), 130),
    {
      what: "p99 of one wallet, 64 callers",
      measured: `${p99Ms.toFixed(1)} ms`,
      goal: "< 100 ms",
      met: p99Ms < 100,
    },
    ratio("full table against empty", rateOf(full) / rateOf(at256), 0.8),
  ];
}

const plain = (what: string, figures: readonly CallerFigures[]): Row => ({
  what,
  measured: `${Math.round(rateOf(figures))} orders/s, p50 ${median(figures.map((one) => one.p50Ms)).toFixed(1)}, p95 ${median(figures.map((one) => one.p95Ms)).toFixed(1)}, p99 ${median(figures.map((one) => one.p99Ms)).toFixed(1)} ms`,
  goal: "",
  met: undefined,
});
