import type { Db } from "../db/database.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { createOpenSuppliers, type OpenSuppliersDeps } from "../suppliers/open-suppliers.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { BuyDeps } from "./buy/ask-supplier.ts";
import type { PriceAlert } from "./buy/guard-price.ts";
import type { FulfilmentLimits } from "./limits.ts";
import type { SettleDeps } from "./settle/settle-orders.ts";

/** Costs are shown by the statement only: logs name no cost. */
const PRICE_ALERTS: Readonly<Record<PriceAlert["alert"], string>> = {
  purchase_price_refused:
    "a supplier's price differs from the cost of the route; nothing was bought; see: scrip supplier statement",
  purchase_price_differs:
    "a supplier charged a price that differs from the cost of the route, within your maximum; see: scrip supplier statement",
  purchase_price_beyond_limit:
    "a supplier charged more than your maximum, or in another currency; the route is paused or the supplier disabled; see: scrip alert list",
};

export type SupplierCallsContext = {
  db: Db;
  clock: Clock;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  log: Log;
  /** How a kind is opened. As the registry has it, unless a test says otherwise. */
  kindOf?: OpenSuppliersDeps["kindOf"];
};

/** Asks suppliers, and settles what they say. */
export type SupplierCalls = BuyDeps & SettleDeps;

/** What a process needs to call suppliers and to settle what they say. `closeSuppliers` waits for calls that are under way. */
export function createSupplierCalls(
  { db, clock, secrets, keyring, codeVault, log, kindOf }: SupplierCallsContext,
  limits: FulfilmentLimits,
): SupplierCalls & { closeSuppliers: () => Promise<void> } {
  const suppliers = createOpenSuppliers({
    db,
    keyring,
    timeoutMs: limits.callTimeoutMs,
    ...(kindOf ? { kindOf } : {}),
    onUnusable: (reason) =>
      log.error(
        { alert: "supplier_unusable", reason },
        "a supplier's config is invalid; nothing is bought there",
      ),
    onCloseFailed: (err) => log.warn({ err }, "a supplier was not closed cleanly"),
  });
  return {
    db,
    clock,
    codeVault,
    limits,
    openSupplier: suppliers.open,
    closeSuppliers: suppliers.close,
    digestCode: createCodeDigest(secrets.codeDigestKey),
    onDamaged: (codeId) =>
      log.error({ alert: "code_damaged", codeId }, "a code in stock does not open and was set aside"),
    // By id only: `scrip supplier list` shows the name.
    onBreakerOpened: (supplierId, failure) =>
      log.warn(
        { alert: "supplier_failing", supplierId, failure },
        "a supplier keeps failing and is paused; see: scrip supplier list",
      ),
    onPriceAlert: ({ alert, unit }) => log.error({ alert, ...unit }, PRICE_ALERTS[alert]),
  };
}
