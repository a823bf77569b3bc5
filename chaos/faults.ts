import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import type { FaultKind } from "../server/testing/database/fault-proxy.ts";
import { createRandom, type Random } from "../server/testing/seed.ts";
import type { Database } from "./database.ts";
import type { Node } from "./node.ts";
import { cutPower } from "./power-cut.ts";
import type { World } from "./world.ts";

/** One planned fault: which, how far into the run, and the random numbers that decide the rest. */
export type PlannedFault = { atMs: number; name: FaultName; draw: number };

/** What a run can be mostly about. */
export const PARTS = ["database", "processes"] as const;
export type Part = (typeof PARTS)[number];

/** A fault that finds nothing to strike returns false and is not counted. */
type Fault = {
  share: number;
  /** Faults of one part run one after the other, and so do those of one kind. Those of processes run at the same time. */
  part?: Part;
  /** Only where the database has so many hosts. */
  hosts?: 1 | 2;
  strike(world: World, random: Random, patienceMs: number): Promise<unknown>;
};

const PAUSE_MEAN_MS = 1_250;
/** In a run about one part, faults of the other are so much rarer: a process that starts again waits for the database, and the reverse. */
const RARER = 10;
const CLOCK_STEP_API_MS = 10_000;
const CLOCK_LEAP_WORKER_MS = 60_000;
const STALL_MAX_MS = 3_000;
const STRUCK_WITHIN_MS = 5_000;
const AWAY_MAX_MS = 1_500;
const LOOK_EVERY_MS = 100;
const DISK_FULL_MS = 2_000;
/** How often the old primary is only silent, and comes back after another has taken over. */
const FROZEN_SHARE = 0.3;
const BALLAST_CHUNK = Buffer.alloc(1024 * 1024);

const proxied = (kind: FaultKind, at: RegExp): Fault["strike"] => {
  return async ({ database }, random) => {
    const { release, disarm, struck } = database.proxy().arm(at, kind);
    const unstruck = wait(STRUCK_WITHIN_MS).then(() => false);
    const isStruck = await Promise.race([struck.then(() => true), unstruck]);
    // Else it would wait for the next process that starts, and after many of them no start would succeed.
    disarm();
    await wait(random.below(STALL_MAX_MS));
    release();
    return isStruck;
  };
};

