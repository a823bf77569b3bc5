import { Agent } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { IpRange } from "../lib/ip.ts";
import { isInNetworks, isPublicUnicast } from "./public-address.ts";
import { resolveWebhookHost, type WebhookLookup } from "./resolve-webhook-host.ts";

export type CheckedAgentOptions = {
  allowNetworks: readonly IpRange[];
  lookup?: WebhookLookup | undefined;
  /** Which of this machine's addresses connections leave from. */
  localAddress?: string | undefined;
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
 * that is used again goes where it went when it was judged.
 */
export const createCheckedAgent = (options: CheckedAgentOptions): Agent =>
  new Agent({
    keepAlive: true,
    keepAliveMsecs: IDLE_CONNECTION_MS,
    maxFreeSockets: IDLE_CONNECTIONS_MAX,
    timeout: IDLE_CONNECTION_MS,
    scheduling: "lifo",
    lookup: checkedLookup(options),
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });

const checkedLookup =
  ({ allowNetworks, lookup }: CheckedAgentOptions): LookupFunction =>
  (hostname, { all }, callback) => {
    const answer = async () => {
      const resolved = await resolveWebhookHost(hostname, { allowNetworks, ...(lookup ? { lookup } : {}) });
      if (resolved.kind === "refused") throw new AddressRefused("address_refused");
      if (resolved.kind === "unresolved") throw new AddressRefused("unresolved");
      return resolved.addresses.map((address) => ({ address, family: isIP(address) }));
    };
    answer().then(
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
