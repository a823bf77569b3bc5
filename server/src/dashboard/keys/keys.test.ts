import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { PASSWORD } from "../../../testing/people/people-desk.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { getKey, listKeys } from "../../keys/list-keys.ts";

const clock = createHandClock(new Date("2041-05-06T07:08:09Z"));
const HOUR_MS = 3_600_000;
let scrip: TestApp;
let resellerId: string;
let owner: DashboardVisitor;
let viewer: DashboardVisitor;
let stranger: DashboardVisitor;

before(async () => {
  scrip = await createTestApp({ clock });
  ({ id: resellerId } = await scrip.addReseller());
  owner = await signInAs(scrip, resellerId, "owner");
  viewer = await signInAs(scrip, resellerId, "viewer");
  stranger = await signInAs(scrip, (await scrip.addReseller()).id, "owner");
});
after(() => scrip?.close());

const FIELDS = { name: "checkout", scopes: ["orders:read", "wallet:read"], allowedIps: "", expires: "" };
const keyIn = (body: string): string => /data-copy="(sc_(?:live|test)_\w+)"/.exec(body)?.[1] ?? "";
const unescaped = (text: string): string => text.replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const activityOf = async (action: string) =>
  (await listActivity(scrip.db, { kind: "reseller", resellerId }, { action }, { limit: 10 })).data;
const newest = async (environment: "live" | "test") => {
  const [key] = await listKeys(scrip.db, { resellerId, environment });
  assert.ok(key);
  return key;
};
const statusOf = async (key: string): Promise<number> =>
  (await scrip.call("GET", "/v1/balance", { key })).statusCode;

test("a new key is shown once, with a command that works as it is pasted", async () => {
  const reply = await owner.post("/dashboard/keys?env=test", FIELDS);
  assert.equal(reply.statusCode, 200);
  const key = keyIn(reply.body);
  assert.match(key, /^sc_test_\w{38}$/);
  const [, header = "", url = ""] =
    /data-copy="curl -H &#39;([^"]*?)&#39; &#39;([^"]*?)&#39;"/.exec(reply.body) ?? [];
  assert.equal(unescaped(header), `X-API-Key: ${key}`);
  const { origin, pathname } = new URL(unescaped(url));
  assert.equal(origin, "https://api.scrip.example");
  assert.equal((await scrip.call("GET", pathname, { key })).statusCode, 200);
  const list = await owner.get("/dashboard/keys?env=test");
  assert.ok(list.body.includes(`sc_test_…${key.slice(-4)}`));
  assert.ok(!list.body.includes(key));
  assert.ok(!(await owner.get("/dashboard/keys")).body.includes(`…${key.slice(-4)}`));
});

test("creating a key is in the activity log and in a letter to the owners, without the key", async () => {
  const [logged] = await activityOf("key.created");
  assert.deepEqual(logged?.actor, { kind: "user", id: owner.id });
  assert.deepEqual([logged?.environment, logged?.after?.name], ["test", "checkout"]);
  const letters = await scrip.db.rows<{ subject: string; text: string }>(
    sql`select subject, body_text as text from letters where subject like '%API key%'`,
  );
  assert.equal(letters.length, 1);
  assert.match(letters[0]?.text ?? "", /sc_test_…\w{4}/);
  assert.doesNotMatch(letters[0]?.text ?? "", /sc_test_\w{38}/);
});

test("a form that is refused comes back with what was typed and the error at its field", async () => {
  const address = await owner.post("/dashboard/keys?env=test", { ...FIELDS, allowedIps: "10.0.0.0/8 <b>" });
  assert.equal(address.statusCode, 422);
  assert.match(address.body, /id="create-allowedIps-error">[^<]*&lt;b&gt;[^<]* is neither an IP address/);
  const past = await owner.post("/dashboard/keys?env=test", { ...FIELDS, expires: "2041-05-06" });
  assert.match(past.body, /id="create-expires-error">Choose a day in the future/);
  for (const fields of [{ name: "" }, { name: "x".repeat(10_000) }, { scopes: [] }, { scopes: ["all"] }])
    assert.equal((await owner.post("/dashboard/keys?env=test", { ...FIELDS, ...fields })).statusCode, 422);
});

