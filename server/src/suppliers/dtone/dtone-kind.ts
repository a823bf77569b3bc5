import { systemClock } from "../../lib/clock.ts";
import { secret } from "../../lib/secret.ts";
import type { RemoteKind } from "../supplier-kind.ts";
import { DTONE_FIELDS, dtoneAccount, parseDtoneConfig } from "./dtone-config.ts";
import { createDtoneSupplier } from "./dtone-supplier.ts";

export const dtoneKind: RemoteKind = {
  kind: "dtone",
  does: "buys top-ups and vouchers from DT One",
  hasOwnStock: false,
  canSyncCatalog: true,
  canCheckAccount: false,
  canFeedRates: false,
  takesValue: "never",
  refusesAbove: false,
  // It refuses an `external_id` that has been used (1007001), and lists transactions that are under way.
  resendAfterMs: 30_000,
  refusesRepeats: true,
  configExample: '{"apiKey": "…", "apiSecret": "…"}; "baseUrl" for pre-production',
  configFields: DTONE_FIELDS,
  parseConfig: parseDtoneConfig,
  accountOf: dtoneAccount,
  open(json, { timeoutMs, clock = systemClock }) {
    const { apiKey, apiSecret, baseUrl } = parseDtoneConfig(json);
    const access = { baseUrl, user: apiKey, password: secret(apiSecret) };
    return createDtoneSupplier({ access, timeoutMs, clock });
  },
};
