import { parseConfigFields } from "../calls/parse-config.ts";
import type { ConfigField, SupplierAccount } from "../supplier-kind.ts";

export type DtoneConfig = { apiKey: string; apiSecret: string; baseUrl: string };

const BASE_URL = "https://dvs-api.dtone.com";

export const DTONE_FIELDS: readonly ConfigField[] = [
  {
    key: "apiKey",
    label: "API key",
    type: "text",
    required: true,
    help: "From the account page of DT One's portal.",
  },
  {
    key: "apiSecret",
    label: "API secret",
    type: "secret",
    required: true,
    help: "From the same page. It is sealed and never shown again.",
  },
  {
    key: "baseUrl",
    label: "Address",
    type: "url",
    required: false,
    help: "The address of the API, without /v1. Pre-production has its own.",
    fallback: BASE_URL,
  },
];

export function parseDtoneConfig(json: unknown): DtoneConfig {
  const { apiKey = "", apiSecret = "", baseUrl = BASE_URL } = parseConfigFields(json, DTONE_FIELDS);
  // RFC 7617: a colon would move part of the key into the password.
  if (apiKey.includes(":")) throw new RangeError("apiKey must not contain a colon");
  return { apiKey, apiSecret, baseUrl };
}

/** A key does not tell its account, so any other key may belong to another account. */
export function dtoneAccount(json: unknown): SupplierAccount | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { apiKey, baseUrl = BASE_URL } = json as { apiKey?: unknown; baseUrl?: unknown };
  if (typeof apiKey !== "string" || typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return undefined;
  return { address: new URL(baseUrl).href, holder: apiKey };
}
