import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { type FaultName, planFaults, strikeFaults } from "./faults.ts";
import type { Findings } from "./findings.ts";
import { payIn, refundSome, replaceKeys, rotateSecrets } from "./operators.ts";
import { type Actor, PLACERS, placeOrders, type Weather } from "./placers.ts";
import { readBack } from "./readers.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { settle } from "./settle.ts";
import { fillWorld } from "./shopfront.ts";
import { verify } from "./verify.ts";
import { openWorld, type World } from "./world.ts";

export type ChaosOptions = {
  durationMs: number;
  seed: number;
  /** More than the seed plans. */
  powerCuts?: number;
  /** Defaults to true. */
  hasFsync?: boolean;
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
  hasSmallDisk: boolean;
  canLosePower: boolean;
};

const ACTORS: readonly Actor[] = [placeOrders, readBack, payIn, refundSome, replaceKeys, rotateSecrets];
const CODES_PER_SECOND = 60;
const CALM_MS = 1_000;
const TELL_EVERY_MS = 10_000;

/** Load and faults for a while, then calm, then a comparison of everything with everything. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { durationMs, seed, say, powerCuts = 0, hasFsync = true } = options;
  const recorder = createRecorder();
  const world = await openWorld({ seed, hasFsync, hasSmallDisk: true }, recorder);
  try {
    const stock = Math.ceil((durationMs / 1_000) * CODES_PER_SECOND) + 500;
    const accounts = await fillWorld(world, recorder, stock);
    const weather: Weather = { isStormy: true, seed, placers: PLACERS };
    const actors = ACTORS.map((act) => act(world, accounts, recorder, weather));
    await wait(CALM_MS);
    recorder.startGaps();
    const struck = new Map<FaultName, number>();
    const telling = setInterval(() => say(describeProgress(recorder, struck)), TELL_EVERY_MS);
    const faults = await strikeFaults(world, planFaults(seed, durationMs, powerCuts), (name) =>
      struck.set(name, (struck.get(name) ?? 0) + 1),
    );
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
      ...(await count(world)),
    };
  } finally {
    await world.close();
  }
}

function describeProgress(recorder: Recorder, struck: ReadonlyMap<FaultName, number>): string {
  const faults = [...struck.values()].reduce((sum, number) => sum + number, 0);
  return `${faults} faults, ${recorder.acknowledged.length} orders, ${recorder.counts.lost} tries without a response, ${recorder.contradictions.length} contradictions`;
}

async function count({ db }: World): Promise<Pick<ChaosResult, "orders" | "events">> {
  const statuses = await db.rows<{ status: string; count: number }>(
    sql`select environment || ' ' || status as status, count(*)::integer as count from orders group by 1 order by 1`,
  );
  const [events] = await db.rows<{ count: number }>(sql`select count(*)::integer as count from events`);
  return { orders: new Map(statuses.map((row) => [row.status, row.count])), events: events?.count ?? 0 };
}
