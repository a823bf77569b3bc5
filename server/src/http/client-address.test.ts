import assert from "node:assert/strict";
import { test } from "node:test";
import type { IpRange } from "../lib/ip.ts";
import { parseIpRange } from "../lib/ip.ts";
import { clientAddress } from "./client-address.ts";

const PROXIES = ["10.0.0.0/8", "2001:db8:aaaa::/48", "127.0.0.1"].map(
  (text) => parseIpRange(text) as IpRange,
);

test("without trusted proxies, the address is the connection's and the header is ignored", () => {
  assert.equal(clientAddress("203.0.113.7", "1.1.1.1", []), "203.0.113.7");
  assert.equal(clientAddress("203.0.113.7", undefined, []), "203.0.113.7");
});

test("the header is trusted only from a trusted proxy", () => {
  assert.equal(clientAddress("203.0.113.7", "1.1.1.1", PROXIES), "203.0.113.7");
  assert.equal(clientAddress("10.1.2.3", "1.1.1.1", PROXIES), "1.1.1.1");
  assert.equal(clientAddress("::ffff:10.1.2.3", "1.1.1.1", PROXIES), "1.1.1.1");
  assert.equal(clientAddress("2001:db8:aaaa::5", "2001:db8::1", PROXIES), "2001:db8::1");
});

test("the client is the rightmost hop that is not a trusted proxy", () => {
  assert.equal(clientAddress("10.1.2.3", "9.9.9.9, 198.51.100.4", PROXIES), "198.51.100.4");
  assert.equal(
    clientAddress("10.1.2.3", "9.9.9.9,198.51.100.4,10.9.9.9 ,  127.0.0.1", PROXIES),
    "198.51.100.4",
  );
  assert.equal(clientAddress("10.1.2.3", "10.0.0.1, 198.51.100.4", PROXIES), "198.51.100.4");
});

test("if every hop is a trusted proxy, the leftmost is the client", () => {
  assert.equal(clientAddress("10.1.2.3", "10.4.4.4, 10.5.5.5", PROXIES), "10.4.4.4");
  assert.equal(clientAddress("10.1.2.3", undefined, PROXIES), "10.1.2.3");
});

test("an invalid hop stops the walk, and nothing to its left is trusted", () => {
  for (const hop of ["unknown", "", "_secret", "198.51.100.4:443", "[2001:db8::1]", "10.0.0.0/8", "10.1"]) {
    assert.equal(clientAddress("10.1.2.3", `1.1.1.1, ${hop}`, PROXIES), hop, hop);
    assert.equal(clientAddress("10.1.2.3", `1.1.1.1, ${hop}, 10.4.4.4`, PROXIES), hop, hop);
  }
});

test("a connection without an address has no client address", () => {
  assert.equal(clientAddress(undefined, "1.1.1.1", PROXIES), "");
  assert.equal(clientAddress(undefined, undefined, []), "");
});
