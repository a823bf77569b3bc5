import { isIPv4, isIPv6 } from "node:net";

/** An address as bytes: 4 for IPv4, 16 for IPv6. IPv4-mapped IPv6 addresses are IPv4 (CONTRACT 2). */
export type IpAddress = Uint8Array;
export type IpRange = { network: IpAddress; prefixBits: number };

/** Parses an address, or returns undefined if the text is not one. Zone ids, ports and brackets are refused. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return parseV4(text);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = parseV6(text);
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** "10.0.0.0/8", "2001:db8::/32" or a single address. Bits beyond the prefix are ignored. */
export function parseIpRange(text: string): IpRange | undefined {
  const [addressText = "", prefixText, ...rest] = text.split("/");
  const network = parseIp(addressText);
  if (!network || rest.length > 0) return undefined;
  const widthBits = network.length * 8;
  if (prefixText === undefined) return { network, prefixBits: widthBits };
  if (!/^\d{1,3}$/.test(prefixText)) return undefined;
  // The prefix of a mapped range counts from the start of the IPv6 form.
  const mapped = addressText.includes(":") && network.length === 4;
  const prefixBits = Number(prefixText) - (mapped ? 96 : 0);
  if (prefixBits < 0 || prefixBits > widthBits) return undefined;
  return { network, prefixBits };
}

export function isInRange(address: IpAddress, { network, prefixBits }: IpRange): boolean {
  if (address.length !== network.length) return false;
  const wholeBytes = prefixBits >> 3;
  for (let index = 0; index < wholeBytes; index += 1) {
    if (address[index] !== network[index]) return false;
  }
  const restBits = prefixBits & 7;
  if (restBits === 0) return true;
  const mask = (0xff << (8 - restBits)) & 0xff;
  return ((address[wholeBytes] ?? 0) & mask) === ((network[wholeBytes] ?? 0) & mask);
}

export const isInAnyRange = (address: IpAddress, ranges: readonly IpRange[]): boolean =>
  ranges.some((range) => isInRange(address, range));

const parseV4 = (text: string): Uint8Array => Uint8Array.from(text.split(".").map(Number));

function parseV6(text: string): Uint8Array {
  const [head = "", tail] = text.split("::");
  const headBytes = groupBytes(head);
  if (tail === undefined) return Uint8Array.from(headBytes);
  const tailBytes = groupBytes(tail);
  return Uint8Array.from([
    ...headBytes,
    ...new Array(16 - headBytes.length - tailBytes.length).fill(0),
    ...tailBytes,
  ]);
}

/** The bytes of "2001:db8:1.2.3.4": two for each group, four for a trailing IPv4 part. */
function groupBytes(groups: string): number[] {
  if (groups === "") return [];
  return groups.split(":").flatMap((group) => {
    if (group.includes(".")) return [...parseV4(group)];
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
