import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import {
  type DashboardVisitor,
  locationOf,
  type Visiting,
} from "../../../testing/people/dashboard-visitor.ts";
import { PASSWORD } from "../../../testing/people/people-desk.ts";
import { signIn } from "../../accounts/sign-in/sign-in.ts";
import { newFormId } from "../../web/form/hidden-fields.ts";

const desk = await openDashboardDesk();
const { accounts, clock, db, get, post } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller({ name: "Corner Shop" });
const CONFIRM = "/dashboard/confirm";
const STALE_MS = 6 * 60_000;

const carriedIn = (body: string): string => /name="carried" value="([^"]*)"/.exec(body)?.[1] ?? "";
const invitedTo = async (email: string) =>
  (await db.rows(sql`select from accounts where email = ${email}`)).length;

/** An owner whose proof is old, and what the page carries after an invitation was sent. */
async function started(email: string): Promise<{ owner: DashboardVisitor; carried: string }> {
  const owner = await desk.join(resellerId, "owner");
  clock.advance(STALE_MS);
  const asked = await post(owner, "/dashboard/team", { email, role: "viewer" });
  assert.equal(asked.statusCode, 403);
  return { owner, carried: carriedIn(asked.body) };
}
const prove = (person: Visiting, carried: string, password = PASSWORD) =>
  post(person, CONFIRM, { password, carried });

test("what waits is run once, however often its proof is sent", async () => {
  const { owner, carried } = await started("once@corner.example");
  const [first, second] = [{ ...owner }, { ...owner }];
  assert.match((await prove(first, carried)).body, /Send this link to once@corner\.example/);
  // The cookie of before is of no use any more, and with the new one the form counts as sent.
  assert.equal((await prove(second, carried)).statusCode, 401);
  const again = await prove(first, carried);
  assert.equal(again.statusCode, 409);
  assert.match(again.body, /was sent before and is not run twice/);
  assert.equal(await invitedTo("once@corner.example"), 1);
});

