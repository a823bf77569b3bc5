import { systemClock } from "../../lib/clock.ts";
import { secret } from "../../lib/secret.ts";
import type { RemoteKind } from "../supplier-kind.ts";
import { BAMBOO_FIELDS, bambooAccount, parseBambooConfig } from "./bamboo-config.ts";
import { createBambooSupplier } from "./bamboo-supplier.ts";
import { requestIdOf } from "./request-id.ts";

export const bambooKind: RemoteKind = {
  kind: "bamboo",
  does: "buys gift cards from Bamboo",
  hasOwnStock: false,
  canSyncCatalog: true,
  canCheckAccount: false,
  canFeedRates: true,
  takesValue: "required",
  refusesAbove: false,
  // Orders are made in the background, and it does not promise to refuse a repeated `RequestId`.
  resendAfterMs: 60_000,
  refusesRepeats: false,
  configExample: '{"clientId": "…", "clientSecret": "…", "accountId": "…"}; "baseUrl" for the sandbox',
  configFields: BAMBOO_FIELDS,
  parseConfig: parseBambooConfig,
  accountOf: bambooAccount,
  keyOf: requestIdOf,
  open(json, { timeoutMs, clock = systemClock }) {
    const { clientId, clientSecret, accountId, baseUrl } = parseBambooConfig(json);
    const access = { baseUrl, user: clientId, password: secret(clientSecret) };
    return createBambooSupplier({ access, accountId, timeoutMs, clock });
  },
};
