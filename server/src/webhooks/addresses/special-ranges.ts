import { type IpRange, parseIpRange } from "../../lib/ip.ts";

/** IPv4 that is not public unicast: IANA's special-purpose registry, multicast and the reserved end. */
export const SPECIAL_V4_RANGES: readonly IpRange[] = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, where clouds keep their metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments; the few global ones among them are no web servers
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT relays
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast included
].map(rangeOf);

/**
 * The only part of IPv6 that is assigned as public unicast. Outside of it, and so not listed below, are: unspecified and
 * loopback, compatible ::/96, mapped ::ffff:0:0/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48, discard 100::/64 and
 * 100:0:0:1::/64, segment routing 5f00::/16, unique local fc00::/7, link-local fe80::/10, site-local fec0::/10 and
 * multicast ff00::/8.
 */
export const GLOBAL_UNICAST_V6: IpRange = rangeOf("2000::/3");

/** Ranges inside 2000::/3 that are not public. */
export const SPECIAL_V6_RANGES: readonly IpRange[] = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, AMT, AS112, ORCHID, drone ids
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which carries an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
].map(rangeOf);

function rangeOf(text: string): IpRange {
  const range = parseIpRange(text);
  if (!range) throw new RangeError(`${text} is not a range`);
  return range;
}
