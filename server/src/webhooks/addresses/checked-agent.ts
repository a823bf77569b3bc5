import { Agent } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { IpRange } from "../../lib/ip.ts";
import type { Secret } from "../../lib/secret.ts";
import { connectThroughProxy } from "./connect-through-proxy.ts";
import { isInNetworks, isPublicUnicast } from "./public-address.ts";
import { resolveWebhookHost, type WebhookLookup } from "./resolve-webhook-host.ts";

export type CheckedAgentOptions = {
  allowNetworks: readonly IpRange[];
  lookup?: WebhookLookup | undefined;
  /** Which of this machine's addresses connections leave from. */
  localAddress?: string | undefined;
  /** An HTTP proxy that connections go through. */
  proxyUrl?: Secret<string> | undefined;
  /** Authorities to trust instead of the system's. */
  ca?: string | undefined;
};

/** The name resolves to an address that webhooks must not be sent to, or to none. */
export class AddressRefused extends Error {
  readonly code: "address_refused" | "unresolved";
  constructor(code: "address_refused" | "unresolved") {
    super(code);
    this.name = "AddressRefused";
    this.code = code;
  }
}

const IDLE_CONNECTION_MS = 20_000;
const IDLE_CONNECTIONS_MAX = 256;
/** Receivers whose last TLS session is kept. Node keeps 100, and a process can have more endpoints than that. */
const TLS_SESSIONS_MAX = 1_000;

/**
 * Connections to endpoints. Each new connection resolves the name, checks all of its addresses and connects to one of them.
 * A reused connection goes to the address that was checked when it was opened. A proxy gets that address, never the name.
 */
export function createCheckedAgent(options: CheckedAgentOptions): Agent {
  const { proxyUrl, localAddress } = options;
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: IDLE_CONNECTION_MS,
    maxFreeSockets: IDLE_CONNECTIONS_MAX,
    timeout: IDLE_CONNECTION_MS,
    scheduling: "lifo",
    maxCachedSessions: TLS_SESSIONS_MAX,
    lookup: checkedLookup(options),
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  if (!proxyUrl) return agent;
  const proxy = { url: proxyUrl, localAddress };
  agent.createConnection = connectThroughProxy(proxy, (hostname) => listJudged(hostname, options));
  return agent;
}

/** The addresses of a name, if webhooks may be sent to all of them. */
async function listJudged(
  hostname: string,
  { allowNetworks, lookup }: CheckedAgentOptions,
): Promise<readonly string[]> {
  const resolved = await resolveWebhookHost(hostname, { allowNetworks, ...(lookup ? { lookup } : {}) });
  if (resolved.kind === "refused") throw new AddressRefused("address_refused");
  if (resolved.kind === "unresolved") throw new AddressRefused("unresolved");
  return resolved.addresses;
}

/** An IPv4 address of this machine only reaches IPv4 addresses, an IPv6 address only IPv6. */
async function listReachable(hostname: string, options: CheckedAgentOptions) {
  const judged = (await listJudged(hostname, options)).map((address) => ({ address, family: isIP(address) }));
  const { localAddress } = options;
  if (localAddress === undefined) return judged;
  const reachable = judged.filter(({ family }) => family === isIP(localAddress));
  if (reachable.length === 0) throw new AddressRefused("unresolved");
  return reachable;
}

const checkedLookup =
  (options: CheckedAgentOptions): LookupFunction =>
  (hostname, { all }, callback) => {
    listReachable(hostname, options).then(
      (addresses) => {
        const [first] = addresses;
        if (all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };

/** Node connects to a literal without a lookup, so the address is checked on the socket too. */
export function mayReach(address: string | undefined, allowNetworks: readonly IpRange[]): boolean {
  if (address === undefined) return false;
  return isInNetworks(address, allowNetworks) || isPublicUnicast(address);
}

/**
 * Destroys a socket that is connected to an address that is not allowed. One that the receiver has already reset has no address any more:
 * nothing is sent on it either, and that is the receiver's doing.
 */
export function refuseUnchecked(socket: Socket, allowNetworks: readonly IpRange[]): void {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined)
    socket.destroy(Object.assign(new Error("the receiver reset the connection"), { code: "ECONNRESET" }));
  else if (!mayReach(remoteAddress, allowNetworks)) socket.destroy(new AddressRefused("address_refused"));
}
