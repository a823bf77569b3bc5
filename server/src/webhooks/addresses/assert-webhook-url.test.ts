import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { parseIpRange } from "../../lib/ip.ts";
import type { Problem } from "../../lib/problem.ts";
import { assertWebhookUrl } from "./assert-webhook-url.ts";

/** What the name servers of these tests know. */
const NAMES: Record<string, readonly string[]> = {
  "public.example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "inside.example.com": ["10.1.2.3"],
  "mixed.example.com": ["93.184.215.14", "169.254.169.254"],
  "loopback.example.com": ["::1"],
};

const lookup = async (hostname: string): Promise<readonly string[]> => {
  const addresses = NAMES[hostname];
  if (!addresses) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  return addresses;
};

let desk: WebhookDesk;

before(async () => {
  desk = await openWebhookDesk({ lookup });
});
after(() => desk.scrip.close());

test("a public https URL is registered as it was sent", async () => {
  const urls = [
    "https://public.example.com",
    "HTTPS://Public.Example.com:443/Hook?a=b%20c&d",
    "https://public.example.com:8443/",
    "https://public.example.com:3000/",
    "https://93.184.215.14/",
    "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/hook",
    "https://xn--bcher-kva.example/ü",
  ];
  for (const url of urls) assert.equal((await desk.register({ url })).webhook.url, url);
});

test("a name that does not resolve is accepted: delivery decides", async () => {
  await desk.register({ url: "https://soon.example.com/" });
});

const REFUSED: Record<string, string> = {
  "": "must start with https",
  "hooks.example.com": "must start with https",
  "http://public.example.com/": "must start with https",
  "ftp://public.example.com/": "must start with https",
  "https://public.example.com/#top": "fragment",
  "https://me:pass@public.example.com/": "user name or password",
  "https://public.example.com:22/": "port",
  "https://public.example.com:5432/": "port",
  "https://public.example.com/a b": "spaces",
  "https://bücher.example/": "xn--",
  "https://0x7f.1/": "canonical form",
  "https://127.0.0.1/": "must be public",
  "https://[::ffff:10.0.0.1]/": "canonical form",
  "https://[::1]/": "must be public",
  "https://localhost/": "inside a network",
  "https://printer.local/": "inside a network",
  "https://inside.example.com/": "public addresses only",
  "https://mixed.example.com/": "public addresses only",
  "https://loopback.example.com/": "public addresses only",
};

for (const [url, reason] of Object.entries(REFUSED)) {
  test(`"${url}" is 422 webhook_url_not_allowed, which says why and names no address`, async () => {
    const owner = await desk.addOwner();
    const reply = await desk.ask("POST", "/v1/webhooks", { url }, owner);
    assert.equal(reply.statusCode, 422, reply.body);
    const { code, detail, errors } = reply.json();
    assert.equal(code, "webhook_url_not_allowed");
    assert.ok(detail.includes(reason), detail);
    assert.deepEqual(errors, [{ pointer: "/url", code: "not_allowed", detail }]);
    for (const address of Object.values(NAMES).flat()) assert.ok(!reply.body.includes(address), reply.body);
    assert.deepEqual((await desk.get("GET", "/v1/webhooks", undefined, owner)).data, []);
  });
}

test("2,048 characters pass and one more is 422, not 400", async () => {
  const start = "https://public.example.com/";
  const longest = start + "a".repeat(2_048 - start.length);
  assert.equal((await desk.register({ url: longest })).webhook.url, longest);
  const reply = await desk.ask("POST", "/v1/webhooks", { url: `${longest}a` });
  assert.deepEqual([reply.statusCode, reply.json().code], [422, "webhook_url_not_allowed"]);
});

test("the body is validated before the URL", async () => {
  const reply = await desk.ask("POST", "/v1/webhooks", { url: "http://localhost/", events: ["order.lost"] });
  assert.equal(reply.json().code, "invalid_request");
});

test("an allowed network allows its addresses, and names that resolve only to them", async () => {
  const network = parseIpRange("10.0.0.0/8");
  assert.ok(network);
  const settings = { egressIps: [], allowNetworks: [network], lookup };
  await assertWebhookUrl(settings, "https://10.9.9.9/");
  await assertWebhookUrl(settings, "https://inside.example.com/");
  for (const url of ["https://127.0.0.1/", "https://loopback.example.com/", "https://mixed.example.com/"])
    await assert.rejects(
      () => assertWebhookUrl(settings, url),
      (error: Problem) => error.code === "webhook_url_not_allowed",
    );
});
