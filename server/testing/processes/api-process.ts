import type { AddressInfo } from "node:net";
import { buildApp } from "../../src/app.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { TEST_MASTER_KEY, TEST_WEBHOOKS } from "../app/test-app.ts";

/** The API in a separate process, for tests of several processes; see start-api-process. */
const [, , connectionString = ""] = process.argv;

const db = connectDatabase({
  connectionString,
  applicationName: "scrip test api",
  poolSize: 8,
  onConnectionLost: () => {},
});
const keyring = fixedKeyring([secret(TEST_MASTER_KEY)]);
const app = await buildApp({
  db,
  keyring,
  secrets: await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]),
  codeVault: createCodeVault(keyring),
  clock: systemClock,
  log: createLog("warn", process.stderr),
  metrics: createMetrics(),
  baseUrl: () => "https://api.scrip.example",
  trustedProxies: [],
  rateLimits: { orders: 0, reads: 0 },
  webhooks: TEST_WEBHOOKS,
  metricsArePublic: false,
  isReady: async () => true,
});
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });

// The test that started this process has ended or no longer needs it.
process.once("disconnect", async () => {
  await app.close();
  await db.close();
});
