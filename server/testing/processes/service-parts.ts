import type { AddressInfo } from "node:net";
import { connectDatabase } from "../../src/db/database.ts";
import { describeProcess } from "../../src/db/primary/serving-process.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { LOOPBACK, TEST_MASTER_KEY, TEST_WEBHOOKS } from "../app/test-settings.ts";
import type { ServiceInput, ServiceRole } from "./fork-node.ts";

export type RunningParts = { port: number; stop(): Promise<void> };

type Context = Awaited<ReturnType<typeof openParts>>;
type Part = (context: Context, input: ServiceInput) => Promise<{ port?: number; stop(): Promise<unknown> }>;

const STOP_WITHIN_MS = 5_000;

/** The parts of the service that a role needs, and no others. */
export async function startParts(
  role: ServiceRole,
  input: ServiceInput,
  clock: Clock,
): Promise<RunningParts> {
  const context = await openParts(role, input, clock);
  const parts: Awaited<ReturnType<Part>>[] = [];
  for (const start of PARTS[role]) parts.push(await start(context, input));
  return {
    port: parts.find((part) => part.port !== undefined)?.port ?? 0,
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await context.db.close();
    },
  };
}

async function openParts(role: ServiceRole, input: ServiceInput, clock: Clock) {
  const masterKeys = [secret(TEST_MASTER_KEY)] as const;
  const keyring = fixedKeyring(masterKeys);
  const db = connectDatabase({
    connectionString: input.connectionString,
    applicationName: `scrip node ${role}`,
    poolSize: 8,
    onConnectionLost: () => {},
  });
  if (input.watchesPrimary && (role === "api" || role === "worker"))
    await db.watchPrimary(describeProcess(role), { onBeat() {}, onDoubt() {}, onConfirmed() {} });
  return {
    db,
    keyring,
    codeVault: createCodeVault(keyring),
    secrets: await loadServerSecrets(db, masterKeys),
    clock,
    log: createLog(input.logLevel ?? "error", process.stderr),
    metrics: createMetrics(),
    allowNetworks: input.allowsLoopback ? LOOPBACK : [],
  };
}

const serve: Part = async ({ allowNetworks, ...context }, input) => {
  const { buildApp } = await import("../../src/app.ts");
  const app = await buildApp({
    ...context,
    baseUrl: () => "https://api.scrip.example",
    trustedProxies: [],
    rateLimits: { orders: 0, reads: 0 },
    webhooks: { ...TEST_WEBHOOKS, allowNetworks },
    metricsArePublic: false,
    isReady: async () => true,
  });
  await app.listen({ host: "127.0.0.1", port: input.port ?? 0 });
  return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() };
};

const fulfil: Part = async (context, input) => {
  const { startWorker } = await import("../../src/fulfilment/start-worker.ts");
  const { kindWithoutRates } = await import("../upstream/kind-without-rates.ts");
  const kindOf = input.callsFreely ? { kindOf: kindWithoutRates } : {};
  const worker = startWorker({ ...context, ...kindOf }, input.limits);
  return { stop: () => worker.stop(STOP_WITHIN_MS) };
};

const deliver: Part = async (context, input) => {
  const { startWebhooks } = await import("../../src/webhooks/start-webhooks.ts");
  const deliveries = startWebhooks(context, input.deliveryLimits);
  return { stop: () => deliveries.stop(STOP_WITHIN_MS) };
};

const PARTS: Readonly<Record<ServiceRole, readonly Part[]>> = {
  api: [serve],
  worker: [fulfil, deliver],
  server: [serve, fulfil],
  deliveries: [deliver],
  buyer: [fulfil],
};
