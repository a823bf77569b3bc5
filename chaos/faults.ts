import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { postmasterPid } from "../server/testing/database/embedded-testing.ts";
import type { FaultKind } from "../server/testing/database/fault-proxy.ts";
import { createRandom, type Random } from "../server/testing/seed.ts";
import { cutPower } from "./power-cut.ts";
import type { World } from "./world.ts";

/** One planned fault: which, how far into the run, and the random numbers that decide the rest. */
export type PlannedFault = { atMs: number; name: FaultName; draw: number };

/** A fault that finds nothing to strike returns false and is not counted. */
type Fault = {
  share: number;
  /** Faults of one part run one after the other. */
  part?: "database";
  strike(world: World, random: Random): Promise<unknown>;
};

const PAUSE_MEAN_MS = 1_250;
const CLOCK_STEP_API_MS = 10_000;
/** Less than the settle delay allows: a worker with a wrong clock can believe a no too early. */
const CLOCK_STEP_WORKER_MS = 1_000;
const STALL_MAX_MS = 3_000;
const STRUCK_WITHIN_MS = 5_000;
const AWAY_MAX_MS = 1_500;
const DISK_FULL_MS = 2_000;
const BALLAST_CHUNK = Buffer.alloc(1024 * 1024);

const proxied = (kind: FaultKind, at: RegExp): Fault["strike"] => {
  return async ({ proxy }, random) => {
    const { release, struck } = proxy.arm(at, kind);
    const unstruck = wait(STRUCK_WITHIN_MS).then(() => false);
    const isStruck = await Promise.race([struck.then(() => true), unstruck]);
    await wait(random.below(STALL_MAX_MS));
    release();
    return isStruck;
  };
};

export const FAULTS = {
  "kill -9 of an API process": {
    share: 28,
    strike: ({ apis }, random) => random.pick(apis).killAndRaise(),
  },
  "kill -9 of a worker": {
    share: 28,
    strike: ({ workers }, random) => random.pick(workers).killAndRaise(),
  },
  "kill -9 of PostgreSQL": {
    share: 17,
    part: "database",
    strike: async ({ dataDir }) => signalDatabase(dataDir, "SIGKILL"),
  },
  "restart of PostgreSQL": {
    share: 3,
    part: "database",
    strike: async ({ dataDir }) => signalDatabase(dataDir, "SIGINT"),
  },
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
  "clock of a worker shifted": {
    share: 2,
    strike: async ({ workers }, random) =>
      random.pick(workers).setClock(random.below(2 * CLOCK_STEP_WORKER_MS) - CLOCK_STEP_WORKER_MS),
  },
  "receivers down": {
    share: 3,
    strike: async ({ receivers }, random) => {
      receivers.goDown();
      await wait(random.below(STALL_MAX_MS));
      receivers.comeUp();
    },
  },
  "full disk": { share: 1, part: "database", strike: fillDisk },
  "power cut": { share: 2, part: "database", strike: losePower },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/**
 * The faults of a run, decided only by the seed. A run of a few minutes has every kind at least once. Additional power cuts
 * are spread over the run.
 */
export function planFaults(seed: number, durationMs: number, powerCuts = 0): PlannedFault[] {
  const random = createRandom(seed);
  const urn = FAULT_NAMES.flatMap((name) => Array<FaultName>(FAULTS[name].share).fill(name));
  const planned: PlannedFault[] = [];
  for (let atMs = 500; atMs < durationMs; atMs += PAUSE_MEAN_MS / 2 + random.below(PAUSE_MEAN_MS)) {
    planned.push({ atMs, name: random.pick(urn), draw: random.below(2 ** 31) });
  }
  for (let count = 0; count < powerCuts; count += 1) {
    const atMs = ((count + random.below(1_000) / 1_000) / powerCuts) * durationMs;
    planned.push({ atMs, name: "power cut", draw: random.below(2 ** 31) });
  }
  return planned.sort((one, other) => one.atMs - other.atMs);
}

/** Runs the planned faults, each at its time, and counts those that happened. A long fault does not delay others. */
export async function strikeFaults(
  world: World,
  planned: readonly PlannedFault[],
  onStruck: (name: FaultName) => void,
): Promise<Map<FaultName, number>> {
  const counts = new Map<FaultName, number>();
  const beganMs = performance.now();
  const busy = new Map<string, Promise<void>>();
  for (const { atMs, name, draw } of planned) {
    await wait(Math.max(0, beganMs + atMs - performance.now()));
    const fault: Fault = FAULTS[name];
    // Two of one kind run one after the other: a process cannot be killed while it starts.
    const part = fault.part ?? name;
    const done = (busy.get(part) ?? Promise.resolve())
      .then(() => fault.strike(world, createRandom(draw)))
      .then(
        (hasStruck) => {
          if (hasStruck === false) return;
          counts.set(name, (counts.get(name) ?? 0) + 1);
          onStruck(name);
        },
        // The database was already down, or there is no small disk.
        () => {},
      );
    busy.set(part, done);
  }
  await Promise.all(busy.values());
  return counts;
}

/** The owner of the database restarts it, on the same port. */
async function signalDatabase(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  process.kill(await postmasterPid(dataDir), signal);
}

async function terminateBackend({ db }: World): Promise<boolean> {
  const ended = await db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'scrip node%' and xact_start is not null and pid <> pg_backend_pid() limit 1`);
  return ended.length > 0;
}

async function loseDatabase({ proxy }: World, random: Random): Promise<void> {
  proxy.goAway();
  await wait(random.below(AWAY_MAX_MS));
  await proxy.comeBack();
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
