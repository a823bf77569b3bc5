import { createAnnouncer } from "../db/announce.ts";
import type { Db } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import { DELIVERIES_CHANNEL } from "../webhooks/channel.ts";
import { createFulfilmentMetrics } from "./fulfilment-metrics.ts";
import { FULFILMENT_LIMITS, type FulfilmentLimits } from "./limits.ts";
import { openSupplier } from "./open-supplier.ts";
import { type RunningFulfilment, runFulfilment } from "./run-fulfilment.ts";

export type WorkerContext = {
  db: Db;
  clock: Clock;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  log: Log;
  metrics: Metrics;
};

/** Fulfilment with everything that it needs, out of a server's context. */
export function startWorker(
  { db, clock, secrets, keyring, codeVault, log, metrics }: WorkerContext,
  changes: Partial<FulfilmentLimits> = {},
): RunningFulfilment {
  const limits = { ...FULFILMENT_LIMITS, ...changes };
  return runFulfilment({
    db,
    clock,
    codeVault,
    log,
    limits,
    metrics: createFulfilmentMetrics(metrics.registry),
    openSupplier: (supplierId) => openSupplier(db, keyring, supplierId, limits.callTimeoutMs),
    digestCode: createCodeDigest(secrets.codeDigestKey),
    onEnded: createAnnouncer(db, DELIVERIES_CHANNEL),
    onDamaged: (codeId) =>
      log.error({ alert: "code_damaged", codeId }, "a code in stock does not open and was set aside"),
    // By id alone: whose it is, only `scrip supplier list` tells.
    onBreakerOpened: (supplierId, failure) =>
      log.warn(
        { alert: "supplier_failing", supplierId, failure },
        "a supplier keeps failing and is left alone for a while; see: scrip supplier list",
      ),
  });
}
