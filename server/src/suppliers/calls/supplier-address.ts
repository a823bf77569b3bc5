import { isIP } from "node:net";
import { parseOperatorAddress } from "../../lib/settings/operator-address.ts";
import { isReservedName } from "../../webhooks/addresses/webhook-url.ts";

/** The address of a supplier, without a slash at its end. Paths are added to it, so it has no query. */
export function parseSupplierAddress(text: string, name: string): string {
  const url = parseOperatorAddress(text, name);
  if (url.search !== "") throw new RangeError(`${name} must not have a query`);
  return url.href.replace(/\/+$/, "");
}

/** An IP address, or a name that only works inside a network: the operator who writes it down knows where it leads. */
export function isNamedOutright({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) !== 0 || isReservedName(host);
}
