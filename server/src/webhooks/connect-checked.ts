import { isIP, type LookupFunction, type Socket } from "node:net";
import { isSameAddress } from "./public-address.ts";

/**
 * What node:https needs to reach the addresses just checked and no others: they stand in for the name's own, which may
 * have changed since. No agent, because a pooled connection belongs to the addresses of an earlier check. A host that is
 * an IP literal is connected to without any lookup; resolveWebhookHost has judged it.
 */
export const connectChecked = (addresses: readonly string[]): { agent: false; lookup: LookupFunction } => ({
  agent: false,
  lookup: pinnedLookup(addresses),
});

/** A lookup that knows only these addresses, whatever name it is asked for. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = answers;
  if (!first || answers.some(({ family }) => family === 0)) {
    throw new RangeError("a connection can be pinned to IP addresses only, and to one at least");
  }
  // Not before the caller has its socket and listens to it.
  return (_hostname, options, callback) => {
    setImmediate(() => (options.all ? callback(null, answers) : callback(null, first.address, first.family)));
  };
}

/** Call it when the socket has connected and before anything is written: the last word is the socket's own. */
export function assertRemoteAddress(
  socket: Pick<Socket, "remoteAddress">,
  addresses: readonly string[],
): void {
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined && addresses.some((address) => isSameAddress(address, remoteAddress)))
    return;
  throw new RemoteAddressError();
}

export class RemoteAddressError extends Error {
  constructor() {
    super("the connection went to another address than those that were checked");
    this.name = "RemoteAddressError";
  }
}
