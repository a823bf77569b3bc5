import { createAnnouncer } from "../db/announce.ts";
import type { Db } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { createOpenSuppliers } from "../suppliers/open-suppliers.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import { DELIVERIES_CHANNEL } from "../webhooks/settings.ts";
import type { PriceAlert } from "./buy/guard-price.ts";
import { createFulfilmentMetrics } from "./fulfilment-metrics.ts";
import { FULFILMENT_LIMITS, type FulfilmentLimits } from "./limits.ts";
import { type RunningFulfilment, runFulfilment } from "./run-fulfilment.ts";

/** Costs are shown by the statement only: logs name no cost. */
const PRICE_ALERTS: Readonly<Record<PriceAlert["alert"], string>> = {
  purchase_price_refused:
    "a supplier's price differs from the cost of the route; nothing was bought; see: scrip supplier statement",
  purchase_price_differs:
    "a supplier charged a price that differs from the cost of the route, within your maximum; see: scrip supplier statement",
  purchase_price_beyond_limit:
    "a supplier charged more than your maximum, or in another currency, and is now disabled; see: scrip supplier statement",
};

export type WorkerContext = {
  db: Db;
  clock: Clock;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  log: Log;
  metrics: Metrics;
};

/** Starts fulfilment with the dependencies of a server. */
export function startWorker(
  { db, clock, secrets, keyring, codeVault, log, metrics }: WorkerContext,
  changes: Partial<FulfilmentLimits> = {},
): RunningFulfilment {
  const limits = { ...FULFILMENT_LIMITS, ...changes };
  const suppliers = createOpenSuppliers({
    db,
    keyring,
    timeoutMs: limits.callTimeoutMs,
    onUnusable: (reason) =>
      log.error(
        { alert: "supplier_unusable", reason },
        "a supplier's config is invalid; nothing is bought there",
      ),
    onCloseFailed: (err) => log.warn({ err }, "a supplier was not closed cleanly"),
  });
  return runFulfilment({
    db,
    clock,
    codeVault,
    log,
    limits,
    metrics: createFulfilmentMetrics(metrics.registry),
    openSupplier: suppliers.open,
    closeSuppliers: suppliers.close,
    digestCode: createCodeDigest(secrets.codeDigestKey),
    onEnded: createAnnouncer(db, DELIVERIES_CHANNEL),
    onDamaged: (codeId) =>
      log.error({ alert: "code_damaged", codeId }, "a code in stock does not open and was set aside"),
    // By id only: `scrip supplier list` shows the name.
    onBreakerOpened: (supplierId, failure) =>
      log.warn(
        { alert: "supplier_failing", supplierId, failure },
        "a supplier keeps failing and is paused; see: scrip supplier list",
      ),
    onPriceAlert: ({ alert, unit }) => log.error({ alert, ...unit }, PRICE_ALERTS[alert]),
  });
}
