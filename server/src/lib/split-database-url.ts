import { isIPv6 } from "node:net";

const FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s;
const HOST = /^(?:\[([^\]]*)\]|([^[\]:\s]*))(?::(.*))?$/s;
const PORT_MAX = 65_535;
const HOSTS_MAX = 16;

/** Scrip writes, so a server that only reads is never what was meant. */
const WRITABLE_ATTRS: readonly string[] = ["read-write", "primary"];

/**
 * The addresses of a DATABASE_URL, one for each of its hosts. Several, as in `postgres://user:password@a:5432,b:5433/scrip`,
 * are not a URL by the letter and unknown to the driver, which gets them one by one. What is wrong with the form is thrown as
 * a RangeError that repeats nothing of it: there may be a password in it.
 */
export function splitDatabaseUrl(text: string): string[] {
  const [, scheme, authority = "", rest = ""] = FORM.exec(text) ?? [];
  if (scheme === undefined) throw new RangeError("must begin with postgres:// or postgresql://");
  // A password may hold commas, and an @ that was not encoded.
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
    throw new RangeError("must name its hosts as host:port, an IPv6 address in brackets, divided by commas");
  if (bracketed !== undefined && !isIPv6(bracketed))
    throw new RangeError("must have an IPv6 address between brackets");
  // A single host may be left out: then it is a socket on this machine.
  if (isOneOfSeveral && plain === "") throw new RangeError("must name a host between its commas");
  if (port !== undefined && port !== "" && !(/^\d{1,5}$/.test(port) && isPort(Number(port))))
    throw new RangeError(`must have ports from 1 to ${PORT_MAX}`);
}

const isPort = (number: number): boolean => number >= 1 && number <= PORT_MAX;

function refuseWrongOptions(rest: string, areSeveral: boolean): void {
  const options = new URLSearchParams(rest.split("#", 1)[0]?.split("?").slice(1).join("?") ?? "");
  const attrs = options.get("target_session_attrs");
  if (attrs !== null && !WRITABLE_ATTRS.includes(attrs) && (areSeveral || attrs !== "any"))
    throw new RangeError("must have read-write for target_session_attrs: Scrip writes");
  for (const name of ["host", "port"]) {
    const value = options.get(name);
    if (value !== null && (areSeveral || value.includes(",")))
      throw new RangeError(`must name several hosts before the database, not by the option ${name}`);
  }
}
