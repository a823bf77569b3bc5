import type { Log } from "../lib/log.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { type RefreshDeps, refreshReference } from "./refresh-rates.ts";

const REFRESH_EVERY_MS = 60_000;

/** Keeps reference rates fresh. Any number of processes can run it. */
export const runRates = ({ log, ...deps }: RefreshDeps & { log: Log }): Loop =>
  runLoop({
    step: async () => {
      if (await refreshReference(deps)) log.info("reference rates were read");
      return false;
    },
    pollMs: REFRESH_EVERY_MS,
    // The message says why, and quotes neither address nor answer.
    onError: (error) =>
      log.warn(
        { reason: (error as Error).message },
        "reference rates could not be read; they are tried again in an hour",
      ),
  });
