import { isIP } from "node:net";
import type { IpRange } from "../../lib/ip.ts";
import { isInNetworks, isPublicUnicast } from "./public-address.ts";
import { HTTPS_PORT, isWebhookPort } from "./service-ports.ts";

/** `hostname` is a name or an address to connect to, an IPv6 one without its brackets. */
export type WebhookUrl = { url: URL; hostname: string; port: number };
export type WebhookUrlRefusal =
  | "too_long"
  | "characters"
  | "scheme"
  | "fragment"
  | "userinfo"
  | "port"
  | "host_form"
  | "not_public"
  | "reserved_name";
export type ParsedWebhookUrl = ({ ok: true } & WebhookUrl) | { ok: false; reason: WebhookUrlRefusal };

export const WEBHOOK_URL_LENGTH_MAX = 2_048;

/**
 * CONTRACT 6, as far as the text shows; resolveWebhookHost checks what a name resolves to. The text is taken apart before
 * the URL parser sees it, because that parser repairs what it reads: it drops tabs, turns backslashes into slashes, and
 * turns 0x7f.1 into 127.0.0.1. With allowed networks a reserved name passes, since it can resolve into them.
 */
export function parseWebhookUrl(text: string, allowNetworks: readonly IpRange[] = []): ParsedWebhookUrl {
  if (text.length > WEBHOOK_URL_LENGTH_MAX) return refuse("too_long");
  if (DROPPED_OR_REPLACED.test(text)) return refuse("characters");
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return refuse("scheme");
  // The parser drops an empty fragment and an empty userinfo, so the text is checked.
  if (text.includes("#")) return refuse("fragment");
  if (authority.includes("@")) return refuse("userinfo");
  const [, rawHost = "", portText = String(HTTPS_PORT)] = HOST_AND_PORT.exec(authority) ?? [];
  const port = PORT.test(portText) ? Number(portText) : 0;
  if (!isWebhookPort(port)) return refuse("port");
  const url = URL.parse(text);
  if (!url || url.hostname !== lowerAscii(rawHost)) return refuse("host_form");
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const reason = judgeHost(hostname, allowNetworks);
  return reason ? refuse(reason) : { ok: true, url, hostname, port };
}

/** Control characters, spaces and backslashes: the parser removes or replaces them, in the host or beside it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const DROPPED_OR_REPLACED = /[\u0000-\u0020\u007f\\]/;
const AUTHORITY = /^https:\/\/([^/?#]*)/i;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/;
const PORT = /^[1-9]\d{0,4}$/;
/** Labels of letters, digits, hyphens and underscores. A trailing dot would slip past every rule about endings. */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

const refuse = (reason: WebhookUrlRefusal) => ({ ok: false, reason }) as const;

/** ASCII letters only: toLowerCase turns the Kelvin sign into a k. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function judgeHost(hostname: string, allowNetworks: readonly IpRange[]): WebhookUrlRefusal | undefined {
  if (isIP(hostname) !== 0) {
    return isPublicUnicast(hostname) || isInNetworks(hostname, allowNetworks) ? undefined : "not_public";
  }
  if (!NAME.test(hostname)) return "host_form";
  return isReservedName(hostname) && allowNetworks.length === 0 ? "reserved_name" : undefined;
}

/** CONTRACT 6: names that only mean something inside a network: localhost, single labels, and the reserved domains. */
export function isReservedName(hostname: string): boolean {
  if (!hostname.includes(".")) return true;
  return RESERVED_DOMAINS.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

const RESERVED_DOMAINS = ["localhost", "local", "internal", "home.arpa", "test", "invalid", "onion"] as const;