export const FAULTS = {
  "kill -9 of an API process": {
    share: 40,
    part: "processes",
    strike: ({ apis }, random, patienceMs) => killOne(apis, random, patienceMs),
  },
  "kill -9 of a worker": {
    share: 40,
    part: "processes",
    strike: ({ workers }, random, patienceMs) => killOne(workers, random, patienceMs),
  },
  "kill -9 of PostgreSQL": { share: 12, part: "database", strike: ({ database }) => database.kill() },
  failover: {
    share: 3,
    part: "database",
    hosts: 2,
    strike: ({ database }, random) => pairOf(database).failOver(random.chance(FROZEN_SHARE)),
  },
  "kill -9 of the standby": {
    share: 1,
    part: "database",
    hosts: 2,
    strike: ({ database }) => pairOf(database).killStandby(),
  },
  "restart of PostgreSQL": { share: 3, part: "database", strike: ({ database }) => database.restart() },
  "end of a backend": { share: 4, strike: terminateBackend },
  "COMMIT with a lost answer": { share: 4, strike: proxied("lose-answer", /^commit/i) },
  "connection cut before a statement": { share: 4, strike: proxied("cut-before", /^(insert|update|with)/i) },
  "statement that stalls": { share: 3, strike: proxied("stall", /^(select|with|commit)/i) },
  "COMMIT without an answer": { share: 1, strike: proxied("stall-answer", /^commit/i) },
  "database unreachable": { share: 3, strike: loseDatabase },
  "clock of an API process shifted": {
    share: 3,
    strike: async ({ apis }, random) =>
      random.pick(apis).setClock(random.below(2 * CLOCK_STEP_API_MS) - CLOCK_STEP_API_MS),
  },
  "leap of a worker's clock": {
    share: 4,
    strike: async ({ workers }, random) =>
      random.pick(workers).setClock(random.pick([-CLOCK_LEAP_WORKER_MS, 0, CLOCK_LEAP_WORKER_MS])),
  },
  "receivers down": {
    share: 3,
    strike: async ({ receivers }, random) => {
      receivers.goDown();
      await wait(random.below(STALL_MAX_MS));
      receivers.comeUp();
    },
  },
  "full disk": { share: 1, part: "database", hosts: 1, strike: fillDisk },
  "power cut": { share: 2, part: "database", hosts: 1, strike: losePower },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

export type PlanOptions = {
  /** More than the seed plans, spread over the run. */
  powerCuts?: number;
  /** How much more often than usual. */
  pace?: number;
  hasTwoHosts?: boolean;
  /** Mostly faults of this part. */
  focus?: Part | undefined;
};

/** The faults of a run, decided only by the seed and its options. A run of a few minutes has every kind at least once. */
export function planFaults(seed: number, durationMs: number, options: PlanOptions = {}): PlannedFault[] {
  const { powerCuts = 0, pace = 1, hasTwoHosts = false, focus } = options;
  const random = createRandom(seed);
  const hosts = hasTwoHosts ? 2 : 1;
  const urn = FAULT_NAMES.flatMap((name) => {
    const fault: Fault = FAULTS[name];
    const isRarer = focus !== undefined && fault.part !== undefined && fault.part !== focus;
    const share = isRarer ? Math.ceil(fault.share / RARER) : fault.share;
    return (fault.hosts ?? hosts) === hosts ? Array<FaultName>(share).fill(name) : [];
  });
  const planned: PlannedFault[] = [];
  const pauseMs = PAUSE_MEAN_MS / pace;
  for (let atMs = 500; atMs < durationMs; atMs += pauseMs / 2 + random.below(pauseMs)) {
    planned.push({ atMs, name: random.pick(urn), draw: random.below(2 ** 31) });
  }
  for (let count = 0; count < powerCuts; count += 1) {
    const atMs = ((count + random.below(1_000) / 1_000) / powerCuts) * durationMs;
    planned.push({ atMs, name: "power cut", draw: random.below(2 ** 31) });
  }
  return planned.sort((one, other) => one.atMs - other.atMs);
}

export type StrikeEvents = {
  /** A fault that has to wait longer for its turn is left out. */
  patienceMs: number;
  onStruck(name: FaultName): void;
  /** The database was already down, or there is no small disk. */
  onMissed(name: FaultName, error: unknown): void;
  /** The time is over, and these have not ended. */
  onWaiting(names: readonly FaultName[]): void;
};

/**
 * Runs the planned faults, each at its time, and counts those that happened. A long fault does not delay others, only those of
 * its own part.
 */
export async function strikeFaults(
  world: World,
  planned: readonly PlannedFault[],
  { patienceMs, onStruck, onMissed, onWaiting }: StrikeEvents,
): Promise<Map<FaultName, number>> {
  const counts = new Map<FaultName, number>();
  const beganMs = performance.now();
  const busy = new Map<string, Promise<void>>();
  const running = new Set<{ name: FaultName }>();
  const strike = async ({ atMs, name, draw }: PlannedFault): Promise<unknown> => {
    if (performance.now() > beganMs + atMs + patienceMs) return false;
    const one = { name };
    running.add(one);
    const fault: Fault = FAULTS[name];
    if (fault.part === "database") await untilMostAreUp(world, patienceMs);
    return fault.strike(world, createRandom(draw), patienceMs).finally(() => running.delete(one));
  };
  for (const one of planned) {
    const { atMs, name } = one;
    await wait(Math.max(0, beganMs + atMs - performance.now()));
    const fault: Fault = FAULTS[name];
    const part = fault.part ?? name;
    const before = part === "processes" ? undefined : busy.get(part);
    const done = (before ?? Promise.resolve())
      .then(() => strike(one))
      .then(
        (hasStruck) => {
          if (hasStruck === false) return;
          counts.set(name, (counts.get(name) ?? 0) + 1);
          onStruck(name);
        },
        (error) => onMissed(name, error),
      );
    busy.set(part, part === "processes" ? Promise.all([busy.get(part), done]).then(() => {}) : done);
  }
  onWaiting([...running].map(({ name }) => name));
  await Promise.all(busy.values());
  return counts;
}

const areUp = (nodes: readonly Node[]): Node[] => nodes.filter((node) => !node.isRising());

/** A start takes longer on a busy machine. If the database died each time before it ends, no process could be killed again. */
async function untilMostAreUp({ apis, workers }: World, patienceMs: number): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while ([apis, workers].some((nodes) => areUp(nodes).length < 2) && performance.now() < deadlineMs)
    await wait(LOOK_EVERY_MS);
}

/** One of the processes that are up. The last one that serves is left alone, so that there is something to interrupt. */
async function killOne(nodes: readonly Node[], random: Random, patienceMs: number): Promise<boolean> {
  for (const deadlineMs = performance.now() + patienceMs; performance.now() < deadlineMs; ) {
    const up = areUp(nodes);
    if (up.length > 1) {
      await random.pick(up).killAndRaise();
      return true;
    }
    await wait(LOOK_EVERY_MS);
  }
  return false;
}

/** A fault of two hosts finds nothing to strike where there is one. */
function pairOf({ pair }: Database): NonNullable<Database["pair"]> {
  if (pair === undefined) throw new Error("there is one host");
  return pair;
}

async function terminateBackend({ db }: World): Promise<boolean> {
  const ended = await db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'scrip node%' and xact_start is not null and pid <> pg_backend_pid() limit 1`);
  return ended.length > 0;
}

async function loseDatabase({ database }: World, random: Random): Promise<void> {
  for (const proxy of database.proxies) proxy.goAway();
  await wait(random.below(AWAY_MAX_MS));
  await Promise.all(database.proxies.map((proxy) => proxy.comeBack()));
}

/** Fills the database's disk to the last byte for a while. */
async function fillDisk({ disk }: World): Promise<void> {
  if (disk === undefined) throw new Error("there is no small disk");
  const path = join(disk.path, "ballast");
  const file = openSync(path, "w");
  try {
    for (;;) if (writeSync(file, BALLAST_CHUNK) < BALLAST_CHUNK.length) break;
  } catch {
    // Full.
  } finally {
    closeSync(file);
  }
  await wait(DISK_FULL_MS);
  rmSync(path);
}

/** The database's machine loses its power. In half of the cuts every process of the service was on that machine. */
async function losePower({ dataDir, disk, apis, workers }: World, random: Random): Promise<boolean> {
  const lost = random.chance(0.5) ? [...apis, ...workers] : [];
  const [hasCut] = await Promise.all([
    cutPower(dataDir, disk),
    ...(disk?.loseWhatIsInMemory ? lost.map((node) => node.killAndRaise()) : []),
  ]);
  return hasCut;
}
