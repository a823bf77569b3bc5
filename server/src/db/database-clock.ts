import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import type { Clock } from "../lib/clock.ts";
import type { Queryable } from "./database.ts";

/** Time that does not leap with the clock of this machine. `look` compares it with the database. */
export type DatabaseClock = Clock & { look(): Promise<void> };

export type ClockSources = {
  /** The time of the database. */
  read(): Promise<Date>;
  /** The clock of this machine, which can be wrong and can leap. */
  system: Clock;
  /** Never leaps, and starts anywhere. Stands still while the machine sleeps. */
  steadyMs?: () => number;
};

const LOOK_EVERY_MS = 1_000;
const LOOK_TIMEOUT_MS = 5_000;
/** A slower answer says too little about the time. */
const ROUND_TRIP_MAX_MS = 500;
const FIRST_LOOKS_MAX = 5;
/** How much faster or slower than real time it runs while it corrects itself: a delay of 30 s takes at least 27. */
const SLEW_SHARE = 0.1;
/** Two clocks that differ by less agree. */
const AGREE_MS = 1_000;

/**
 * The time of the database, for workers. Leases and delays are compared by several workers, so they need one clock: a worker whose own
 * clock is a minute ahead would give up purchases that are still on their way. Between two looks the time runs with the
 * machine's steady counter. When the database's time leaps, this one follows slowly, unless the machine's clock says the same:
 * then the machine has slept.
 */
export async function createDatabaseClock({
  read,
  system,
  steadyMs = () => performance.now(),
}: ClockSources): Promise<DatabaseClock> {
  const measure = async () => {
    const sentMs = steadyMs();
    const databaseMs = (await read()).getTime();
    const roundTripMs = steadyMs() - sentMs;
    return { offsetMs: databaseMs - sentMs - roundTripMs / 2, databaseMs, roundTripMs };
  };
  let first = await measure();
  for (let looks = 1; looks < FIRST_LOOKS_MAX && first.roundTripMs > ROUND_TRIP_MAX_MS; looks += 1) {
    const next = await measure();
    if (next.roundTripMs < first.roundTripMs) first = next;
  }
  let { offsetMs } = first;
  let correctedAtMs = steadyMs();
  return {
    now: () => new Date(steadyMs() + offsetMs),
    async look() {
      const measured = await measure();
      if (measured.roundTripMs > ROUND_TRIP_MAX_MS) return;
      const wrongByMs = measured.offsetMs - offsetMs;
      const slewMs = (steadyMs() - correctedAtMs) * SLEW_SHARE;
      const agree = Math.abs(system.now().getTime() - measured.databaseMs) <= AGREE_MS;
      correctedAtMs = steadyMs();
      if (agree || Math.abs(wrongByMs) <= slewMs) offsetMs = measured.offsetMs;
      else offsetMs += Math.sign(wrongByMs) * slewMs;
    },
  };
}

/** Looks once a second until it is stopped. While the database is away the time goes on by itself. */
export async function startDatabaseClock(
  db: Queryable,
  system: Clock,
): Promise<Clock & { stop(): Promise<void> }> {
  const read = async (): Promise<Date> => {
    const [row] = await db.rows<{ now: Date }>(sql`select clock_timestamp() as now`);
    if (!row) throw new Error("the database did not say its time");
    return row.now;
  };
  const clock = await createDatabaseClock({ read, system });
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await wait(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      // An outage is noticed and reported elsewhere.
      if (!signal.aborted)
        await Promise.race([
          clock.look().catch(() => {}),
          wait(LOOK_TIMEOUT_MS, undefined, { signal, ref: false }).catch(() => {}),
        ]);
    }
  })();
  return {
    now: clock.now,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