test("a key is edited, from the next request on, and a hostile name is text", async () => {
  const key = keyIn((await owner.post("/dashboard/keys?env=test", FIELDS)).body);
  const { id } = await newest("test");
  const name = `<script>alert("x")</script>`;
  const edited = { name, scopes: ["orders:read"], allowedIps: "203.0.113.9\n2001:db8::/32" };
  assert.equal((await owner.post(`/dashboard/keys/${id}?env=test`, edited)).statusCode, 303);
  assert.equal(await statusOf(key), 403);
  const page = await owner.get(`/dashboard/keys/${id}?env=test`);
  assert.ok(page.body.includes("&lt;script&gt;alert"));
  assert.ok(!page.body.includes("<script>alert"));
  const [logged] = await activityOf("key.changed");
  assert.deepEqual(logged?.after?.allowedIps, ["203.0.113.9", "2001:db8::/32"]);
  assert.deepEqual(logged?.before?.scopes, ["orders:read", "wallet:read"]);
});

test("a rolled key ends after its grace period, and the list says what replaces it", async () => {
  const old = keyIn((await owner.post("/dashboard/keys?env=test", FIELDS)).body);
  const { id } = await newest("test");
  const path = `/dashboard/keys/${id}/roll?env=test`;
  assert.match((await owner.get(path)).body, /<button[^>]*>Roll key<\/button>/);
  assert.equal((await owner.post(path, { grace: "73" })).statusCode, 422);
  const rolled = await owner.post(path, { grace: "2" });
  const fresh = keyIn(rolled.body);
  assert.deepEqual([await statusOf(old), await statusOf(fresh)], [200, 200]);
  assert.ok(rolled.body.includes(`…${fresh.slice(-4)}</a>`), "the old key names the new one");
  assert.match((await owner.post(path, { grace: "2" })).body, /was already rolled/);
  clock.advance(2 * HOUR_MS);
  assert.deepEqual([await statusOf(old), await statusOf(fresh)], [401, 200]);
  assert.equal((await activityOf("key.rolled")).length, 1);
});

test("a key is revoked at once, after a question", async () => {
  const key = keyIn((await owner.post("/dashboard/keys?env=test", FIELDS)).body);
  const { id } = await newest("test");
  const path = `/dashboard/keys/${id}/revoke?env=test`;
  assert.match((await owner.get(path)).body, /cannot be undone[\s\S]*<button[^>]*>Revoke<\/button>/);
  assert.equal((await owner.post(path)).headers.location, "/dashboard/keys?env=test");
  assert.equal(await statusOf(key), 401);
  assert.equal((await owner.post(path)).statusCode, 303);
  assert.equal((await activityOf("key.revoked")).length, 1);
  assert.ok((await owner.get("/dashboard/keys?env=test&show=ended")).body.includes(`…${key.slice(-4)}`));
});

test("a live key needs fresh proof, to be created and to be rolled", async () => {
  const fresh = await signInAs(scrip, resellerId, "developer");
  assert.match(keyIn((await fresh.post("/dashboard/keys", FIELDS)).body), /^sc_live_/);
  const { id } = await newest("live");
  clock.advance(5 * 60_000);
  const replies = [
    await fresh.post("/dashboard/keys", FIELDS),
    await fresh.post(`/dashboard/keys/${id}/roll`, { grace: "0" }),
  ];
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [403, 403],
  );
  assert.equal((await newest("live")).id, id);
  assert.equal((await fresh.post("/dashboard/keys?env=test", FIELDS)).statusCode, 200);
});

