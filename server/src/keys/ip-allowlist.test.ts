import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";

const PROXY = "10.0.0.7";
const V6_PROXY = "2001:db8:aaaa::1";

let scrip: TestApp;
let resellerId: string;

before(async () => {
  scrip = await createTestApp({ trustedProxies: ["10.0.0.0/8", "2001:db8:aaaa::/48"] });
  resellerId = (await scrip.addReseller()).id;
});

after(() => scrip.close());

/** An allowlist, the connection's address, the X-Forwarded-For header, and whether the key is accepted. */
const CASES: readonly (readonly [string[], string, string | undefined, boolean])[] = [
  [[], "198.51.100.1", undefined, true],
  [["203.0.113.7"], "203.0.113.7", undefined, true],
  [["203.0.113.7"], "203.0.113.8", undefined, false],
  [["203.0.113.0/24"], "203.0.113.255", undefined, true],
  [["203.0.113.0/24"], "203.0.114.0", undefined, false],
  [["192.0.2.1", "203.0.113.0/24", "2001:db8::/32"], "2001:db8:1::1", undefined, true],
  // Mapped addresses count as IPv4, in the list and on the wire.
  [["203.0.113.7"], "::ffff:203.0.113.7", undefined, true],
  [["::ffff:203.0.113.0/120"], "203.0.113.7", undefined, true],
  [["203.0.113.7"], "::ffff:203.0.113.8", undefined, false],
  [["2001:db8::/32"], "2001:db9::1", undefined, false],
  [["2001:DB8::1"], "2001:db8:0:0::1", undefined, true],
  [["0.0.0.0/0"], "2001:db8::1", undefined, false],
  // Only a trusted proxy is believed.
  [["203.0.113.7"], "198.51.100.1", "203.0.113.7", false],
  [["203.0.113.7"], PROXY, "203.0.113.7", true],
  [["203.0.113.7"], `::ffff:${PROXY}`, "203.0.113.7", true],
  [["203.0.113.7"], V6_PROXY, "203.0.113.7", true],
  [["203.0.113.7"], PROXY, "::ffff:203.0.113.7", true],
  [["2001:db8::5"], PROXY, "2001:db8::5", true],
  // The rightmost hop that is not a proxy counts. The client can write anything to its left.
  [["203.0.113.7"], PROXY, "203.0.113.7, 198.51.100.1", false],
  [["203.0.113.7"], PROXY, "198.51.100.1, 203.0.113.7", true],
  [["203.0.113.7"], PROXY, "198.51.100.1, 203.0.113.7, 10.1.1.1", true],
  [["203.0.113.7"], PROXY, "203.0.113.7, 198.51.100.1, 10.1.1.1", false],
  [["203.0.113.7"], PROXY, undefined, false],
  [["10.0.0.0/8"], PROXY, undefined, true],
  // An unparsable address is refused if the key has a list, and only then.
  [["0.0.0.0/0", "::/0"], PROXY, "unknown", false],
  [["0.0.0.0/0", "::/0"], PROXY, "", false],
  [["203.0.113.7"], PROXY, "203.0.113.7, ", false],
  [["203.0.113.7"], PROXY, "203.0.113.7:4711", false],
  [["203.0.113.7"], PROXY, "203.0.113.7, garbage", false],
  [["203.0.113.7"], PROXY, "203.0.113.7, 198.51.100.1, garbage, 10.1.1.1", false],
  [[], PROXY, "garbage", true],
];

test("an allowlist accepts exactly its addresses, read from the correct hop", async () => {
  for (const [allowedIps, remoteAddress, forwardedFor, accepted] of CASES) {
    const { key } = await scrip.addKey(resellerId, { allowedIps });
    const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
    const reply = await scrip.call("GET", "/v1/catalog", { key, remoteAddress, headers });
    const what = `${allowedIps} from ${remoteAddress} via ${forwardedFor}`;
    assert.equal(reply.statusCode, accepted ? 200 : 403, what);
    if (!accepted) assert.equal(reply.json().code, "ip_not_allowed", what);
  }
});

test("forwarding headers of other proxies are ignored", async () => {
  const { key } = await scrip.addKey(resellerId, { allowedIps: ["203.0.113.7"] });
  for (const name of ["forwarded", "x-real-ip", "cf-connecting-ip", "true-client-ip", "x-client-ip"]) {
    const headers = { [name]: name === "forwarded" ? "for=203.0.113.7" : "203.0.113.7" };
    assert.equal(
      (await scrip.call("GET", "/v1/catalog", { key, remoteAddress: PROXY, headers })).statusCode,
      403,
      name,
    );
  }
});

test("the response to a refused address does not reveal the allowed addresses", async () => {
  const { key } = await scrip.addKey(resellerId, { allowedIps: ["203.0.113.7"] });
  const reply = await scrip.call("GET", "/v1/catalog", { key, remoteAddress: "198.51.100.1" });
  assert.doesNotMatch(reply.body, /203\.0\.113|198\.51\.100/);
});

test("a key whose stored list is invalid is refused from every address", async () => {
  const { id, key } = await scrip.addKey(resellerId, { allowedIps: ["203.0.113.7"] });
  await scrip.db.rows(setAllowedIps(id, ["not an address"]));
  assert.equal(
    (await scrip.call("GET", "/v1/catalog", { key, remoteAddress: "203.0.113.7" })).statusCode,
    403,
  );
});

const setAllowedIps = (id: string, ips: string[]) =>
  sql`update api_keys set allowed_ips = ${ips} where id = ${id}`;
