import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addAttempt, addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";

let desk: WebhookDesk;
let owner: DashboardVisitor;
let viewer: DashboardVisitor;
let stranger: DashboardVisitor;
before(async () => {
  desk = await openWebhookDesk();
  owner = await signInAs(desk.scrip, desk.live.resellerId, "owner");
  viewer = await signInAs(desk.scrip, desk.live.resellerId, "viewer");
  stranger = await signInAs(desk.scrip, desk.stranger.resellerId, "owner");
});
after(() => desk.scrip.close());

const URL_OF_HOOK = "https://hooks.example.com/first";
const secretIn = (body: string): string => /whsec_[A-Za-z0-9+/]{43}=/.exec(body)?.[0] ?? "";

/** A delivery of the live reseller with one attempt that was answered with 503. */
async function addFailed(
  webhookId: string,
  body = "Try later",
): Promise<{ eventId: string; deliveryId: string }> {
  const eventId = await addEvent(desk.scrip.db, desk.live);
  const deliveryId = await addDelivery(desk.scrip.db, { eventId, endpointId: webhookId, status: "failed" });
  await addAttempt(desk.scrip.db, deliveryId, {
    ...{ number: 1, at: desk.clock.now(), status: 503, body },
    headers: "x-trace: <b>",
  });
  return { eventId, deliveryId };
}

/** What the log has about this object, newest first, all of it done by the owner. */
async function actionsOn(id: string, kind = "webhook"): Promise<string[]> {
  const { data } = await listActivity(
    desk.scrip.db,
    { kind: "staff" },
    { object: { kind, id } },
    { limit: 20 },
  );
  return data.map(({ action, actor }) => `${action} ${actor.id === owner.id ? "owner" : actor.id}`);
}

test("an added endpoint shows its secret once and records who added it", async () => {
  const added = await owner.post("/dashboard/webhooks?env=test", { url: URL_OF_HOOK });
  assert.equal(added.statusCode, 200, added.body);
  const secret = secretIn(added.body);
  assert.notEqual(secret, "");
  const [, id = ""] = /\/dashboard\/webhooks\/(whk_\w+)\?env=test/.exec(added.body) ?? [];
  const page = await owner.get(`/dashboard/webhooks/${id}?env=test`);
  assert.equal(page.statusCode, 200);
  assert.ok(!page.body.includes(secret));
  assert.match(page.body, /Send test event/);
  assert.match((await owner.get("/dashboard/webhooks?env=test")).body, /hooks\.example\.com\/first/);
  assert.equal((await owner.get(`/dashboard/webhooks/${id}`)).statusCode, 404, "it is not in live");
  assert.deepEqual(await actionsOn(id), ["webhook.created owner"]);
});

test("a URL that is refused comes back at its field with what was typed", async () => {
  const reply = await owner.post("/dashboard/webhooks", { url: "http://hooks.example.com/<b>" });
  assert.equal(reply.statusCode, 422);
  assert.match(reply.body, /must start with https/);
  assert.match(
    reply.body,
    /value="http:\/\/hooks\.example\.com\/&lt;b>|value="http:\/\/hooks\.example\.com\/&lt;b&gt;/,
  );
});

test("the second of two editors is told what changed, and can then save", async () => {
  const { webhook } = await desk.register();
  const path = `/dashboard/webhooks/${webhook.id}`;
  const form = (url: string, seenAt: string) => ({
    url,
    seenAt,
    seenUrl: webhook.url,
    seenEvents: "all types",
  });
  desk.clock.advance(1_000);
  const first = await owner.post(path, form("https://hooks.example.com/theirs", webhook.updatedAt));
  assert.equal(first.statusCode, 303, first.body);
  const second = await owner.post(path, form("https://hooks.example.com/mine", webhook.updatedAt));
  assert.equal(second.statusCode, 409);
  assert.match(second.body, /Someone changed this endpoint/);
  assert.match(
    second.body,
    /was https:\/\/hooks\.example\.com\/, is now https:\/\/hooks\.example\.com\/theirs/,
  );
  assert.match(second.body, /value="https:\/\/hooks\.example\.com\/mine"/);
  const [, seenAt = ""] = /name="seenAt" value="([^"]+)"/.exec(second.body) ?? [];
  assert.equal((await owner.post(path, form("https://hooks.example.com/mine", seenAt))).statusCode, 303);
  assert.match((await owner.get(path)).body, /hooks\.example\.com\/mine/);
});

test("a rotated secret is shown once, and only with fresh proof", async () => {
  const { webhook, secret } = await desk.register();
  const path = `/dashboard/webhooks/${webhook.id}/rotate`;
  const visit = await signInAs(desk.scrip, desk.live.resellerId, "developer");
  const rotated = await visit.post(path, { grace: "86400" });
  assert.equal(rotated.statusCode, 200, rotated.body);
  assert.notEqual(secretIn(rotated.body), "");
  assert.notEqual(secretIn(rotated.body), secret);
  desk.clock.advance(6 * 60_000);
  const later = await visit.post(path, { grace: "0" });
  assert.notEqual(later.statusCode, 200);
  assert.equal(secretIn(later.body), "");
  assert.notEqual((await visit.get(path)).statusCode, 200);
});

