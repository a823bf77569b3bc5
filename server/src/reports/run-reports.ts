import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { countFacts } from "./count-facts.ts";

/** How far reports are behind when everything is well. */
const COUNT_EVERY_MS = 2_000;

/** Keeps the roll-ups of the reports up to date. Any number of processes can run it. */
export const runReports = (deps: { db: Db; clock: Clock; log: Log }): Loop =>
  runLoop({
    step: () => countFacts(deps),
    pollMs: COUNT_EVERY_MS,
    onError: (err) => deps.log.error({ err }, "counting for the reports failed; it is tried again"),
  });
