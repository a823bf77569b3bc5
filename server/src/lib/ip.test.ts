import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import { isInAnyRange, isInRange, parseIp, parseIpRange } from "./ip.ts";

const GARBAGE = [
  "",
  " ",
  "localhost",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "01.2.3.4",
  "0x7f.0.0.1",
  "2130706433",
  "1.2.3.4 ",
  " 1.2.3.4",
  "1.2.3.4:80",
  "[::1]",
  "[::1]:80",
  "::1%eth0",
  "fe80::1%1",
  ":::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "12345::",
  "g::1",
  "::1.2.3",
  "::1.2.3.4:5",
  "1.2.3.4\0",
  "unknown",
  "_hidden",
] as const;

const WRONG_RANGES = [
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "10.0.0.0/ 8",
  "10.0.0.0/8.0",
  "10.0.0.0/1e1",
  "10.0.0.0/0008",
  "10.0.0.0/255.0.0.0",
  "2001:db8::/129",
  "::ffff:10.0.0.0/95",
  "/8",
  "*",
] as const;

/** A range, an address, and whether the range contains the address. */
const MEMBERSHIP: readonly (readonly [string, string, boolean])[] = [
  ["10.0.0.0/8", "10.255.255.255", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.1.2.3/8", "10.200.0.1", true],
  ["192.168.1.128/25", "192.168.1.127", false],
  ["192.168.1.128/25", "192.168.1.128", true],
  ["192.168.1.4/31", "192.168.1.5", true],
  ["192.168.1.4/31", "192.168.1.6", false],
  ["203.0.113.7", "203.0.113.7", true],
  ["203.0.113.7", "203.0.113.8", false],
  ["203.0.113.7/32", "203.0.113.7", true],
  ["0.0.0.0/0", "255.255.255.255", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "1.2.3.4", false],
  ["::/0", "ffff::", true],
  ["2001:db8::/32", "2001:db8:ffff::1", true],
  ["2001:db8::/32", "2001:db9::", false],
  ["2001:db8::/33", "2001:db8:8000::", false],
  ["2001:db8::1/128", "2001:0DB8:0:0:0:0:0:1", true],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["10.0.0.0/8", "::ffff:0a01:0203", true],
  ["::ffff:10.0.0.0/104", "10.1.2.3", true],
  ["::ffff:10.0.0.0/104", "11.1.2.3", false],
  ["::ffff:0.0.0.0/96", "8.8.8.8", true],
  ["::ffff:1.2.3.4", "1.2.3.4", true],
  // Compatible and translated addresses are IPv6. Only mapped addresses are IPv4.
  ["10.0.0.0/8", "::10.1.2.3", false],
  ["10.0.0.0/8", "64:ff9b::10.1.2.3", false],
];

test("invalid text is neither an address nor a range", () => {
  for (const text of GARBAGE) {
    assert.equal(parseIp(text), undefined, text);
    assert.equal(parseIpRange(text), undefined, text);
  }
  for (const text of WRONG_RANGES) assert.equal(parseIpRange(text), undefined, text);
});

test("a range contains its first to last address, in its own family; mapped addresses count as IPv4", () => {
  for (const [range, address, held] of MEMBERSHIP) {
    assert.equal(isInRange(bytesOf(address), rangeOf(range)), held, `${address} in ${range}`);
  }
});

test("an address matches several ranges when one contains it, and never matches an empty list", () => {
  const ranges = ["10.0.0.0/8", "2001:db8::/32"].map(rangeOf);
  assert.equal(isInAnyRange(bytesOf("2001:db8::5"), ranges), true);
  assert.equal(isInAnyRange(bytesOf("192.0.2.1"), ranges), false);
  assert.equal(isInAnyRange(bytesOf("192.0.2.1"), []), false);
});

test("every spelling of an IPv6 address parses to the same bytes", () => {
  const spellings = ["2001:db8:0:0:0:0:c000:201", "2001:DB8::192.0.2.1", "2001:0db8::c000:0201"];
  for (const text of spellings) assert.deepEqual(bytesOf(text), bytesOf("2001:db8::c000:201"), text);
  assert.deepEqual([...bytesOf("::")], new Array(16).fill(0));
  assert.deepEqual([...bytesOf("1::")].slice(0, 3), [0, 1, 0]);
});

test("an IPv4 range contains an address exactly when their prefix bits are equal", () => {
  const word = fc.nat({ max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(word, word, fc.nat({ max: 32 }), (network, other, prefixBits) => {
      // Half of the addresses share the prefix. With random addresses, hardly any would.
      const shift = BigInt(32 - prefixBits);
      const near = ((BigInt(network) >> shift) << shift) | (BigInt(other) & ((1n << shift) - 1n));
      const range = rangeOf(`${dotted(BigInt(network))}/${prefixBits}`);
      assert.equal(isInRange(bytesOf(dotted(near)), range), true);
      assert.equal(
        isInRange(bytesOf(`::ffff:${dotted(BigInt(other))}`), range),
        BigInt(network) >> shift === BigInt(other) >> shift,
      );
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

const dotted = (word: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (word >> shift) & 255n).join(".");

function bytesOf(text: string): Uint8Array {
  const bytes = parseIp(text);
  assert.ok(bytes, `${text} is an address`);
  return bytes;
}

function rangeOf(text: string) {
  const range = parseIpRange(text);
  assert.ok(range, `${text} is a range`);
  return range;
}
