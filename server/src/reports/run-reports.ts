import type { Log } from "../lib/log.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { type CountDeps, countFacts } from "./count-facts.ts";

/** How far reports are behind when everything is well. */
const COUNT_EVERY_MS = 2_000;

/** Keeps the roll-ups of the reports up to date. Any number of processes can run it. */
export const runReports = (deps: CountDeps & { log: Log }): Loop =>
  runLoop({
    step: () => countFacts(deps),
    pollMs: COUNT_EVERY_MS,
    onError: (err) => deps.log.error({ err }, "counting for the reports failed; it is tried again"),
  });
