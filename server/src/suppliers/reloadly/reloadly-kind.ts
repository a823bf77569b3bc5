import { systemClock } from "../../lib/clock.ts";
import { secret } from "../../lib/secret.ts";
import type { RemoteKind } from "../supplier-kind.ts";
import { parseReloadlyConfig, RELOADLY_FIELDS, reloadlyAccount } from "./reloadly-config.ts";
import { createReloadlySupplier } from "./reloadly-supplier.ts";

export const reloadlyKind: RemoteKind = {
  kind: "reloadly",
  does: "buys gift cards from Reloadly",
  hasOwnStock: false,
  canSyncCatalog: true,
  canCheckAccount: false,
  canFeedRates: false,
  takesValue: "required",
  refusesAbove: false,
  // Its report of transactions lags, and it does not promise to refuse a repeated `customIdentifier`.
  resendAfterMs: 60_000,
  refusesRepeats: false,
  configExample:
    '{"clientId": "…", "clientSecret": "…"}; "discountCredited": true where Reloadly credits its discount; "audience", "authUrl" and "baseUrl" for the sandbox',
  configFields: RELOADLY_FIELDS,
  parseConfig: parseReloadlyConfig,
  accountOf: reloadlyAccount,
  open(json, { timeoutMs, clock = systemClock }) {
    const { clientSecret, discountCredited, ...access } = parseReloadlyConfig(json);
    return createReloadlySupplier({
      access: { ...access, clientSecret: secret(clientSecret) },
      isDiscountCredited: discountCredited,
      timeoutMs,
      clock,
    });
  },
};
