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

/** The name leads to an address that webhooks may not be sent to, or to none. */
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

/**
 * Connections to endpoints. Each new one asks for the name's addresses, judges all of them and goes to those alone; one
 * that is used again goes where it went when it was judged. A proxy is asked for the judged address, never for the name.
 */
export function createCheckedAgent(options: CheckedAgentOptions): Agent {
  const { proxyUrl, localAddress } = options;
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: IDLE_CONNECTION_MS,
    maxFreeSockets: IDLE_CONNECTIONS_MAX,
    timeout: IDLE_CONNECTION_MS,
    scheduling: "lifo",
    lookup: checkedLookup(options),
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  if (!proxyUrl) return agent;
  const proxy = { url: proxyUrl, localAddress };
  agent.createConnection = connectThroughProxy(proxy, (hostname) => listJudged(hostname, options));
  return agent;
}

/** The addresses of a name, all of which may be reached. */
async function listJudged(
  hostname: string,
  { allowNetworks, lookup }: CheckedAgentOptions,
): Promise<readonly string[]> {
  const resolved = await resolveWebhookHost(hostname, { allowNetworks, ...(lookup ? { lookup } : {}) });
  if (resolved.kind === "refused") throw new AddressRefused("address_refused");
  if (resolved.kind === "unresolved") throw new AddressRefused("unresolved");
  return resolved.addresses;
}

/** From an address of this machine only addresses of its own kind can be reached. */
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

/** A literal is connected to without a lookup; and the last word is the socket's own. */
export function mayReach(address: string | undefined, allowNetworks: readonly IpRange[]): boolean {
  if (address === undefined) return false;
  return isInNetworks(address, allowNetworks) || isPublicUnicast(address);
}

/** Destroys a socket that has reached an address that was not to be reached. */
export function refuseUnchecked(socket: Socket, allowNetworks: readonly IpRange[]): void {
  if (!mayReach(socket.remoteAddress, allowNetworks)) socket.destroy(new AddressRefused("address_refused"));
}