test("a live key gains scopes and addresses only with fresh proof, its owners are told, and it loses them without", async () => {
  const fresh = await signInAs(scrip, resellerId, "developer");
  const start = { ...FIELDS, allowedIps: "203.0.113.9 203.0.113.10" };
  const create = async () => {
    await fresh.post("/dashboard/keys", start);
    return (await newest("live")).id;
  };
  const [wide, narrow] = [await create(), await create()];
  const edit = (id: string, more: object) => fresh.post(`/dashboard/keys/${id}`, { ...start, ...more });
  const told = async () =>
    (
      await scrip.db.rows(
        sql`select from letters where subject = 'An API key on Scrip was given more access'`,
      )
    ).length;
  clock.advance(5 * 60_000);
  const before = await getKey(scrip.db, { resellerId, environment: "live" }, wide);
  for (const more of [
    { scopes: [...FIELDS.scopes, "orders:write"] },
    { scopes: ["orders:write"] },
    { allowedIps: "" },
    { allowedIps: "203.0.113.9 203.0.113.11" },
    { maxDay: "5.00" },
  ]) {
    const reply = await edit(wide, more);
    assert.equal(reply.statusCode, 403, JSON.stringify(more));
    assert.match(reply.body, /action="\/dashboard\/confirm/);
  }
  assert.deepEqual(await getKey(scrip.db, { resellerId, environment: "live" }, wide), before);
  for (const more of [{ name: "renamed" }, { scopes: ["orders:read"], allowedIps: "203.0.113.10" }])
    assert.equal((await edit(narrow, more)).statusCode, 303, JSON.stringify(more));
  assert.equal(await told(), 0);
  await fresh.post("/dashboard/confirm", { password: PASSWORD });
  assert.equal((await edit(wide, { allowedIps: "" })).statusCode, 303);
  assert.equal(await told(), 1);
  clock.advance(5 * 60_000);
  const limited = await edit(wide, { allowedIps: "203.0.113.12" });
  assert.equal(limited.statusCode, 303, "any address before: a list is less");
});

test("other people's keys are not found, and roles that manage no keys only read", async () => {
  const { id } = await newest("live");
  const missing = await owner.get("/dashboard/keys/key_none");
  for (const [method, path] of [
    ["get", ""],
    ["post", ""],
    ["get", "/roll"],
    ["post", "/roll"],
    ["get", "/revoke"],
    ["post", "/revoke"],
  ] as const) {
    const fields = { ...FIELDS, grace: "1" };
    const ask = (visit: DashboardVisitor, query = "") =>
      visit[method](`/dashboard/keys/${id}${path}${query}`, fields);
    assert.equal((await ask(stranger)).statusCode, 404, `${method} ${path}`);
    assert.equal((await ask(owner, "?env=test")).statusCode, 404, `${method} ${path} in test`);
    if (method === "post" || path !== "") assert.equal((await ask(viewer)).statusCode, 403);
  }
  assert.equal(missing.statusCode, 404);
  assert.equal((await viewer.post("/dashboard/keys", FIELDS)).statusCode, 403);
  const page = await viewer.get("/dashboard/keys");
  assert.equal(page.statusCode, 200);
  assert.ok(!page.body.includes("Create key") && !page.body.includes("Revoke<"));
  const signedOut = await scrip.app.inject("/dashboard/keys");
  assert.deepEqual(
    [signedOut.statusCode, signedOut.headers.location],
    [303, "/dashboard/sign-in?back=%2Fdashboard%2Fkeys"],
  );
});

test("a key's limits are set with it and changed later, and its page says what is left", async () => {
  const fields = { ...FIELDS, scopes: ["orders:write"], maxOrder: "1,500.00", maxDay: "2500" };
  const wrong = await owner.post("/dashboard/keys?env=test", { ...fields, maxDay: "0" });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /id="create-maxDay-error">The limit of a day must be an amount in USD above zero/);
  const comma = await owner.post("/dashboard/keys?env=test", { ...fields, maxDay: "500,00" });
  assert.equal(comma.statusCode, 422, "a decimal comma is not a hundred times as much");
  assert.equal((await owner.post("/dashboard/keys?env=test", fields)).statusCode, 200);
  const key = await newest("test");
  assert.deepEqual([key.maxOrderMinor, key.maxDayMinor], [150_000n, 250_000n]);
  const page = await viewer.get(`/dashboard/keys/${key.id}?env=test`);
  assert.match(page.body, /1,500\.00 USD[\s\S]*2,500\.00 USD[\s\S]*0\.00 USD spent today/);
  const edited = await owner.post(`/dashboard/keys/${key.id}?env=test`, {
    ...fields,
    maxOrder: "",
    maxDay: "9.99",
  });
  assert.equal(edited.statusCode, 303);
  const { maxOrderMinor, maxDayMinor } = await newest("test");
  assert.deepEqual([maxOrderMinor, maxDayMinor], [null, 999n]);
  const [logged] = await activityOf("key.changed");
  assert.deepEqual([logged?.before?.maxDay, logged?.after?.maxDay], ["2500.00 USD", "9.99 USD"]);
});

test("a frozen key says so, and a person who manages keys unfreezes it", async () => {
  await owner.post("/dashboard/keys?env=test", { ...FIELDS, velocity: "10" });
  const { id, velocityTimes } = await newest("test");
  assert.equal(velocityTimes, 10);
  await scrip.db.rows(sql`update api_keys set frozen_at = ${clock.now()} where id = ${id}`);
  const page = await viewer.get(`/dashboard/keys/${id}?env=test`);
  assert.match(page.body, /This key is frozen/);
  assert.match(page.body, /still learning it/);
  assert.doesNotMatch(page.body, /Unfreeze key/);
  assert.match((await owner.get(`/dashboard/keys/${id}?env=test`)).body, /Unfreeze key/);
  assert.equal((await stranger.post(`/dashboard/keys/${id}/unfreeze?env=test`, {})).statusCode, 404);
  assert.equal((await owner.post(`/dashboard/keys/${id}/unfreeze?env=test`, {})).statusCode, 303);
  assert.equal((await newest("test")).frozenAt, null);
  assert.equal((await activityOf("key.unfrozen")).length, 1);
});
