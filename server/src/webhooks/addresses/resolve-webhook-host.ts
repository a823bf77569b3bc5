import { Resolver, lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { IpRange } from "../../lib/ip.ts";
import { isInNetworks, isPublicUnicast } from "./public-address.ts";
import { isReservedName } from "./webhook-url.ts";

/** Every address of a name. It can throw for a name that has none. */
export type WebhookLookup = (hostname: string) => Promise<readonly string[]>;

export type ResolveOptions = {
  allowNetworks: readonly IpRange[];
  lookup?: WebhookLookup;
  timeoutMs?: number;
};

export type ResolvedWebhookHost =
  | { kind: "addresses"; addresses: readonly string[] }
  | { kind: "refused" }
  | { kind: "unresolved" };

export const LOOKUP_TIMEOUT_MS = 5_000;

/**
 * CONTRACT 6: the addresses that a webhook may be sent to. One bad address refuses the name, because the name server decides
 * which address is tried first. Only these addresses are checked: another lookup can return others.
 */
export async function resolveWebhookHost(
  hostname: string,
  { allowNetworks, lookup = lookupFor(allowNetworks), timeoutMs = LOOKUP_TIMEOUT_MS }: ResolveOptions,
): Promise<ResolvedWebhookHost> {
  // Node connects to a literal without a lookup, so it is its only address.
  const literal = isIP(hostname) !== 0;
  const reserved = !literal && isReservedName(hostname);
  if (reserved && allowNetworks.length === 0) return { kind: "refused" };
  const addresses = literal ? [hostname] : await answersWithin(timeoutMs, lookup, hostname);
  if (addresses.length === 0) return { kind: "unresolved" };
  const allowed = addresses.every((address) => isInNetworks(address, allowNetworks));
  const open = !reserved && addresses.every(isPublicUnicast);
  return allowed || open ? { kind: "addresses", addresses } : { kind: "refused" };
}

/** No addresses if there is no answer in time. A late answer or error is ignored. */
async function answersWithin(
  timeoutMs: number,
  lookup: WebhookLookup,
  hostname: string,
): Promise<readonly string[]> {
  const expired = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(expired.resolve, timeoutMs, []);
  try {
    return await Promise.race([lookup(hostname), expired.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The system's lookup knows this machine's own names, which development needs. But it shares a few threads with the whole
 * process, and a few names without an answer would hold up all others. So public names are resolved without threads.
 */
const lookupFor = (allowNetworks: readonly IpRange[]): WebhookLookup =>
  allowNetworks.length > 0 ? lookupAll : resolveAll;

async function lookupAll(hostname: string): Promise<string[]> {
  const answers = await systemLookup(hostname, { all: true, order: "verbatim" });
  return answers.map(({ address }) => address);
}

const QUERY_TIMEOUT_MS = 2_000;
/** Less than LOOKUP_TIMEOUT_MS: some name servers never answer for a family that they do not know, and the other one counts. */
const FAMILIES_TIMEOUT_MS = 4_000;

async function resolveAll(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
  const timer = setTimeout(() => resolver.cancel(), FAMILIES_TIMEOUT_MS);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(timer);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}
