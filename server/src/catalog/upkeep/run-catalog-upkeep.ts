import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { type Loop, runLoop } from "../../work/run-loop.ts";
import { refreshDeliveryTimes } from "./refresh-delivery-times.ts";

const REFRESH_EVERY_MS = 10 * 60_000;

/** Keeps what the catalog says about delivery times up to date. Any number of processes can run it. */
export const runCatalogUpkeep = (deps: { db: Db; clock: Clock; log: Log }): Loop =>
  runLoop({
    step: async () => {
      await refreshDeliveryTimes(deps.db, deps.clock.now());
      return false;
    },
    pollMs: REFRESH_EVERY_MS,
    onError: (err) => deps.log.error({ err }, "the upkeep of the catalog failed; it is tried again"),
  });
