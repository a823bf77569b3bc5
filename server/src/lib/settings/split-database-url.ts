import { isIPv6 } from "node:net";

const FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s;
const HOST = /^(?:\[([^\]]*)\]|([^[\]:\s]*))(?::(.*))?$/s;
const PORT_MAX = 65_535;
const HOSTS_MAX = 16;

/** Scrip writes, so a read-only server is never intended. */
const WRITABLE_ATTRS: readonly string[] = ["read-write", "primary"];

/**
 * Splits a DATABASE_URL into one URL per host. A URL with several hosts, such as
 * `postgres://user:password@a:5432,b:5433/scrip`, is not valid for the driver. Throws a RangeError that never quotes
 * the URL, because it can contain a password.
 */
export function splitDatabaseUrl(text: string): string[] {
  const [, scheme, authority = "", rest = ""] = FORM.exec(text) ?? [];
  if (scheme === undefined) throw new RangeError("must start with postgres:// or postgresql://");
  // A password can contain commas and an unencoded @.
  const credentials = authority.slice(0, authority.lastIndexOf("@") + 1);
  const hosts = authority.slice(credentials.length).split(",");
  if (hosts.length > HOSTS_MAX) throw new RangeError(`must name at most ${HOSTS_MAX} hosts`);
  for (const host of hosts) refuseWrongHost(host, hosts.length > 1);
  refuseWrongOptions(rest, hosts.length > 1);
  return hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
}

function refuseWrongHost(text: string, isOneOfSeveral: boolean): void {
  const [, bracketed, plain, port] = HOST.exec(text) ?? [];
  if (bracketed === undefined && plain === undefined)
    throw new RangeError(
      "must list hosts as host:port, separated by commas, with IPv6 addresses in brackets",
    );
  if (bracketed !== undefined && !isIPv6(bracketed))
    throw new RangeError("must have IPv6 addresses in brackets");
  // A single host can be empty: it means a local socket.
  if (isOneOfSeveral && plain === "") throw new RangeError("must not have an empty host between commas");
  if (port !== undefined && port !== "" && !(/^\d{1,5}$/.test(port) && isPort(Number(port))))
    throw new RangeError(`must have ports from 1 to ${PORT_MAX}`);
}

const isPort = (number: number): boolean => number >= 1 && number <= PORT_MAX;

function refuseWrongOptions(rest: string, areSeveral: boolean): void {
  const options = new URLSearchParams(rest.split("#", 1)[0]?.split("?").slice(1).join("?") ?? "");
  const attrs = options.get("target_session_attrs");
  if (attrs !== null && !WRITABLE_ATTRS.includes(attrs) && (areSeveral || attrs !== "any"))
    throw new RangeError("must have target_session_attrs=read-write because Scrip writes");
  for (const name of ["host", "port"]) {
    const value = options.get(name);
    if (value !== null && (areSeveral || value.includes(",")))
      throw new RangeError(`must list several hosts before the database name, not in the option ${name}`);
  }
}
