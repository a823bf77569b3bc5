import type { AddressInfo } from "node:net";
import { openContext } from "../../src/bin/open-context.ts";
import { type Role, serve } from "../../src/bin/serve.ts";
import { STATEMENT_TIMEOUT_MS } from "../../src/bin/server-limits.ts";
import { readConfig } from "../../src/config.ts";
import { startWorker } from "../../src/fulfilment/start-worker.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { startWebhooks } from "../../src/webhooks/start-webhooks.ts";
import { kindWithoutRates } from "../upstream/kind-without-rates.ts";
import type { ServiceInput } from "./fork-node.ts";

/** Where browsers think that they reach the two faces. */
export const DASHBOARD_ORIGIN = "https://api.scrip.example";
export const CONSOLE_ORIGIN = "https://console.scrip.example";
const POOL_SIZE = 8;

/**
 * What `scrip start --role` runs, with everything that belongs to it: dashboard, console, jobs, prices, reports, alerts. Only the limits
 * and the clock of its machine are given.
 */
export async function startWholeServer(
  role: Role,
  input: ServiceInput & { home: NonNullable<ServiceInput["home"]> },
  clock: Clock,
): Promise<{ port: number; stop(): Promise<void> }> {
  const config = readConfig({
    DATABASE_URL: input.connectionString,
    DATA_DIR: input.home.dataDir,
    HOST: "127.0.0.1",
    PORT: String(input.port ?? 0),
    CONSOLE_PORT: String(role === "worker" ? 0 : input.home.consolePort),
    METRICS_PORT: "0",
    PUBLIC_URL: DASHBOARD_ORIGIN,
    CONSOLE_URL: CONSOLE_ORIGIN,
    RATE_LIMIT_ORDERS: "0",
    RATE_LIMIT_READS: "0",
    LOG_LEVEL: input.logLevel ?? "error",
    ...(input.allowsLoopback ? { WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" } : {}),
  });
  const context = await openContext(config, {
    mayCreate: false,
    applicationName: `scrip node ${role}`,
    poolSize: POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    tell: () => {},
    onConnectionLost: () => {},
  });
  const kindOf = input.callsFreely ? { kindOf: kindWithoutRates } : {};
  let port = 0;
  const server = await serve({ ...context, clock }, createLog(config.logLevel, process.stderr), role, {
    async listen(app, { host, port: wanted }) {
      await app.listen({ host, port: wanted });
      port = (app.server.address() as AddressInfo).port;
    },
    startWorker: (deps, limits) => startWorker({ ...deps, ...kindOf }, { ...limits, ...input.limits }),
    startWebhooks: (deps) => startWebhooks(deps, input.deliveryLimits),
  });
  return {
    port,
    async stop() {
      await server.stop();
      await context.close();
    },
  };
}
