import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCEPTED_URLS, PUBLIC_NEIGHBOURS } from "../../../testing/receivers/accepted-urls.ts";
import { REFUSED } from "../../../testing/receivers/refused-urls.ts";
import { isPublicUnicast } from "./public-address.ts";
import { resolveWebhookHost } from "./resolve-webhook-host.ts";
import { parseWebhookUrl } from "./webhook-url.ts";

const REFUSED_MIN = 300;

test("every URL, address and answer of the table is refused, at its stage and for its reason", async (t) => {
  const seen = new Set<string>();
  const byStage: Record<string, number> = {};
  for (const entry of REFUSED) {
    const name = JSON.stringify(entry);
    assert.ok(!seen.has(name), `${name} is there twice`);
    seen.add(name);
    byStage[entry.stage] = (byStage[entry.stage] ?? 0) + 1;
    if (entry.stage === "url") {
      assert.deepEqual(parseWebhookUrl(entry.text), { ok: false, reason: entry.reason }, name);
    } else if (entry.stage === "address") {
      assert.equal(isPublicUnicast(entry.text), false, name);
    } else {
      const options = { allowNetworks: [], lookup: async () => entry.answers };
      assert.deepEqual(await resolveWebhookHost(entry.text, options), { kind: "refused" }, name);
    }
  }
  t.diagnostic(`refused entries: ${seen.size} ${JSON.stringify(byStage)}`);
  assert.ok(seen.size >= REFUSED_MIN && (byStage.url ?? 0) >= REFUSED_MIN, `only ${seen.size} entries`);
});

test("every URL of the other table is accepted, with the host and the port it names", () => {
  for (const [text, hostname, port] of ACCEPTED_URLS) {
    const parsed = parseWebhookUrl(text);
    assert.ok(parsed.ok, `${text}: ${JSON.stringify(parsed)}`);
    assert.deepEqual([parsed.hostname, parsed.port], [hostname, port], text);
    assert.equal(parsed.url.href, new URL(text).href);
  }
});

test("the public neighbours of every range are accepted, as an address, in a URL and as an answer", async () => {
  assert.ok(PUBLIC_NEIGHBOURS.length >= 40, `only ${PUBLIC_NEIGHBOURS.length} neighbours`);
  for (const address of PUBLIC_NEIGHBOURS) {
    assert.equal(isPublicUnicast(address), true, address);
    const url = `https://${address.includes(":") ? `[${address}]` : address}/`;
    const parsed = parseWebhookUrl(url);
    assert.ok(parsed.ok && parsed.hostname === address, url);
    const options = { allowNetworks: [], lookup: async () => [address] };
    assert.deepEqual(await resolveWebhookHost("hook.example.com", options), {
      kind: "addresses",
      addresses: [address],
    });
  }
});
