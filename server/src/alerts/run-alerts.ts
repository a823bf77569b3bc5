import { Gauge } from "prom-client";
import type { Metrics } from "../http/metrics.ts";
import type { Log } from "../lib/log.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import { ALERT_KINDS } from "./conditions.ts";
import { type EvaluateDeps, evaluateAlerts } from "./evaluate-alerts.ts";
import { countOpen } from "./queries.ts";

const EVALUATE_EVERY_MS = 30_000;
/** Many processes cost no more than one or two. */
const FRESH_FOR_MS = 20_000;

/** Counts by kind. No subject is a label: it could be a supplier. */
export const createAlertMetrics = (registry: Metrics["registry"]): Gauge<"kind"> =>
  new Gauge({
    name: "scrip_alerts",
    help: "Open alerts, by kind. Every process shows the same number.",
    labelNames: ["kind"],
    aggregator: "max",
    registers: [registry],
  });

/**
 * Evaluates the conditions twice a minute. Every serving process takes part, the API too: when all workers are gone, somebody
 * must say so.
 */
export function runAlerts(deps: EvaluateDeps & { log: Log; metrics: Metrics }): Loop {
  const { db, log, metrics } = deps;
  const gauge = createAlertMetrics(metrics.registry);
  return runLoop({
    step: async () => {
      await evaluateAlerts({ ...deps, freshForMs: FRESH_FOR_MS });
      const counts = new Map((await countOpen(db)).map(({ kind, count }) => [kind, count]));
      for (const kind of ALERT_KINDS) gauge.set({ kind }, counts.get(kind) ?? 0);
      return false;
    },
    pollMs: EVALUATE_EVERY_MS,
    onError: (err) => log.error({ err }, "the alerts could not be evaluated; trying again"),
  });
}
