import type { FastifyRequest } from "fastify";
import { type IpRange, isInAnyRange, parseIp } from "../lib/ip.ts";
import { headerText } from "./authenticator.ts";

/**
 * The rightmost hop that is not one of our proxies (CONTRACT 2). Hops to its left are written by the client and
 * cannot be trusted. A hop can be invalid; an allowlist refuses it.
 */
export function clientAddress(
  remoteAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: readonly IpRange[],
): string {
  let current = remoteAddress ?? "";
  if (trustedProxies.length === 0 || forwardedFor === undefined) return current;
  const hops = forwardedFor.split(",");
  while (isTrusted(current, trustedProxies)) {
    const next = hops.pop();
    if (next === undefined) break;
    current = next.trim();
  }
  return current;
}

/** Where requests come from, for pages. */
export const addressFinder =
  (trustedProxies: readonly IpRange[]) =>
  ({ socket, headers }: Pick<FastifyRequest, "socket" | "headers">): string =>
    clientAddress(socket.remoteAddress, headerText(headers["x-forwarded-for"]), trustedProxies);

function isTrusted(text: string, trustedProxies: readonly IpRange[]): boolean {
  const address = parseIp(text);
  return address !== undefined && isInAnyRange(address, trustedProxies);
}