test("an endpoint is disabled, enabled, tested and removed", async () => {
  const { webhook } = await desk.register();
  const path = `/dashboard/webhooks/${webhook.id}`;
  assert.equal((await owner.post(`${path}/state`, { active: "no" })).statusCode, 303);
  const disabled = await owner.get(path);
  assert.match(disabled.body, /This endpoint is disabled/);
  assert.ok(!disabled.body.includes("Send test event"));
  const refused = await owner.post(`${path}/test`);
  assert.equal(refused.statusCode, 409);
  assert.match(refused.body, /is not active/);
  assert.equal((await owner.post(`${path}/state`, { active: "yes" })).statusCode, 303);
  const tested = await owner.post(`${path}/test`);
  assert.match(String(tested.headers.location), /^\/dashboard\/deliveries\/dlv_\w+$/);
  assert.match((await owner.get(String(tested.headers.location))).body, /webhook\.test/);
  assert.match((await owner.get(`${path}/remove`)).body, /Deliveries that are waiting end as failed/);
  assert.equal((await owner.post(`${path}/remove`)).statusCode, 303);
  assert.equal((await owner.get(path)).statusCode, 404);
  assert.deepEqual(await actionsOn(webhook.id), [
    "webhook.removed owner",
    "webhook.tested owner",
    "webhook.changed owner",
    "webhook.changed owner",
  ]);
});

test("a delivery shows what was sent and the receiver's answer as text, and is sent again", async () => {
  const { webhook } = await desk.register();
  const { eventId, deliveryId } = await addFailed(webhook.id, "<script>alert(1)</script>");
  const path = `/dashboard/deliveries/${deliveryId}`;
  const page = await owner.get(path);
  assert.match(page.body, /&lt;script>alert\(1\)|&lt;script&gt;alert\(1\)/);
  assert.ok(!page.body.includes("<script>alert(1)"));
  for (const part of [
    "503",
    "120 ms",
    eventId,
    "User-Agent: Scrip-Webhooks/1",
    "Service-Event-Type: order.fulfilled",
    "x-trace: &lt;b>",
  ])
    assert.ok(page.body.replaceAll("&gt;", ">").includes(part), part);
  assert.match(page.body, /aria-current="page"[^>]*><span>Webhooks/, "it belongs to the section Webhooks");
  assert.equal((await owner.post(`${path}/redeliver`)).headers.location, path);
  assert.match((await owner.get(path)).body, /pending/);
  assert.deepEqual(await actionsOn(deliveryId, "delivery"), ["delivery.restarted owner"]);
});

test("the log is filtered by its address, and a selection of it is sent again", async () => {
  const { webhook } = await desk.register();
  const path = `/dashboard/webhooks/${webhook.id}`;
  const failed = [await addFailed(webhook.id), await addFailed(webhook.id)].map(
    ({ deliveryId }) => deliveryId,
  );
  const shows = async (query: string) => (await owner.get(`${path}?${query}`)).body.includes(failed[0] ?? "");
  assert.equal(await shows("status=failed&eventType=&orderId=&from=&to="), true);
  assert.equal(await shows("status=delivered"), false);
  assert.equal(await shows("from=2020-01-01&to=2020-01-02"), false);
  assert.equal((await owner.get(`${path}?status=nonsense`)).statusCode, 400);
  const { deliveryId: foreign } = await addForeign();
  const sent = await owner.post(`${path}/redeliver`, { ids: [...failed, foreign, "dlv_none"] });
  assert.equal(sent.statusCode, 303);
  assert.equal(await shows("status=pending"), true);
  const none = await owner.post(`${path}/redeliver`);
  assert.equal(none.statusCode, 422);
  assert.match(none.body, /Select at least one delivery/);
});

/** A failed delivery of the other reseller. */
async function addForeign(): Promise<{ webhookId: string; deliveryId: string }> {
  const { webhook } = await desk.register(undefined, desk.stranger);
  const eventId = await addEvent(desk.scrip.db, desk.stranger);
  const deliveryId = await addDelivery(desk.scrip.db, { eventId, endpointId: webhook.id, status: "failed" });
  return { webhookId: webhook.id, deliveryId };
}

test("a time is recovered, and the page says how far it is", async () => {
  const { webhook } = await desk.register();
  const path = `/dashboard/webhooks/${webhook.id}`;
  await addFailed(webhook.id);
  const since = new Date(desk.clock.now().getTime() - 3 * 3_600_000).toISOString();
  const reply = await owner.post(`${path}/recover`, { since, until: "" });
  const to = String(reply.headers.location);
  assert.ok(to.startsWith(`${path}/recovery?since=`), reply.body);
  const page = await owner.get(to);
  assert.match(page.body, /Sending/);
  assert.match(page.body, /up-poll/);
  const wrong = await owner.post(`${path}/recover`, { since: "yesterday", until: "" });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /RFC 3339/);
  assert.equal((await owner.get(`${path}/recovery`)).statusCode, 400);
});

