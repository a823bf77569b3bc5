import { parseConfigFields } from "../calls/parse-config.ts";
import type { ConfigField, SupplierAccount } from "../supplier-kind.ts";

export type BambooConfig = { clientId: string; clientSecret: string; accountId: string; baseUrl: string };

const BASE_URL = "https://api.bamboocardportal.com";

export const BAMBOO_FIELDS: readonly ConfigField[] = [
  {
    key: "clientId",
    label: "Client ID",
    type: "text",
    required: true,
    help: "From the API page of the Bamboo portal. The sandbox and the live system have different ones.",
  },
  {
    key: "clientSecret",
    label: "Client secret",
    type: "secret",
    required: true,
    help: "From the same page. It is sealed and never shown again.",
  },
  {
    key: "accountId",
    label: "Account ID",
    type: "text",
    required: true,
    help: "The number of the account that pays. Each currency has one, and the sandbox has others than the live system.",
  },
  {
    key: "baseUrl",
    label: "Address",
    type: "url",
    required: false,
    help: "The address of the API, without /api.",
    fallback: BASE_URL,
  },
];

export function parseBambooConfig(json: unknown): BambooConfig {
  const {
    clientId = "",
    clientSecret = "",
    accountId = "",
    baseUrl = BASE_URL,
  } = parseConfigFields(json, BAMBOO_FIELDS);
  // RFC 7617: a colon would move part of the id into the password.
  if (clientId.includes(":")) throw new RangeError("clientId must not contain a colon");
  if (!/^\d{1,15}$/.test(accountId)) throw new RangeError("accountId must be a number");
  return { clientId, clientSecret, accountId, baseUrl };
}

/** The account is known by its number; the credentials can be replaced. */
export function bambooAccount(json: unknown): SupplierAccount | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { accountId, baseUrl = BASE_URL } = json as { accountId?: unknown; baseUrl?: unknown };
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return undefined;
  if (typeof accountId !== "string" && typeof accountId !== "number") return undefined;
  return { address: new URL(baseUrl).href, holder: String(accountId) };
}
