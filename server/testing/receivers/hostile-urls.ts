import { CARRIERS, DOTTED_CARRIERS, SPECIAL_RANGES } from "./special-addresses.ts";

/** Addresses that no webhook may reach, of every kind of range. */
const V4 = SPECIAL_RANGES.map(({ middle }) => middle).filter((address) => !address.includes(":"));
const V6 = [...SPECIAL_RANGES.map(({ middle }) => middle), ...CARRIERS].filter((address) =>
  address.includes(":"),
);

const bytesOf = (address: string): number[] => address.split(".").map(Number);
const numberOf = (bytes: readonly number[]): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
const octal = (part: number): string => `0${part.toString(8)}`;
const hex = (part: number): string => `0x${part.toString(16)}`;

/** How an IPv4 address can be written so that some program reads it. */
const V4_SPELLINGS: readonly ((bytes: readonly number[]) => string)[] = [
  (bytes) => bytes.join("."),
  (bytes) => String(numberOf(bytes)),
  (bytes) => hex(numberOf(bytes)),
  (bytes) => octal(numberOf(bytes)),
  (bytes) => bytes.map(octal).join("."),
  (bytes) => bytes.map(hex).join("."),
  (bytes) => bytes.map((byte) => String(byte).padStart(3, "0")).join("."),
  (bytes) => [bytes[0], numberOf(bytes.slice(1))].join("."),
  (bytes) => [bytes[0], bytes[1], numberOf(bytes.slice(2))].join("."),
  (bytes) => [hex(bytes[0] ?? 0), octal(bytes[1] ?? 0), numberOf(bytes.slice(2))].join("."),
  (bytes) => `0x${numberOf(bytes).toString(16).toUpperCase()}`,
  (bytes) => String(numberOf(bytes) + 2 ** 32),
];

/** What can be done to any host so that a filter does not recognize it. */
const DISGUISES: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => `${host}.`,
  (host) => host.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (host) => host.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit))),
  (host) => host.replaceAll(".", "\u3002"),
  (host) => host.replaceAll(".", "\uff0e"),
  (host) => host.replaceAll(".", "%2e"),
  (host) => host.replace(/./, (first) => `%${first.charCodeAt(0).toString(16)}`),
  (host) => `${host.slice(0, 1)}\u00ad${host.slice(1)}`,
  (host) => `${host.slice(0, 1)}\u200b${host.slice(1)}`,
  (host) => `${host}%00.example.com`,
  (host) => `${host}%20`,
];

const V6_SPELLINGS: readonly ((address: string) => string)[] = [
  (address) => `[${address}]`,
  (address) => `[${address.toUpperCase()}]`,
  (address) => `[${address}%25eth0]`,
  (address) => `[${address}%lo]`,
  (address) => `[${address}].`,
  (address) => address,
  (address) => `[${address}`,
  (address) => `[ ${address}]`,
];

const NAMES = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "loc\u00adalhost",
  "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
  "xn--localhost-",
  "metadata.google.internal",
  "printer.local",
  "router.home.arpa",
  "db",
  "hidden.onion",
];

/** Where in a URL the host can be put. */
const SHAPES: readonly ((host: string) => string)[] = [
  (host) => `https://${host}/`,
  (host) => `HTTPS://${host}:8443/hook?a=b`,
  (host) => `https://user:word@${host}/`,
  (host) => `https://public.example.com@${host}/`,
  (host) => `https://public.example.com#@${host}/`,
  (host) => `https://public.example.com\\@${host}/`,
  (host) => `https:/\t/${host}/`,
  (host) => `https:${host}`,
  (host) => `https://${host}\u0000.example.com/`,
  (host) => ` https://${host}/`,
  (host) => `https://${host}:0/`,
  (host) => `https://${host}:65536/`,
  (host) => `https://${host}/#`,
  (host) => `https://${host}:22/`,
  (host) => `http://${host}/`,
  (host) => `https://${host}/${"a".repeat(2_100)}`,
];

/** Every host in the first two shapes, and every shape with a few hosts: many thousands of URLs, none of which may connect. */
export function hostileUrls(): string[] {
  const v4 = V4.map(bytesOf).flatMap((bytes) => V4_SPELLINGS.map((spell) => spell(bytes)));
  const hosts = [
    ...v4.flatMap((host) => DISGUISES.map((disguise) => disguise(host))),
    ...[...V6, ...DOTTED_CARRIERS].flatMap((address) => V6_SPELLINGS.map((spell) => spell(address))),
    ...NAMES,
  ];
  const few = ["127.0.0.1", "169.254.169.254", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "[fd00::1]", ...NAMES];
  return [
    ...new Set([
      ...hosts.flatMap((host) => SHAPES.slice(0, 2).map((shape) => shape(host))),
      ...few.flatMap((host) => SHAPES.map((shape) => shape(host))),
    ]),
  ];
}