test("what waits belongs to the session that sent it, unchanged, for an hour", async () => {
  const { owner, carried } = await started("bound@corner.example");
  const other = await desk.join(resellerId, "owner");
  const elsewhere = await signIn(
    accounts,
    "dashboard",
    { email: owner.email, password: PASSWORD },
    desk.visitor,
  );
  const sameOwner = { cookie: elsewhere.state === "signed_in" ? elsewhere.session.cookie.reveal() : "" };
  const changed = `${carried.slice(0, -4)}${carried.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  const inClear = JSON.stringify({ action: "/dashboard/team", fields: [["email", "evil@corner.example"]] });
  for (const [person, sent] of [
    [other, carried],
    [sameOwner, carried],
    [owner, changed],
    [owner, inClear],
    [owner, "x".repeat(20_000)],
  ] as const) {
    const cookie = person.cookie;
    const reply = await prove(person, sent);
    assert.equal(reply.statusCode, 422);
    assert.match(reply.body, /Nothing was done\. Open its page and send it again\./);
    assert.equal(person.cookie, cookie, "no proof was taken for it");
  }
  clock.advance(60 * 60_000);
  assert.match((await prove(owner, carried)).body, /too old/);
  assert.equal(await invitedTo("bound@corner.example"), 0);
});

test("nothing of what waits can be read in the page but what it says", async () => {
  const owner = await desk.join(resellerId, "owner");
  clock.advance(STALE_MS);
  const asked = await post(owner, "/dashboard/security/totp/confirm", {
    code: "424242",
    password: "hidden-words",
  });
  assert.match(asked.body, /Add the authenticator app whose code you typed/);
  assert.doesNotMatch(asked.body, /424242|hidden-words/);
  assert.doesNotMatch(Buffer.from(carriedIn(asked.body), "base64url").toString("latin1"), /totp|code|4242/);
});

test("guesses of the proof are limited, and nothing is done meanwhile", async () => {
  const { owner, carried } = await started("guessed@corner.example");
  for (let guess = 0; guess < 5; guess += 1) {
    const reply = await prove(owner, carried, `wrong guess ${guess}`);
    assert.match(reply.body, /id="form-password-error">The password is not right, or there were too many/);
    assert.doesNotMatch(reply.body, /wrong guess/);
  }
  assert.equal((await prove(owner, carried)).statusCode, 422, "the right one is refused while it is locked");
  assert.equal(await invitedTo("guessed@corner.example"), 0);
  clock.advance(50 * 60_000);
  assert.match((await prove(owner, carried)).body, /Send this link/);
});

test("what would be refused is refused before anyone is asked for proof, and nothing is left of the trial", async () => {
  const owner = await desk.join(resellerId, "owner");
  const present = await desk.join(resellerId, "viewer");
  clock.advance(STALE_MS);
  const count = () =>
    db.rows(sql`select (select count(*) from activity) as a, (select count(*) from letters) as l`);
  const before = await count();
  const taken = await post(owner, "/dashboard/team", { email: present.email, role: "viewer", name: "Kept" });
  assert.equal(taken.statusCode, 422);
  assert.match(taken.body, /is on this team already/);
  assert.match(taken.body, /value="Kept"/);
  const asked = await post(owner, "/dashboard/team", { email: "trial@corner.example", role: "viewer" });
  assert.match(asked.body, /Invite trial@corner\.example as viewer\./);
  assert.deepEqual(await count(), before);
});

test("what is refused after the proof comes back on its own page with what was typed", async () => {
  const { owner, carried } = await started("late@corner.example");
  await desk.join(resellerId, "viewer", "late@corner.example");
  const refused = await prove(owner, carried);
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /<h1>Team<\/h1>[\s\S]*late@corner\.example is on this team already/);
  assert.match(refused.body, /name="email" value="late@corner\.example"/);
  // The page is of the session that the proof has renewed: its forms work.
  assert.equal((await get(owner, "/dashboard/team")).statusCode, 200);
});

test("who may no longer do it is refused, with the proof", async () => {
  const { owner, carried } = await started("demoted@corner.example");
  await db.rows(sql`update accounts set role = 'viewer' where id = ${owner.id}`);
  assert.equal((await prove(owner, carried)).statusCode, 403);
  assert.equal(await invitedTo("demoted@corner.example"), 0);
});

test("a form that is sent again before it is confirmed asks again, as after a reload", async () => {
  const owner = await desk.join(resellerId, "owner");
  clock.advance(STALE_MS);
  const fields = { email: "reload@corner.example", role: "viewer", _form: newFormId() };
  for (let sent = 0; sent < 2; sent += 1)
    assert.equal((await post(owner, "/dashboard/team", fields)).statusCode, 403);
  assert.equal(locationOf(await get(owner, "/dashboard/team/usr_x/role")), "/dashboard/team/usr_x");
});

test("a form that counts once is run once, however often it was sent before its proof and after it", async () => {
  const owner = await desk.join(resellerId, "owner");
  clock.advance(STALE_MS);
  const fields = { name: "Once", scopes: "orders:read", _form: newFormId() };
  const send = () => post(owner, "/dashboard/keys?env=live", fields);
  const [first, second] = [carriedIn((await send()).body), carriedIn((await send()).body)];
  assert.equal((await prove(owner, first)).statusCode, 200);
  assert.equal((await prove(owner, second)).statusCode, 409);
  assert.equal((await send()).statusCode, 409);
  const keys = await db.rows(sql`select from api_keys where name = 'Once'`);
  assert.equal(keys.length, 1);
});

test("with a password and an app one of the two is asked for, and both fields say so", async () => {
  const owner = await desk.join(resellerId, "owner");
  await db.rows(sql`
    insert into totp_factors (account_id, sealed, created_at, confirmed_at)
    values (${owner.id}, ${Buffer.alloc(64)}, ${clock.now()}, ${clock.now()})`);
  const page = await get(owner, CONFIRM);
  assert.equal([...page.body.matchAll(/<small>one of the two<\/small>/g)].length, 2);
  assert.doesNotMatch(page.body, /<small>optional<\/small>/);
  const none = await post(owner, CONFIRM, { password: "", code: "" });
  assert.match(
    none.body,
    /id="form-password-error">Enter your password or a one-time code\. One of the two is enough\./,
  );
});
