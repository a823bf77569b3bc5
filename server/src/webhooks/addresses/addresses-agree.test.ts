import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { anyAddress, canonicalText } from "../../../testing/receivers/address-numbers.ts";
import { v6Spellings } from "../../../testing/receivers/address-spellings.ts";
import { SEED } from "../../../testing/seed.ts";
import { isInRange, parseIp, parseIpRange } from "../../lib/ip.ts";
import { isPublicUnicast } from "./public-address.ts";

const RUNS = 5_000;

/** Where ipaddr.js calls an address unicast and we refuse it, with the reason. There is no difference the other way. */
const STRICTER = [
  ["::/96", "compatible addresses carry an IPv4 address: ::7f00:1 is loopback to some systems"],
  ["::/3", "only 2000::/3 is assigned as public unicast"],
  ["4000::/2", "the same"],
  ["8000::/1", "the same"],
] as const;

const isStricterHere = (text: string): boolean => {
  const bytes = parseIp(text);
  return (
    bytes !== undefined &&
    STRICTER.some(([range]) => {
      const parsed = parseIpRange(range);
      return parsed !== undefined && isInRange(bytes, parsed);
    })
  );
};

test("an address is public for us exactly if ipaddr.js calls it unicast, but for the ranges where we are stricter", () => {
  const counts = { public: 0, refused: 0, stricter: 0 };
  fc.assert(
    fc.property(anyAddress, (address) => {
      const texts = address.bits === 128 ? v6Spellings(address) : [canonicalText(address)];
      for (const text of texts) {
        const isUnicast = ipaddr.parse(text).range() === "unicast";
        const isOurs = isPublicUnicast(text);
        if (isUnicast && !isOurs && isStricterHere(text)) counts.stricter += 1;
        else {
          assert.equal(isOurs, isUnicast, text);
          counts[isOurs ? "public" : "refused"] += 1;
        }
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  for (const count of Object.values(counts)) assert.ok(count > 300, JSON.stringify(counts));
});

test("each range where we are stricter is needed: ipaddr.js calls an address in it unicast", () => {
  for (const text of ["::7f00:1", "1000::1", "4000::1", "8000::1"]) {
    assert.equal(ipaddr.parse(text).range(), "unicast", text);
    assert.equal(isPublicUnicast(text), false, text);
    assert.ok(isStricterHere(text), text);
  }
});

test("ipaddr.js reads ::127.0.0.1 as ::ffff:127.0.0.1, and RFC 4291 as ::7f00:1; both are refused", () => {
  assert.equal(ipaddr.parse("::127.0.0.1").toString(), "::ffff:7f00:1");
  assert.deepEqual(parseIp("::127.0.0.1"), parseIp("::7f00:1"));
  for (const text of ["::127.0.0.1", "::8.8.8.8", "::ffff:8.8.8.8"])
    assert.equal(isPublicUnicast(text), false, text);
});

test("an address has the same bytes for both", () => {
  fc.assert(
    fc.property(anyAddress, (address) => {
      const texts = address.bits === 128 ? v6Spellings(address) : [canonicalText(address)];
      // Both read a mapped address as the IPv4 address inside.
      for (const text of texts)
        assert.deepEqual([...(parseIp(text) ?? [])], ipaddr.process(text).toByteArray(), text);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});
