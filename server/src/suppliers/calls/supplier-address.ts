import { isIP } from "node:net";
import { isReservedName } from "../../webhooks/addresses/webhook-url.ts";

const URL_MAX_CHARACTERS = 2_048;

/** The address of a supplier, without a slash at its end. Messages do not quote it: it may be a secret in the wrong place. */
export function parseSupplierAddress(text: string, name: string): string {
  const url = text.length <= URL_MAX_CHARACTERS ? URL.parse(text) : null;
  if (!url || !["https:", "http:"].includes(url.protocol))
    throw new RangeError(`${name} must be an address such as https://api.example.com`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new RangeError(`${name} must not have a user name, password, query or fragment`);
  if (url.protocol === "http:" && !isLoopback(url))
    throw new RangeError(
      `${name} is plain http: the credentials and every code would cross the network unencrypted. Use https`,
    );
  return url.href.replace(/\/+$/, "");
}

/** `URL` has normalized the address. */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** An IP address, or a name that only works inside a network: the operator who writes it down knows where it leads. */
export function isNamedOutright({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) !== 0 || isReservedName(host);
}
