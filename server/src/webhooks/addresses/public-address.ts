import { type IpAddress, type IpRange, isInAnyRange, isInRange, parseIp } from "../../lib/ip.ts";
import { GLOBAL_UNICAST_V6, SPECIAL_V4_RANGES, SPECIAL_V6_RANGES } from "./special-ranges.ts";

/** CONTRACT 6: whether the text is an address of the public internet. */
export function isPublicUnicast(address: string): boolean {
  const bytes = parseUnmapped(address);
  return bytes !== undefined && isPublicUnicastBytes(bytes);
}

/** The same for 4 bytes of IPv4 or 16 of IPv6. An address that embeds an IPv4 address is always refused. */
export function isPublicUnicastBytes(bytes: IpAddress): boolean {
  if (bytes.length === 4) return !isInAnyRange(bytes, SPECIAL_V4_RANGES);
  return isInRange(bytes, GLOBAL_UNICAST_V6) && !isInAnyRange(bytes, SPECIAL_V6_RANGES);
}

/** Whether the text is an address inside one of WEBHOOK_ALLOW_NETWORKS. */
export function isInNetworks(address: string, networks: readonly IpRange[]): boolean {
  const bytes = parseUnmapped(address);
  return bytes !== undefined && isInAnyRange(bytes, networks);
}

/** parseIp reads a mapped address as the IPv4 address inside, which would make ::ffff:8.8.8.8 public. Here it is refused. */
function parseUnmapped(address: string): IpAddress | undefined {
  const bytes = parseIp(address);
  return bytes?.length === 4 && address.includes(":") ? undefined : bytes;
}
