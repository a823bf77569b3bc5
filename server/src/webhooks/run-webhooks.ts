import { type Loop, runLoop } from "../work/run-loop.ts";
import { createDeliverer, type DeliverDeps } from "./delivery/deliver-lanes.ts";
import { readDeliveryBacklog } from "./delivery/lane-queries.ts";
import { runUpkeep, type UpkeepDeps } from "./run-upkeep.ts";
import { DELIVERIES_CHANNEL } from "./settings.ts";

export type RunningWebhooks = {
  /** Starts no further deliveries and waits for those in progress, up to the timeout. Another process repeats the rest. */
  stop(timeoutMs: number): Promise<void>;
};

const SHOW_EVERY_MS = 10_000;

/** The deliveries of a process, and its upkeep. */
export function runWebhooks(deps: DeliverDeps & UpkeepDeps): RunningWebhooks {
  const { db, log, limits, clock, metrics } = deps;
  const deliverer = createDeliverer({ ...deps, onLaneFree: () => deliveries.wake() });
  const loop = (step: () => Promise<boolean>, pollMs: number, what: string): Loop =>
    runLoop({ step, pollMs, onError: (err) => log.error({ err }, `${what} failed; trying again`) });
  const deliveries = loop(() => deliverer.step(), limits.pollMs, "delivering");
  const backlog = loop(
    async () => {
      metrics.show(await readDeliveryBacklog(db, clock.now()));
      return false;
    },
    SHOW_EVERY_MS,
    "counting deliveries",
  );
  const upkeep = runUpkeep(deps);
  const listener = db.listen(DELIVERIES_CHANNEL, () => deliveries.wake());

  return {
    async stop(timeoutMs) {
      const loops = [listener.close(), deliveries.stop(), backlog.stop(), upkeep.stop()];
      // Again once no step can start: a step that was running may have taken lanes meanwhile.
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
