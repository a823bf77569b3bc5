import { secret } from "../../lib/secret.ts";
import type { RemoteKind, SupplierAccount } from "../supplier-kind.ts";
import { parseScripConfig } from "./scrip-config.ts";
import { createScripSupplier } from "./scrip-supplier.ts";

export const scripKind: RemoteKind = {
  kind: "scrip",
  does: "buys from another Scrip",
  hasOwnStock: false,
  canSyncCatalog: false,
  canCheckAccount: true,
  canFeedRates: false,
  takesValue: "never",
  refusesAbove: true,
  // The other Scrip answers for an order as soon as it has accepted it, and once under one idempotency key.
  resendAfterMs: 0,
  refusesRepeats: true,
  configExample: '{"baseUrl": "https://…", "apiKey": "sc_live_…"}; "allowInsecure": true allows plain http',
  configFields: [
    {
      key: "baseUrl",
      label: "Address",
      type: "url",
      required: true,
      help: "The address of the other Scrip's API.",
    },
    {
      key: "apiKey",
      label: "API key",
      type: "secret",
      required: true,
      help: "A live key that can place orders.",
    },
    {
      key: "allowInsecure",
      label: "Allow plain http",
      type: "flag",
      required: false,
      help: "Sends the key and all codes unencrypted. Only for a private network.",
    },
  ],
  parseConfig: parseScripConfig,
  accountOf,
  open(json, { timeoutMs }) {
    const { baseUrl, apiKey } = parseScripConfig(json);
    return createScripSupplier({ baseUrl, apiKey: secret(apiKey), timeoutMs });
  },
};

/** A key does not tell its account, so any other key may belong to another account. */
function accountOf(json: unknown): SupplierAccount | undefined {
  const { baseUrl, apiKey } = (json ?? {}) as { baseUrl?: unknown; apiKey?: unknown };
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return undefined;
  return { address: new URL(baseUrl).href, holder: typeof apiKey === "string" ? apiKey : "" };
}
