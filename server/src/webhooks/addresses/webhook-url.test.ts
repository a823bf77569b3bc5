import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../testing/any-character.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import {
  addressNumber,
  anyAddress,
  canonicalText,
  isSpecial,
} from "../../../testing/receivers/address-numbers.ts";
import { anySpelling } from "../../../testing/receivers/address-spellings.ts";
import { SEED } from "../../../testing/seed.ts";
import { type IpRange, parseIpRange } from "../../lib/ip.ts";
import { isWebhookPort } from "./service-ports.ts";
import { parseWebhookUrl, WEBHOOK_URL_LENGTH_MAX } from "./webhook-url.ts";

const LOOPBACK = rangesOf("127.0.0.0/8", "::1");

const SPELLINGS = sizeFor("fuzz", { share: 3_000, full: 10_000 });

test("a URL in canonical form is accepted exactly when its address is public", () => {
  fc.assert(
    fc.property(anyAddress, fc.constantFrom("", ":443", ":8443", ":65535"), (address, port) => {
      const text = canonicalText(address);
      const parsed = parseWebhookUrl(`https://${address.bits === 128 ? `[${text}]` : text}${port}/hook`);
      assert.deepEqual(parsed.ok ? parsed.hostname : parsed.reason, isSpecial(address) ? "not_public" : text);
    }),
    { seed: SEED, numRuns: sizeFor("fuzz", { share: 200, wide: 600, full: 3_000 }) },
  );
});

test("no spelling of a URL reaches an address that is not public, and only the canonical one is accepted", () => {
  const counts = { literals: 0, accepted: 0 };
  const text = fc.tuple(
    fc.constantFrom(
      "https://",
      "https://",
      "HTTPS://",
      "https:/",
      "https:",
      "https:\\\\",
      "https:///",
      " https://",
    ),
    fc.constantFrom("", "", "", "@", "a@", "a:b@", "hook.example.com@"),
    anyAddress.chain(anySpelling),
    fc.constantFrom("", "", ":443", ":8443", ":"),
    fc.constantFrom("", "/", "/a?b", "?b", "#", "\\", "\\@hook.example.com"),
  );
  fc.assert(
    fc.property(text, ([scheme, userinfo, host, port, end]) => {
      const whole = scheme + userinfo + host + port + end;
      const literal = URL.parse(whole)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
      if (isIP(literal) === 0) return;
      counts.literals += 1;
      const parsed = parseWebhookUrl(whole);
      if (!parsed.ok) return;
      counts.accepted += 1;
      assert.equal(isSpecial(addressNumber(literal)), false, whole);
      assert.equal(host.toLowerCase(), parsed.url.hostname, whole);
    }),
    { seed: SEED, numRuns: SPELLINGS },
  );
  assert.ok(counts.literals > 0.3 * SPELLINGS && counts.accepted > SPELLINGS / 500, JSON.stringify(counts));
});

test("any URL is accepted only if it contains the host that it reaches", () => {
  const good = fc.constantFrom(
    "https://hook.example.com/a",
    "https://8.8.8.8:8443/",
    "https://[2606:4700::1111]/",
  );
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 3 }),
    fc.constantFrom(
      "@",
      "\\",
      "/",
      ":",
      "#",
      "?",
      ".",
      "%",
      "[",
      "]",
      "\t",
      "\u00ad",
      "\u3002",
      "127.0.0.1",
      "xn--",
    ),
  );
  fc.assert(
    fc.property(good, piece, fc.nat(), fc.nat({ max: 3 }), (url, put, position, cut) => {
      const at = position % (url.length + 1);
      const text = url.slice(0, at) + put + url.slice(at + cut);
      const parsed = parseWebhookUrl(text);
      if (!parsed.ok) return;
      const { host, protocol } = parsed.url;
      assert.equal(protocol, "https:");
      const start = `https://${host}`;
      assert.equal(text.slice(0, start.length).toLowerCase(), start, text);
      assert.match(text.slice(start.length), /^(:443)?([/?]|$)/, text);
    }),
    { seed: SEED, numRuns: SPELLINGS },
  );
});

test("the length limit is exact", () => {
  const start = "https://example.com/";
  const longest = start + "a".repeat(WEBHOOK_URL_LENGTH_MAX - start.length);
  assert.equal(longest.length, 2_048);
  assert.equal(parseWebhookUrl(longest).ok, true);
  assert.deepEqual(parseWebhookUrl(`${longest}a`), { ok: false, reason: "too_long" });
});

test("of the ports below 1024 only 443 is allowed, of those from 32768 up all are", () => {
  const allowed = Array.from({ length: 1_024 }, (_, port) => port).filter(isWebhookPort);
  assert.deepEqual(allowed, [443]);
  for (let port = 32_768; port <= 65_535; port += 1) assert.ok(isWebhookPort(port), `${port}`);
  for (const port of [8443, 1024, 3000, 4443, 5000, 8000, 8080, 8081, 8444, 8888, 9000, 9090, 9443, 10_443]) {
    assert.ok(isWebhookPort(port), `${port}`);
  }
  for (const port of [65_536, -1, Number.NaN]) assert.equal(isWebhookPort(port), false, `${port}`);
});

test("an allowed network exempts the addresses in it and no others", () => {
  for (const url of ["https://127.0.0.1:8443/", "https://127.9.9.9/", "https://[::1]/", "https://8.8.8.8/"]) {
    assert.equal(parseWebhookUrl(url, LOOPBACK).ok, true, url);
  }
  for (const url of [
    "https://10.0.0.1/",
    "https://[::2]/",
    "https://[::ffff:7f00:1]/",
    "https://169.254.169.254/",
  ]) {
    assert.deepEqual(parseWebhookUrl(url, LOOPBACK), { ok: false, reason: "not_public" }, url);
  }
});

test("with an allowed network, reserved names pass to the resolver, and all other rules hold", () => {
  for (const name of ["localhost", "db", "hook.test", "a.internal"]) {
    assert.equal(parseWebhookUrl(`https://${name}/`, LOOPBACK).ok, true, name);
    assert.deepEqual(parseWebhookUrl(`https://${name}/`), { ok: false, reason: "reserved_name" }, name);
  }
  for (const [url, reason] of [
    ["http://localhost/", "scheme"],
    ["https://localhost./", "host_form"],
    ["https://127.1/", "host_form"],
    ["https://a@localhost/", "userinfo"],
    ["https://localhost/#", "fragment"],
    ["https://localhost:22/", "port"],
    ["https://127.0.0.1:6379/", "port"],
    ["https://local\thost/", "characters"],
  ] as const) {
    assert.deepEqual(parseWebhookUrl(url, LOOPBACK), { ok: false, reason }, url);
  }
});

function rangesOf(...texts: string[]): IpRange[] {
  return texts.map((text) => {
    const range = parseIpRange(text);
    assert.ok(range, text);
    return range;
  });
}
