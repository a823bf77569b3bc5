// An API or a worker in a separate process, which can be killed; see node.ts. Its clock can be shifted.
import type { AddressInfo } from "node:net";
import { buildApp } from "../server/src/app.ts";
import { connectDatabase } from "../server/src/db/database.ts";
import { describeProcess } from "../server/src/db/primary/serving-process.ts";
import type { FulfilmentLimits } from "../server/src/fulfilment/limits.ts";
import { startWorker } from "../server/src/fulfilment/start-worker.ts";
import { createMetrics } from "../server/src/http/metrics.ts";
import { loadServerSecrets } from "../server/src/keys/server-secrets.ts";
import { createLog } from "../server/src/lib/log.ts";
import { secret } from "../server/src/lib/secret.ts";
import { createCodeVault } from "../server/src/vault/code-vault.ts";
import { fixedKeyring } from "../server/src/vault/keyring.ts";
import { startWebhooks } from "../server/src/webhooks/start-webhooks.ts";
import { TEST_MASTER_KEY, TEST_WEBHOOKS } from "../server/testing/app/test-app.ts";
import { LOOPBACK } from "../server/testing/builders/delivery.ts";

export type NodeInput = {
  role: "api" | "worker";
  connectionString: string;
  /** 0 uses a free port. */
  port: number;
  clockOffsetMs: number;
  limits: Partial<FulfilmentLimits>;
};
export type NodeMessage = { clockOffsetMs: number } | "sample";
/** The memory and handles of a process, after garbage collection where it can be triggered. */
export type NodeSample = { heapBytes: number; rssBytes: number; handles: number };

const input = JSON.parse(process.argv[2] ?? "") as NodeInput;
let { clockOffsetMs } = input;
process.on("message", (message: NodeMessage) => {
  if (message === "sample") process.send?.({ sample: takeSample() });
  else clockOffsetMs = message.clockOffsetMs;
});
const masterKeys = [secret(TEST_MASTER_KEY)] as const;
const keyring = fixedKeyring(masterKeys);
const db = connectDatabase({
  connectionString: input.connectionString,
  applicationName: `scrip chaos ${input.role}`,
  poolSize: 8,
  onConnectionLost: () => {},
});
await db.watchPrimary(describeProcess(input.role), { onBeat() {}, onDoubt() {}, onConfirmed() {} });
const context = {
  db,
  keyring,
  codeVault: createCodeVault(keyring),
  secrets: await loadServerSecrets(db, masterKeys),
  clock: { now: () => new Date(Date.now() + clockOffsetMs) },
  log: createLog("error", process.stderr),
  metrics: createMetrics(),
};
const stop = input.role === "api" ? await serve() : work();
process.once("disconnect", async () => {
  await stop();
  await db.close();
  process.exit();
});

function takeSample(): NodeSample {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed + external,
    rssBytes: rss,
    handles: process.getActiveResourcesInfo().length,
  };
}

async function serve(): Promise<() => Promise<void>> {
  const app = await buildApp({
    ...context,
    baseUrl: () => "https://api.scrip.example",
    trustedProxies: [],
    rateLimits: { orders: 0, reads: 0 },
    webhooks: { ...TEST_WEBHOOKS, allowNetworks: LOOPBACK },
    metricsArePublic: false,
    isReady: async () => true,
  });
  await app.listen({ host: "127.0.0.1", port: input.port });
  process.send?.({ port: (app.server.address() as AddressInfo).port });
  return () => app.close();
}

function work(): () => Promise<void> {
  const orders = startWorker(context, input.limits);
  const deliveries = startWebhooks({ ...context, allowNetworks: LOOPBACK });
  process.send?.({ port: 0 });
  return async () => {
    await Promise.all([orders.stop(5_000), deliveries.stop(5_000)]);
  };
}
