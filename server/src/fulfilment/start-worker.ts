import { createAnnouncer } from "../db/announce.ts";
import type { Metrics } from "../http/metrics.ts";
import { DELIVERIES_CHANNEL } from "../webhooks/settings.ts";
import { createFulfilmentMetrics } from "./fulfilment-metrics.ts";
import { FULFILMENT_LIMITS, type FulfilmentLimits } from "./limits.ts";
import { type RunningFulfilment, runFulfilment } from "./run-fulfilment.ts";
import { createSupplierCalls, type SupplierCallsContext } from "./supplier-calls.ts";

export type WorkerContext = SupplierCallsContext & { metrics: Metrics };

/** Starts fulfilment with the dependencies of a server. */
export function startWorker(
  context: WorkerContext,
  changes: Partial<FulfilmentLimits> = {},
): RunningFulfilment {
  return runFulfilment({
    ...createSupplierCalls(context, { ...FULFILMENT_LIMITS, ...changes }),
    log: context.log,
    metrics: createFulfilmentMetrics(context.metrics.registry),
    onEnded: createAnnouncer(context.db, DELIVERIES_CHANNEL),
  });
}
