import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  anyAddress,
  canonicalText,
  isSpecial,
  v6Groups,
} from "../../../testing/receivers/address-numbers.ts";
import { v6Spellings } from "../../../testing/receivers/address-spellings.ts";
import { SEED } from "../../../testing/seed.ts";
import { parseIpRange } from "../../lib/ip.ts";
import { isInNetworks, isPublicUnicast, isPublicUnicastBytes } from "./public-address.ts";

test("an address is public exactly if no range of the table contains it, however it is written", () => {
  const counts = { public: 0, special: 0 };
  fc.assert(
    fc.property(anyAddress, (address) => {
      const expected = !isSpecial(address);
      counts[expected ? "public" : "special"] += 1;
      const texts = address.bits === 128 ? v6Spellings(address) : [canonicalText(address)];
      for (const text of texts) assert.equal(isPublicUnicast(text), expected, text);
      assert.equal(isPublicUnicastBytes(bytesOf(address)), expected);
    }),
    { seed: SEED, numRuns: 5_000 },
  );
  assert.ok(counts.public > 500 && counts.special > 500, JSON.stringify(counts));
});

test("bytes of any other length are not a public address", () => {
  for (const length of [0, 1, 3, 5, 8, 15, 17, 32]) {
    assert.equal(isPublicUnicastBytes(new Uint8Array(length).fill(0x20)), false, `${length} bytes`);
  }
});

test("an address with a zone is never public", () => {
  for (const zone of ["%", "%1", "%eth0", "%25eth0"])
    assert.equal(isPublicUnicast(`2606:4700::1111${zone}`), false);
});

test("a mapped address is in no network, even if the IPv4 address inside it is", () => {
  const networks = ["127.0.0.0/8", "::/0", "0.0.0.0/0"].flatMap((text) => parseIpRange(text) ?? []);
  assert.equal(networks.length, 3);
  assert.equal(isInNetworks("127.0.0.1", networks), true);
  assert.equal(isInNetworks("fe80::1", networks), true);
  for (const text of ["::ffff:127.0.0.1", "::ffff:7f00:1", "127.1", "fe80::1%eth0", "localhost", ""]) {
    assert.equal(isInNetworks(text, networks), false, text);
  }
  assert.equal(isInNetworks("127.0.0.1", []), false);
});

function bytesOf({ bits, value }: { bits: number; value: bigint }): Uint8Array {
  const bytes = v6Groups(value).flatMap((group) => [group >> 8, group & 0xff]);
  return Uint8Array.from(bytes.slice(16 - bits / 8));
}
