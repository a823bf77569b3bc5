// The API on a port, with the request log or without it, for what the log costs. The log is no setting: it is always on.
import type { AddressInfo } from "node:net";
import { buildApp } from "../../server/src/app.ts";
import { connectDatabase } from "../../server/src/db/database.ts";
import { createMetrics } from "../../server/src/http/metrics.ts";
import { loadServerSecrets } from "../../server/src/keys/server-secrets.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { createLog } from "../../server/src/lib/log.ts";
import { createCodeVault } from "../../server/src/vault/code-vault.ts";
import { openKeyring } from "../../server/src/vault/keyring.ts";
import { TEST_WEBHOOKS } from "../../server/testing/app/test-settings.ts";

const [, , dataDir = "", connectionString = "", requestLog] = process.argv;
const db = connectDatabase({
  connectionString,
  applicationName: "scrip bench server",
  poolSize: 16,
  onConnectionLost: () => {},
});
const keyring = await openKeyring([], dataDir);
const app = await buildApp({
  db,
  secrets: await loadServerSecrets(db, keyring.masterKeys()),
  keyring,
  codeVault: createCodeVault(keyring),
  clock: systemClock,
  log: createLog("warn", process.stderr),
  metrics: createMetrics(),
  baseUrl: () => "http://localhost",
  trustedProxies: [],
  rateLimits: { orders: 0, reads: 0 },
  webhooks: TEST_WEBHOOKS,
  ...(requestLog === "off" ? { requestLog: "off" as const } : {}),
  metricsArePublic: false,
  isReady: async () => true,
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`http://localhost:${(app.server.address() as AddressInfo).port}`);
process.on("SIGTERM", () => process.exit(0));
