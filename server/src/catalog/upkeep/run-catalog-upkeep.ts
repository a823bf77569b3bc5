import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { runLoop } from "../../work/run-loop.ts";
import { announceChanges } from "../changes/announce-changes.ts";
import { refreshDeliveryTimes } from "./refresh-delivery-times.ts";

const REFRESH_EVERY_MS = 10 * 60_000;
const ANNOUNCE_EVERY_MS = 5_000;

/** Keeps delivery times up to date and tells endpoints of changes. Any number of processes can run it. */
export function runCatalogUpkeep(deps: { db: Db; clock: Clock; log: Log }): { stop(): Promise<void> } {
  const onError = (err: unknown) =>
    deps.log.error({ err }, "the upkeep of the catalog failed; it is tried again");
  const times = runLoop({
    step: async () => {
      await refreshDeliveryTimes(deps.db, deps.clock.now());
      return false;
    },
    pollMs: REFRESH_EVERY_MS,
    onError,
  });
  const notices = runLoop({ step: () => announceChanges(deps), pollMs: ANNOUNCE_EVERY_MS, onError });
  return {
    async stop() {
      await Promise.all([times.stop(), notices.stop()]);
    },
  };
}
