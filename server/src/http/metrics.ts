import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, type Metric, Registry } from "prom-client";
import { createLatencies, type Latencies } from "./latencies.ts";

export type Metrics = {
  registry: Registry;
  requestLatencies: Latencies;
  /** The text of /metrics. */
  print: () => Promise<string>;
};

/** The metrics of this process. `print` is given when it is one of several and /metrics shows the sums. */
export function createMetrics(print?: () => Promise<string>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestLatencies = createLatencies(
    "scrip_http_request_duration_seconds",
    "Time from the first byte of a request to the end of its response.",
  );
  registry.registerMetric(requestLatencies.metric as unknown as Metric);
  return { registry, requestLatencies, print: print ?? (() => registry.metrics()) };
}

export function metricsRoute(app: FastifyInstance, { registry, print }: Metrics): void {
  app.get("/metrics", { logLevel: "warn" }, async (_request, reply) =>
    reply.type(registry.contentType).send(await print()),
  );
}
