import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { DEFAULT_TYPES } from "../../events/event-types.ts";

const URL = "https://hooks.example.com/";
const AT_ONCE = 24;

let desk: WebhookDesk;

before(async () => {
  desk = await openWebhookDesk();
});
after(() => desk.scrip.close());

test("POST /v1/webhooks answers 201 with the endpoint, its location, and a secret that is never shown again", async () => {
  const reply = await desk.ask("POST", "/v1/webhooks", { url: `${URL}a?b=c`, events: ["order.refunded"] });
  assert.equal(reply.statusCode, 201);
  const { webhook, secret } = reply.json();
  const now = desk.clock.now().toISOString();
  assert.deepEqual(webhook, {
    id: webhook.id,
    url: `${URL}a?b=c`,
    events: ["order.refunded"],
    active: true,
    createdAt: now,
    updatedAt: now,
  });
  assert.match(webhook.id, /^whk_[0-9a-z]{26}$/);
  assert.equal(reply.headers.location, `/v1/webhooks/${webhook.id}`);
  assert.equal(reply.headers["cache-control"], "no-store");
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(Buffer.from(secret.slice("whsec_".length), "base64").length, 32);
  const read = await desk.ask("GET", `/v1/webhooks/${webhook.id}`);
  assert.deepEqual(read.json(), { webhook });
  assert.ok(!read.body.includes("whsec"));
});

test("without events an endpoint is subscribed to all types but the noisy ones, and shows the current ones", async () => {
  const { webhook } = await desk.register({ url: URL });
  assert.deepEqual(webhook.events, [...DEFAULT_TYPES]);
  const [row] = await desk.scrip.db.rows<{ events: unknown }>(
    sql`select events from webhook_endpoints where id = ${webhook.id}`,
  );
  assert.equal(row?.events, null);
});

const REFUSED_BODIES: Record<string, [body: unknown, pointer: string, code: string]> = {
  "no body": [undefined, "", "type"],
  "no url": [{}, "/url", "required"],
  "a url that is no text": [{ url: 7 }, "/url", "type"],
  "no events": [{ url: URL, events: [] }, "/events", "minItems"],
  "events null": [{ url: URL, events: null }, "/events", "type"],
  "an unknown type": [
    { url: URL, events: ["order.fulfilled", "order.lost"] },
    "/events/1",
    "unknown_event_type",
  ],
  "a name of the prototype": [{ url: URL, events: ["constructor"] }, "/events/0", "unknown_event_type"],
  "a type twice": [{ url: URL, events: ["order.refunded", "order.refunded"] }, "/events/1", "repeated"],
  "too many types": [{ url: URL, events: Array(65).fill("order.refunded") }, "/events", "maxItems"],
  "an unknown field": [{ url: URL, secret: "whsec_mine" }, "/secret", "unknown_field"],
  "active from the start": [{ url: URL, active: false }, "/active", "unknown_field"],
};

for (const [what, [body, pointer, code]] of Object.entries(REFUSED_BODIES)) {
  test(`POST /v1/webhooks with ${what} is 400 invalid_request at ${pointer || "the body"}, and registers nothing`, async () => {
    const owner = await desk.addOwner();
    const reply = await desk.ask("POST", "/v1/webhooks", body, owner);
    assert.equal(reply.statusCode, 400, reply.body);
    const problem = reply.json();
    assert.equal(problem.code, "invalid_request");
    assert.deepEqual([problem.errors[0].pointer, problem.errors[0].code], [pointer, code]);
    assert.deepEqual((await desk.get("GET", "/v1/webhooks", undefined, owner)).data, []);
  });
}

test("the list is newest first, in pages, without removed endpoints or those of other resellers", async () => {
  const owner = await desk.addOwner();
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) made.unshift((await desk.register(undefined, owner)).webhook.id);
  await desk.get("DELETE", `/v1/webhooks/${made[1]}`, undefined, owner);
  const expected = made.filter((_, index) => index !== 1);
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await desk.get("GET", `/v1/webhooks?limit=3&cursor=${cursor}`, undefined, owner);
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    assert.equal(page.hasMore, page.nextCursor !== "");
    if (!page.hasMore) break;
    cursor = page.nextCursor;
    const elsewhere = await desk.ask("GET", `/v1/webhooks?cursor=${cursor}`, undefined, desk.stranger);
    assert.deepEqual([elsewhere.statusCode, elsewhere.json().code], [400, "invalid_cursor"]);
  }
  assert.deepEqual(seen, expected);
});

