// A process of the service in one of its roles, to be killed; see fork-node. What only one role needs is loaded by it alone.
import type { AddressInfo } from "node:net";
import { endAtOnce } from "../../src/bin/end-at-once.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { describeProcess } from "../../src/db/primary/serving-process.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { LOOPBACK, TEST_MASTER_KEY, TEST_WEBHOOKS } from "../app/test-settings.ts";
import type { NodeSample, ReadyMessage, ServiceInput, ServiceMessage, ServiceRole } from "./fork-node.ts";

const STOP_WITHIN_MS = 5_000;
const { role, input } = JSON.parse(process.argv[2] ?? "") as { role: ServiceRole; input: ServiceInput };
let { clockOffsetMs = 0 } = input;
endAtOnce();
process.on("message", (message: ServiceMessage) => {
  if (message === "sample") process.send?.(takeSample());
  else clockOffsetMs = message.clockOffsetMs;
});
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
const context = {
  db,
  keyring,
  codeVault: createCodeVault(keyring),
  secrets: await loadServerSecrets(db, masterKeys),
  clock: { now: () => new Date(Date.now() + clockOffsetMs) },
  log: createLog(input.logLevel ?? "error", process.stderr),
  metrics: createMetrics(),
};
const allowNetworks = input.allowsLoopback ? LOOPBACK : [];
const PARTS: Record<ServiceRole, readonly Part[]> = {
  api: [serve],
  worker: [fulfil, deliver],
  server: [serve, fulfil],
  deliveries: [deliver],
  buyer: [fulfil],
};
const parts: Awaited<ReturnType<Part>>[] = [];
for (const start of PARTS[role]) parts.push(await start());
const port = parts.find((part) => part.port !== undefined)?.port ?? 0;
process.send?.({ ready: { port } } satisfies ReadyMessage);

// The one who started this process is gone or done with it.
process.once("disconnect", async () => {
  await Promise.all(parts.map((part) => part.stop()));
  await db.close();
  process.exit();
});

type Part = () => Promise<{ port?: number; stop(): Promise<unknown> }>;

async function serve(): ReturnType<Part> {
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
}

async function fulfil(): ReturnType<Part> {
  const { startWorker } = await import("../../src/fulfilment/start-worker.ts");
  const { kindWithoutRates } = await import("../upstream/kind-without-rates.ts");
  const kindOf = input.callsFreely ? { kindOf: kindWithoutRates } : {};
  const worker = startWorker({ ...context, ...kindOf }, input.limits);
  return { stop: () => worker.stop(STOP_WITHIN_MS) };
}

async function deliver(): ReturnType<Part> {
  const { startWebhooks } = await import("../../src/webhooks/start-webhooks.ts");
  const deliveries = startWebhooks({ ...context, allowNetworks }, input.deliveryLimits);
  return { stop: () => deliveries.stop(STOP_WITHIN_MS) };
}

function takeSample(): NodeSample {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed + external,
    rssBytes: rss,
    handles: process.getActiveResourcesInfo().length,
  };
}
