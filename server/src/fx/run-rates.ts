import type { Log } from "../lib/log.ts";
import { createOpenSuppliers, type OpenSuppliersDeps } from "../suppliers/open-suppliers.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { refreshNextFeed } from "./refresh-feeds.ts";
import { type RefreshDeps, refreshReference } from "./refresh-rates.ts";

const REFRESH_EVERY_MS = 60_000;
const FEED_TIMEOUT_MS = 15_000;

export type RunRatesDeps = RefreshDeps & { log: Log; keyring: OpenSuppliersDeps["keyring"] };

/** Keeps exchange rates fresh. Any number of processes can run it. */
export function runRates({ log, keyring, ...deps }: RunRatesDeps): Pick<Loop, "stop"> {
  const suppliers = createOpenSuppliers({ db: deps.db, keyring, timeoutMs: FEED_TIMEOUT_MS });
  const loop = (step: () => Promise<boolean>, what: string): Loop =>
    runLoop({
      step,
      pollMs: REFRESH_EVERY_MS,
      // The message says why, and quotes neither address nor answer.
      onError: (error) =>
        log.warn(
          { reason: (error as Error).message },
          `${what} could not be read; the next try is in an hour`,
        ),
    });
  const loops = [
    loop(async () => {
      if (await refreshReference(deps)) log.info("reference rates were read");
      return false;
    }, "reference rates"),
    loop(() => refreshNextFeed({ ...deps, openSupplier: suppliers.open }), "the rates of a supplier"),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((one) => one.stop()));
      await suppliers.close();
    },
  };
}
