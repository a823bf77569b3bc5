import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { PricingConfig } from "../lib/settings/pricing-config.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { followSale } from "./follow-sale.ts";
import { recomputeChanged } from "./recompute-prices.ts";

/** How long a change of cost, rate or rule waits. Changes that come together are taken together. */
const RECOMPUTE_EVERY_MS = 1_000;

/** Keeps prices up to date with costs, rates and rules, and what cannot be bought with both. Any number of processes can run it. */
export const runPricing = (deps: {
  db: Db;
  clock: Clock;
  log: Log;
  settings: PricingConfig["pricing"];
}): Loop =>
  runLoop({
    step: async () => {
      const done = await recomputeChanged(deps);
      if (done && done.publish + done.withhold + done.propose > 0)
        deps.log.info(
          { published: done.publish, withheld: done.withhold, proposed: done.propose },
          "prices were worked out",
        );
      await followSale(deps);
      return false;
    },
    pollMs: RECOMPUTE_EVERY_MS,
    onError: (err) => deps.log.error({ err }, "working out prices failed; it is tried again"),
  });
