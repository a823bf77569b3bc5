import type { Db } from "../../server/src/db/database.ts";
import { onBenchDatabase } from "../bench-database.ts";
import { familyMs, postgresMs } from "../cpu-time.ts";
import type { CallerFigures } from "../order-callers.ts";
import { callersProgram, placeOrders } from "../place-orders.ts";
import { type Running, startProcess } from "../processes.ts";
import { median, type Row, report } from "../report.ts";
import { fillSellers } from "../sellers.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ROUND_SECONDS = 6;
const WARM_UP_SECONDS = 3;
const CALLERS = 256;
const PROCESSES = 3;
const SCRIP = new URL("../../server/src/bin/scrip.ts", import.meta.url).pathname;

type Round = Pick<CallerFigures, "ordersPerSecond" | "p99Ms"> & {
  nodeMicros: number;
  postgresMicros: number;
};

/** Orders of one wallet, through one process and through several of one machine. */
export const benchMachine = (): Promise<void> =>
  onBenchDatabase(async ({ db, dataDir }) => {
    const [hot] = await fillSellers(db, dataDir);
    if (!hot) throw new Error("no seller");
    const start = (processes: number): Promise<Running> =>
      startProcess(SCRIP, ["start", "--role", "api", "--processes", String(processes)], {
        DATA_DIR: dataDir,
        PORT: "0",
        METRICS_PORT: "0",
        CONSOLE_PORT: "0",
        LOG_LEVEL: "warn",
        RATE_LIMIT_ORDERS: "0",
      });
    const one = await start(1);
    const several = await start(PROCESSES);
    try {
      const place = (to: Running, seconds: number) =>
        placeOrders({ url: to.url, keys: [hot.key], callers: CALLERS, seconds });
      for (const each of [one, several]) await place(each, WARM_UP_SECONDS);
      const rounds = { one: [] as Round[], several: [] as Round[] };
      for (let round = 0; round < ROUNDS; round += 1) {
        rounds.one.push(await measure(db, one, () => place(one, ROUND_SECONDS)));
        rounds.several.push(await measure(db, several, () => place(several, ROUND_SECONDS)));
      }
      report("machine", NOTES, toRows(rounds.one, rounds.several));
    } finally {
      await several.stop();
      await one.stop();
    }
  });

const NOTES = [
  "`POST /v1/orders` with two lines over HTTP, one wallet, fsync on; the rate limit is off",
  `${ROUNDS} alternating rounds of ${ROUND_SECONDS} s each with ${CALLERS} callers; medians. Callers (${callersProgram}), servers and PostgreSQL share the machine`,
  `several: one supervisor and ${PROCESSES} HTTP processes, of which one places for all`,
];

async function measure(db: Db, { child }: Running, run: () => Promise<CallerFigures>): Promise<Round> {
  const pid = child.pid ?? 0;
  const before = { node: familyMs(pid), postgres: await postgresMs(db) };
  const { ordersPerSecond, p99Ms } = await run();
  const orders = ordersPerSecond * ROUND_SECONDS;
  const microsOf = (ms: number): number => (ms * 1_000) / orders;
  return {
    ordersPerSecond,
    p99Ms,
    nodeMicros: microsOf(familyMs(pid) - before.node),
    postgresMicros: microsOf((await postgresMs(db)) - before.postgres),
  };
}

function toRows(one: readonly Round[], several: readonly Round[]): Row[] {
  const of = (rounds: readonly Round[], member: keyof Round): number =>
    median(rounds.map((each) => each[member]));
  const plain = (what: string, rounds: readonly Round[]): Row => ({
    what,
    measured: `${Math.round(of(rounds, "ordersPerSecond"))} orders/s, p99 ${of(rounds, "p99Ms").toFixed(0)} ms; CPU for each order: Node ${of(rounds, "nodeMicros").toFixed(0)} µs, PostgreSQL ${of(rounds, "postgresMicros").toFixed(0)} µs`,
    goal: "",
    met: undefined,
  });
  const ratio = of(several, "ordersPerSecond") / of(one, "ordersPerSecond");
  return [
    plain("one process", one),
    plain(`${PROCESSES} processes`, several),
    { what: "several against one", measured: `${ratio.toFixed(2)}×`, goal: "≥ 1×", met: ratio >= 1 },
  ];
}
