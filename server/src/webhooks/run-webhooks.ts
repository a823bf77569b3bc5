import { type Loop, runLoop } from "../work/run-loop.ts";
import { createDeliverer, type DeliverDeps } from "./delivery/deliver-lanes.ts";
import { readDeliveryBacklog } from "./delivery/lane-queries.ts";
import { runUpkeep, type UpkeepDeps } from "./run-upkeep.ts";
import { DELIVERIES_CHANNEL } from "./settings.ts";

export type RunningWebhooks = {
  /** Begins no further deliveries and waits for those under way, at most so long; what is left is repeated by others. */
  stop(timeoutMs: number): Promise<void>;
};

const SHOW_EVERY_MS = 10_000;

/** The deliveries of a process, and the watch over endpoints that fail. */
export function runWebhooks(deps: DeliverDeps & UpkeepDeps): RunningWebhooks {
  const { db, log, limits, clock, metrics } = deps;
  const deliverer = createDeliverer({ ...deps, onLaneFree: () => deliveries.wake() });
  const loop = (step: () => Promise<boolean>, pollMs: number, what: string): Loop =>
    runLoop({ step, pollMs, onError: (err) => log.error({ err }, `${what} failed; it is tried again`) });
  const deliveries = loop(() => deliverer.step(), limits.pollMs, "delivery");
  const backlog = loop(
    async () => {
      metrics.show(await readDeliveryBacklog(db, clock.now()));
      return false;
    },
    SHOW_EVERY_MS,
    "the count of deliveries",
  );
  const upkeep = runUpkeep(deps);
  const listener = db.listen(DELIVERIES_CHANNEL, () => deliveries.wake());

  return {
    async stop(timeoutMs) {
      const loops = [listener.close(), deliveries.stop(), backlog.stop(), upkeep.stop()];
      // Once more when none can begin: a step that was under way may have taken lanes meanwhile.
      const done = Promise.all([deliverer.stop(), ...loops]).then(() => deliverer.idle());
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([done, tooLong]);
      clearTimeout(timer);
    },
  };
}
