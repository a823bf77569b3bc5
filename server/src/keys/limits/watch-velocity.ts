import { SCRIP_ITSELF } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { queueLetter } from "../../mail/queue-letter.ts";
import { type Loop, runLoop } from "../../work/run-loop.ts";
import { recordOnKey } from "../key-activity.ts";
import { frozenLetter } from "./frozen-letter.ts";
import { deleteOldCounts, lockUntoldFreeze, markFreezeTold, updateUsualHours } from "./velocity-queries.ts";

type WatchDeps = { db: Db; clock: Clock };

const WATCH_EVERY_MS = 15_000;
const DAY_MS = 86_400_000;
/** The usual hour is learnt from this much of the past. */
const LEARNT_FROM_MS = 7 * DAY_MS;
/** A key that has spent in fewer hours has no usual hour yet, and is not frozen. */
export const USUAL_HOURS_MIN = 24;
/** The audit compares counts that are a day younger (audit/spending-invariants.ts). */
const KEPT_MS = 35 * DAY_MS;
const TOLD_MAX = 100;

/** Learns what keys usually spend, and writes to the owners of keys that placements have frozen. */
export const runVelocityWatch = ({ log, ...deps }: WatchDeps & { log: Log }): Loop =>
  runLoop({
    step: () => watchVelocity(deps),
    pollMs: WATCH_EVERY_MS,
    onError: (err) => log.error({ err }, "watching what keys spend failed; trying again"),
  });

/** Returns whether more may be left. */
export async function watchVelocity(deps: WatchDeps): Promise<boolean> {
  const now = deps.clock.now();
  await updateUsualHours(deps.db, new Date(now.getTime() - LEARNT_FROM_MS), now, USUAL_HOURS_MIN);
  await deleteOldCounts(deps.db, new Date(now.getTime() - KEPT_MS));
  for (let told = 0; told < TOLD_MAX; told += 1) if (!(await tellNext(deps))) return false;
  return true;
}

/** The letter and the records of it and of the freeze are written together. */
const tellNext = ({ db, clock }: WatchDeps): Promise<boolean> =>
  db.transaction(async (tx) => {
    const key = await lockUntoldFreeze(tx);
    if (!key) return false;
    const now = clock.now();
    await queueLetter(tx, frozenLetter(key), now);
    await markFreezeTold(tx, key.id, now);
    await recordOnKey(tx, clock, key, SCRIP_ITSELF, {
      action: "key.frozen",
      id: key.id,
      after: { frozenAt: key.frozenAt.toISOString() },
    });
    return true;
  });
