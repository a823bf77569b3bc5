import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { bareApp } from "../http/bare-app.ts";
import { type Metrics, metricsRoute } from "../http/metrics.ts";
import type { Log } from "../lib/log.ts";

/** /metrics has its own port, on loopback by default (METRICS_HOST). METRICS_PORT can put it on the public port. */
export async function serveMetrics(
  config: Config,
  metrics: Metrics,
  log: Log,
): Promise<FastifyInstance | undefined> {
  if (config.metricsPort === 0 || config.metricsPort === config.port) return undefined;
  const app = bareApp((bare) => metricsRoute(bare, metrics));
  try {
    await app.listen({ host: config.metricsHost, port: config.metricsPort });
    return app;
  } catch (error) {
    if (config.metricsPortWasAsked) {
      throw new Error(`METRICS_PORT ${config.metricsPort} cannot be used: ${(error as Error).message}`);
    }
    log.warn(
      { port: config.metricsPort },
      "metrics are not served: the port is in use; set METRICS_PORT to a free port",
    );
    return undefined;
  }
}
