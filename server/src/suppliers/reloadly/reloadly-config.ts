import { parseConfigFields } from "../calls/parse-config.ts";
import type { ConfigField, SupplierAccount } from "../supplier-kind.ts";

export type ReloadlyConfig = {
  clientId: string;
  clientSecret: string;
  audience: string;
  /** Where a token comes from, with its path. */
  tokenUrl: string;
  baseUrl: string;
  /** What Reloadly calls a discount comes back to the wallet that pays. */
  discountCredited: boolean;
};

const BASE_URL = "https://giftcards.reloadly.com";
const AUTH_URL = "https://auth.reloadly.com";
const TOKEN_PATH = "/oauth/token";

export const RELOADLY_FIELDS: readonly ConfigField[] = [
  {
    key: "clientId",
    label: "Client ID",
    type: "text",
    required: true,
    help: "From Developers, API settings in the Reloadly dashboard.",
  },
  {
    key: "clientSecret",
    label: "Client secret",
    type: "secret",
    required: true,
    help: "From the same page. It is sealed and never shown again.",
  },
  {
    key: "audience",
    label: "Audience",
    type: "text",
    required: false,
    help: "What the token is for. Reloadly gives out tokens for gift cards and top-ups separately.",
    fallback: BASE_URL,
  },
  {
    key: "authUrl",
    label: "Sign-in address",
    type: "url",
    required: false,
    help: "Where tokens come from. Change it for tests only.",
    fallback: AUTH_URL,
  },
  {
    key: "baseUrl",
    label: "Address",
    type: "url",
    required: false,
    help: "The address of the gift card API. The sandbox is https://giftcards-sandbox.reloadly.com.",
    fallback: BASE_URL,
  },
  {
    key: "discountCredited",
    label: "The discount is credited",
    type: "flag",
    required: false,
    help: "Costs and charges are less Reloadly's discount. Ask Reloadly first: if it is not credited, you sell below cost.",
  },
];

/** An address that is not Reloadly's signs in at the same address, so that the secret does not go elsewhere. */
export function parseReloadlyConfig(json: unknown): ReloadlyConfig {
  const members = parseConfigFields(json, RELOADLY_FIELDS);
  const { clientId = "", clientSecret = "", baseUrl = BASE_URL } = members;
  const isReloadly = /(^|\.)reloadly\.com$/.test(new URL(baseUrl).hostname);
  const authUrl = members.authUrl ?? (isReloadly ? AUTH_URL : new URL(baseUrl).origin);
  return {
    clientId,
    clientSecret,
    audience: members.audience ?? (isReloadly ? baseUrl : BASE_URL),
    tokenUrl: authUrl.endsWith(TOKEN_PATH) ? authUrl : `${authUrl}${TOKEN_PATH}`,
    baseUrl,
    discountCredited: members.discountCredited === "true",
  };
}

/** The secret can be replaced; the client id names the account. */
export function reloadlyAccount(json: unknown): SupplierAccount | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { clientId, baseUrl = BASE_URL } = json as { clientId?: unknown; baseUrl?: unknown };
  if (typeof clientId !== "string" || typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return undefined;
  return { address: new URL(baseUrl).href, holder: clientId };
}
