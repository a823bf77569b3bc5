import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { placeBatches } from "./actors/batches.ts";
import { findJobFaults, runTheJobs } from "./actors/jobs.ts";
import { rotateMasterKeys } from "./actors/master-keys.ts";
import { payIn, refundSome, replaceKeys, rotateSecrets } from "./actors/operators.ts";
import { useConsole, useDashboard } from "./actors/people.ts";
import { type Actor, PLACERS, placeOrders, type Weather } from "./actors/placers.ts";
import { readBack } from "./actors/readers.ts";
import { type FaultName, type PlanOptions, planFaults, strikeFaults } from "./faults.ts";
import type { Findings } from "./findings.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { settle } from "./settle.ts";
import { fillWorld } from "./shopfront.ts";
import { verify } from "./verify/verify.ts";
import { openWorld, type World } from "./world.ts";

export type ChaosOptions = PlanOptions & {
  durationMs: number;
  seed: number;
  /** Defaults to true. */
  hasFsync?: boolean;
  /** How long a fault waits for its turn. Long, so that a short run on a busy machine has all of its faults. */
  patienceMs?: number;
  /** Of each role. */
  processes?: number;
  /** Callers that place one order after the other. With few of them more of the machine is left for processes that start again. */
  placers?: number;
  /** Callers that place many orders with one request. */
  batchers?: number;
  say: (line: string) => void;
};

export type ChaosResult = {
  faults: Map<FaultName, number>;
  orders: Map<string, number>;
  recorder: Recorder;
  events: number;
  repeatedDeliveries: number;
  /** What did not finish, and what is wrong. */
  unended: string[];
  findings: Findings;
  /** Jobs by kind and state. */
  jobs: Map<string, number>;
  hasSmallDisk: boolean;
  canLosePower: boolean;
};

const ACTORS: readonly Actor[] = [
  ...[placeOrders, placeBatches, readBack, payIn, refundSome, replaceKeys, rotateSecrets],
  ...[useDashboard, useConsole, runTheJobs, rotateMasterKeys],
];
const CODES_PER_SECOND = 40;
const CODES_PER_SECOND_AND_BATCHER = 20;
const CALM_MS = 1_000;
const PATIENCE_MS = 120_000;
const TELL_EVERY_MS = 10_000;
const TOLD_AT_ONCE_MAX = 3;

/** Load and faults for a while, then calm, then a comparison of everything with everything. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const {
    durationMs,
    seed,
    say,
    hasFsync = true,
    hasTwoHosts = false,
    placers = PLACERS,
    batchers = 0,
    processes = 2,
  } = options;
  const recorder = createRecorder();
  const about = { seed, hasFsync, hasTwoHosts, processes, hasSmallDisk: true, isWhole: true };
  const world = await openWorld(about, recorder);
  try {
    const perSecond = CODES_PER_SECOND + batchers * CODES_PER_SECOND_AND_BATCHER;
    const stock = Math.ceil((durationMs / 1_000) * perSecond) + 500;
    const accounts = await fillWorld(world, recorder, stock);
    await world.flush();
    const weather: Weather = { isStormy: true, seed, placers, batchers };
    const actors = ACTORS.map((act) => act(world, accounts, recorder, weather));
    await wait(CALM_MS);
    recorder.startGaps();
    const struck = new Map<FaultName, number>();
    let told = 0;
    const telling = setInterval(() => {
      say(describeProgress(recorder, struck));
      for (const text of recorder.contradictions.slice(told, told + TOLD_AT_ONCE_MAX)) say(`  ${text}`);
      told = recorder.contradictions.length;
    }, TELL_EVERY_MS);
    const faults = await strikeFaults(world, planFaults(seed, durationMs, options), {
      patienceMs: options.patienceMs ?? PATIENCE_MS,
      onStruck: (name) => struck.set(name, (struck.get(name) ?? 0) + 1),
      onWaiting: (names) => say(`waiting for ${names.length} faults to end`),
      onMissed: (name, error) => say(`no ${name}: ${error instanceof Error ? error.message : error}`),
    });
    recorder.stopGaps();
    clearInterval(telling);
    say("the faults are over; waiting until callers have their responses");
    weather.isStormy = false;
    await Promise.all(actors);
    const unended = await settle(world, say);
    return {
      faults,
      recorder,
      unended,
      findings: await verify(world, accounts, recorder, stock),
      hasSmallDisk: world.disk !== undefined,
      canLosePower: world.disk?.loseWhatIsInMemory !== undefined,
      repeatedDeliveries: world.receivers.repeats(),
      jobs: (await findJobFaults(world.db, recorder)).ended,
      ...(await count(world)),
    };
  } finally {
    await world.close();
  }
}

function describeProgress(recorder: Recorder, struck: ReadonlyMap<FaultName, number>): string {
  const faults = [...struck.values()].reduce((sum, number) => sum + number, 0);
  const { acknowledged, counts, refusedStarts, contradictions } = recorder;
  return `${faults} faults, ${acknowledged.length} orders, ${counts.lost} tries without a response, ${refusedStarts.length} failed starts, ${contradictions.length} contradictions`;
}

async function count({ db }: World): Promise<Pick<ChaosResult, "orders" | "events">> {
  const statuses = await db.rows<{ status: string; count: number }>(
    sql`select environment || ' ' || status as status, count(*)::integer as count from orders group by 1 order by 1`,
  );
  const [events] = await db.rows<{ count: number }>(sql`select count(*)::integer as count from events`);
  return { orders: new Map(statuses.map((row) => [row.status, row.count])), events: events?.count ?? 0 };
}