test("an endpoint of another reseller, or in the other environment, is not found", async () => {
  const { webhook } = await desk.register();
  const { deliveryId } = await addFailed(webhook.id);
  const span = "?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z";
  const paths = ["", "/edit", "/rotate", "/recover", "/remove", `/recovery${span}`].map(
    (page) => `/dashboard/webhooks/${webhook.id}${page}`,
  );
  const fresh = await signInAs(desk.scrip, desk.stranger.resellerId, "owner");
  for (const path of [
    ...paths,
    `/dashboard/deliveries/${deliveryId}`,
    "/dashboard/webhooks/%00",
    "/dashboard/deliveries/%00",
  ])
    assert.equal((await fresh.get(path)).statusCode, 404, path);
  const form = {
    url: URL_OF_HOOK,
    seenAt: webhook.updatedAt,
    seenUrl: "",
    seenEvents: "",
    active: "no",
    grace: "0",
    since: "2020-01-01T00:00:00Z",
    until: "",
    ids: deliveryId,
  };
  for (const action of ["", "/state", "/test", "/rotate", "/remove", "/redeliver"])
    assert.equal(
      (await fresh.post(`/dashboard/webhooks/${webhook.id}${action}`, form)).statusCode,
      404,
      action,
    );
  assert.equal((await fresh.post(`/dashboard/deliveries/${deliveryId}/redeliver`)).statusCode, 404);
  assert.equal((await desk.get("GET", `/v1/webhooks/${webhook.id}`)).webhook.active, true);
});

test("a viewer reads and changes nothing, and nobody is sent to sign in", async () => {
  const { webhook } = await desk.register();
  const { deliveryId } = await addFailed(webhook.id);
  const path = `/dashboard/webhooks/${webhook.id}`;
  const page = await viewer.get(path);
  assert.equal(page.statusCode, 200);
  for (const word of ["Send test event", "Rotate secret", "Redeliver", "Disable"])
    assert.ok(!page.body.includes(word), word);
  for (const form of [
    "/dashboard/webhooks/new",
    `${path}/edit`,
    `${path}/rotate`,
    `${path}/recover`,
    `${path}/remove`,
  ])
    assert.equal((await viewer.get(form)).statusCode, 403, form);
  for (const action of [
    "/dashboard/webhooks",
    path,
    `${path}/state`,
    `${path}/test`,
    `${path}/rotate`,
    `${path}/remove`,
    `${path}/recover`,
    `${path}/redeliver`,
    `/dashboard/deliveries/${deliveryId}/redeliver`,
  ])
    assert.equal((await viewer.post(action, { url: URL_OF_HOOK })).statusCode, 403, action);
  const nobody = await desk.scrip.app.inject({ url: path, headers: { host: "api.scrip.example" } });
  assert.equal(nobody.statusCode, 303);
  assert.equal((await stranger.get("/dashboard/webhooks")).body.includes(webhook.id), false);
});

test("a failing endpoint says how many deliveries failed since when, and when it will be disabled", async () => {
  const { webhook } = await desk.register();
  const since = desk.clock.now();
  const { db } = desk.scrip;
  for (const status of ["delivered", "failed", "pending"] as const) {
    const eventId = await addEvent(db, desk.live);
    const id = await addDelivery(db, { eventId, endpointId: webhook.id, status });
    for (const number of [1, 2]) await addAttempt(db, id, { number, at: since, error: "timeout" });
  }
  const failWith = (failures: number) =>
    db.rows({
      text: "update webhook_endpoints set failing_since = $1, failures = $2 where id = $3",
      values: [since, failures, webhook.id],
    });
  const chips = (body: string) =>
    [...body.matchAll(/class="chip (\w+)">(\w+)</g)].map(([, ...chip]) => chip.join(" "));
  await failWith(1);
  const early = await owner.get(`/dashboard/webhooks/${webhook.id}`);
  assert.ok(chips(early.body).includes("warn retrying"));
  assert.ok(!chips(early.body).includes("bad failing"));
  assert.match(early.body, /2 of the last 3 deliveries failed, since/);
  assert.ok(chips(early.body).includes("warn pending"), "a delivery that failed twice");

  await failWith(2);
  desk.clock.advance(120_001);
  const page = await owner.get(`/dashboard/webhooks/${webhook.id}`);
  const end = new Date(since.getTime() + 120 * 3_600_000);
  assert.ok(chips(page.body).includes("bad failing"));
  assert.match(page.body, /2 of the last 3 deliveries failed, since/);
  assert.ok(page.body.includes(end.toISOString()));
  const list = (await owner.get("/dashboard/webhooks")).body;
  assert.match(list, /2 of the last 3 deliveries failed, since[\s\S]*unless one succeeds/);
  const home = (await owner.get("/dashboard")).body;
  assert.match(home, /2 of the last 3 deliveries failed, since [^<]*No success for 2 min; disabled in/);
});