test("another environment or reseller can neither see nor change an endpoint", async () => {
  const { webhook } = await desk.register();
  const path = `/v1/webhooks/${webhook.id}`;
  const requests: [string, string, unknown][] = [
    ["GET", path, undefined],
    ["PATCH", path, { active: false }],
    ["PATCH", path, { url: "http://127.0.0.1/" }],
    ["DELETE", path, undefined],
    ["POST", `${path}/rotate`, { gracePeriodSeconds: 0 }],
    ["POST", `${path}/test`, undefined],
    ["POST", `${path}/recover`, { since: desk.clock.now().toISOString() }],
    ["GET", `${path}/deliveries`, undefined],
  ];
  const answers = new Set<string>();
  for (const owner of [desk.sandbox, desk.stranger]) {
    for (const [method, url, body] of requests) {
      for (const each of [url, url.replace(webhook.id, "whk_none"), url.replace(webhook.id, "%00")]) {
        const reply = await desk.ask(method, each, body, owner);
        assert.equal(reply.statusCode, 404, `${method} ${each}: ${reply.body}`);
        answers.add(reply.body.replace(String(reply.headers["x-request-id"]), "REQ"));
      }
    }
    const { data } = await desk.get("GET", "/v1/webhooks", undefined, owner);
    assert.ok(!JSON.stringify(data).includes(webhook.id));
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
  assert.deepEqual((await desk.get("GET", path)).webhook, webhook);
});

test(`of ${AT_ONCE} registrations at once 16 pass, and the others are 409 webhook_limit_reached`, async () => {
  const owner = await desk.addOwner();
  const replies = await Promise.all(
    Array.from({ length: AT_ONCE }, () => desk.ask("POST", "/v1/webhooks", { url: URL }, owner)),
  );
  const refused = replies.filter(({ statusCode }) => statusCode !== 201);
  assert.deepEqual([replies.length - refused.length, refused.length], [16, AT_ONCE - 16]);
  for (const reply of refused)
    assert.deepEqual([reply.statusCode, reply.json().code], [409, "webhook_limit_reached"]);
  const { data } = await desk.get("GET", "/v1/webhooks", undefined, owner);
  assert.equal(data.length, 16);
});

test("each environment has its own limit, an inactive endpoint counts, and a removed one does not", async () => {
  const owner = await desk.addOwner();
  const { key } = await desk.scrip.addKey(owner.resellerId, { env: "test" });
  const ids: string[] = [];
  for (let count = 0; count < 16; count += 1) ids.push((await desk.register(undefined, owner)).webhook.id);
  await desk.get("PATCH", `/v1/webhooks/${ids[0]}`, { active: false }, owner);
  assert.equal((await desk.ask("POST", "/v1/webhooks", { url: URL }, owner)).statusCode, 409);
  await desk.register(undefined, { ...owner, environment: "test", key });
  await desk.get("DELETE", `/v1/webhooks/${ids[3]}`, undefined, owner);
  await desk.register(undefined, owner);
  assert.equal((await desk.ask("POST", "/v1/webhooks", { url: URL }, owner)).statusCode, 409);
});

test("GET /v1/webhooks/egress-ips needs no key and can be cached", async () => {
  const reply = await desk.scrip.call("GET", "/v1/webhooks/egress-ips");
  assert.deepEqual(reply.json(), { data: ["192.0.2.10", "2001:db8::10"] });
  assert.equal(reply.headers["cache-control"], "public, max-age=300");
  const withKey = await desk.scrip.call("GET", "/v1/webhooks/egress-ips", { key: "junk" });
  assert.equal(withKey.statusCode, 200);
});
