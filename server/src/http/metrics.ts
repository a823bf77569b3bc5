import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, type Metric, Registry } from "prom-client";
import { createLatencies, type Latencies } from "./latencies.ts";

export type Metrics = { registry: Registry; requestLatencies: Latencies };

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestLatencies = createLatencies(
    "scrip_http_request_duration_seconds",
    "Time from the first byte of a request to the end of its response.",
  );
  registry.registerMetric(requestLatencies.metric as unknown as Metric);
  return { registry, requestLatencies };
}

export function metricsRoute(app: FastifyInstance, { registry }: Metrics): void {
  app.get("/metrics", { logLevel: "warn" }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
