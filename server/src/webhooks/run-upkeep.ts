import type { Db } from "../db/database.ts";
import { keepEventPartitions } from "../events/event-partitions.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { expireLetters } from "../mail/letter-queries.ts";
import { sendLetters } from "../mail/send-letters.ts";
import type { SendMail } from "../mail/smtp-mail.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { keepAttemptPartitions } from "./delivery/attempt-partitions.ts";
import { watchFailing } from "./health/watch-failing.ts";

export type UpkeepDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  /** Without it letters wait in the database until they expire, and none is sent. */
  sendMail?: SendMail | undefined;
};

const WATCH_EVERY_MS = 30_000;
const LETTERS_EVERY_MS = 30_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Work beside deliveries: watching failing endpoints, sending letters, removing old events. */
export function runUpkeep({ db, clock, log, sendMail }: UpkeepDeps): { stop(): Promise<void> } {
  const loop = (step: () => Promise<boolean>, pollMs: number, what: string): Loop =>
    runLoop({ step, pollMs, onError: (err) => log.error({ err }, `${what} failed; trying again`) });
  const letters = loop(
    async () => {
      await expireLetters(db, clock.now());
      return sendMail ? sendLetters({ db, clock, log, sendMail }) : false;
    },
    LETTERS_EVERY_MS,
    "sending letters",
  );
  let isFirst = true;
  const failing = loop(
    async () => {
      // A process that has just started sends due deliveries first: perhaps none ran for a long time.
      if (isFirst) {
        isFirst = false;
        return false;
      }
      const more = await watchFailing({ db, clock, log });
      letters.wake();
      return more;
    },
    WATCH_EVERY_MS,
    "watching failing endpoints",
  );
  const old = loop(
    async () => {
      await keepAttemptPartitions(db, clock.now());
      await keepEventPartitions(db, clock.now());
      return false;
    },
    PRUNE_EVERY_MS,
    "removing old events",
  );

  return {
    async stop() {
      await Promise.all([failing.stop(), old.stop(), letters.stop()]);
    },
  };
}
