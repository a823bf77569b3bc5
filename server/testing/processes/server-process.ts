import type { AddressInfo } from "node:net";
import { buildApp } from "../../src/app.ts";
import { connectDatabase } from "../../src/db/database.ts";
import type { FulfilmentLimits } from "../../src/fulfilment/limits.ts";
import { startWorker } from "../../src/fulfilment/start-worker.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { TEST_MASTER_KEY, TEST_WEBHOOKS } from "../app/test-app.ts";

/** API and worker in a separate process that can be killed; see start-server-process. */
export type ServerProcessInput = {
  connectionString: string;
  /** 0 picks a free port. */
  port: number;
  limits: Partial<FulfilmentLimits>;
};

const { connectionString, port, limits } = JSON.parse(process.argv[2] ?? "") as ServerProcessInput;
const db = connectDatabase({
  connectionString,
  applicationName: "scrip test server",
  poolSize: 8,
  onConnectionLost: () => {},
});
const masterKeys = [secret(TEST_MASTER_KEY)] as const;
const keyring = fixedKeyring(masterKeys);
const context = {
  db,
  keyring,
  codeVault: createCodeVault(keyring),
  secrets: await loadServerSecrets(db, masterKeys),
  clock: systemClock,
  log: createLog("error", process.stderr),
  metrics: createMetrics(),
};
const app = await buildApp({
  ...context,
  baseUrl: () => "https://api.scrip.example",
  trustedProxies: [],
  rateLimits: { orders: 0, reads: 0 },
  webhooks: TEST_WEBHOOKS,
  metricsArePublic: false,
  isReady: async () => true,
});
await app.listen({ host: "127.0.0.1", port });
const worker = startWorker(context, limits);
process.send?.({ port: (app.server.address() as AddressInfo).port });

process.once("disconnect", async () => {
  await Promise.all([app.close(), worker.stop(5_000)]);
  await db.close();
});
