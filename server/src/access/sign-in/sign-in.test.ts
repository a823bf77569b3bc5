import assert from "node:assert/strict";
import { after, test } from "node:test";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { cookieOf, locationOf, type Visiting } from "../../../testing/people/dashboard-visitor.ts";
import { COMMAND, PASSWORD, tokenOf } from "../../../testing/people/people-desk.ts";
import { addTotp, confirmTotp } from "../../accounts/factors/change-totp.ts";
import { requestReset } from "../../accounts/passwords/reset-password.ts";
import { removePerson, requireFactor } from "../../accounts/people/change-person.ts";
import { invitePerson } from "../../accounts/people/invite-person.ts";
import { makeEntry } from "../../accounts/people/open-entry.ts";
import { createFindSession } from "../../accounts/sessions/find-session.ts";

const desk = await openDashboardDesk();
const { accounts, clock, get, post } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller({ name: "Corner <b>Shop</b>" });
const team = { kind: "user", resellerId } as const;
const findSession = createFindSession(desk.db, clock);

const stranger = (): Visiting => ({ cookie: "" });
const sessionOf = async ({ cookie }: Visiting) => {
  const session = await findSession("dashboard", cookie, "127.0.0.1");
  assert.ok(session);
  return session;
};

test("sign-in with a password sets the cookie of a session and leads back", async () => {
  const { email } = await desk.join(resellerId, "viewer");
  const person = stranger();
  const page = await get(person, "/dashboard/sign-in?back=%2Fdashboard%2Fteam%3Fenv%3Dtest");
  assert.match(page.body, /name="back" value="\/dashboard\/team\?env=test"/);
  const back = "/dashboard/team?env=test";
  const reply = await post(person, "/dashboard/sign-in", { email, password: PASSWORD, back });
  assert.deepEqual([reply.statusCode, locationOf(reply)], [303, back]);
  assert.match(
    String(reply.headers["set-cookie"]),
    /^__Host-scrip=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800$/,
  );
  assert.equal((await get(person, back)).statusCode, 200);
});

test("a wrong email, a wrong password and an address elsewhere are answered alike, and nobody is sent elsewhere", async () => {
  const { email } = await desk.join(resellerId, "viewer");
  const bodies: string[] = [];
  for (const [who, password] of [
    [email, "wrong password here"],
    ["nobody@corner.example", PASSWORD],
  ] as const) {
    const reply = await post(stranger(), "/dashboard/sign-in", { email: who, password });
    assert.equal(reply.statusCode, 422);
    assert.equal(cookieOf(reply), undefined);
    assert.doesNotMatch(reply.body, new RegExp(password));
    bodies.push(reply.body.replaceAll(who, "").replaceAll(/data-now="[^"]*"/g, ""));
  }
  assert.equal(bodies[0], bodies[1]);
  for (const back of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/v1/orders",
    "/dashboard/sign-out",
  ]) {
    const reply = await post(stranger(), "/dashboard/sign-in", { email, password: PASSWORD, back });
    assert.equal(locationOf(reply), "/dashboard", back);
  }
});

test("with a factor the password leads to a second step, where a wrong code keeps the step and a right one signs in", async () => {
  const joined = await desk.join(resellerId, "developer");
  const session = await sessionOf(joined);
  const { secret } = await addTotp(accounts, session);
  const { recoveryCodes } = await confirmTotp(
    accounts,
    session,
    codeFor(secret.reveal(), clock.now()),
    "127.0.0.1",
  );
  const person = stranger();
  const step = await post(person, "/dashboard/sign-in", { email: joined.email, password: PASSWORD });
  assert.equal(step.statusCode, 200);
  assert.equal(person.cookie, "");
  const pending = /name="pending" value="([\w-]+)"/.exec(step.body)?.[1] ?? "";
  const wrong = await post(person, "/dashboard/sign-in/code", { pending, code: "000000", methods: "totp" });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, new RegExp(`name="pending" value="${pending}"`));
  clock.advance(30_000);
  const code = codeFor(secret.reveal(), clock.now());
  const right = await post(person, "/dashboard/sign-in/code", { pending, code });
  assert.deepEqual([right.statusCode, locationOf(right)], [303, "/dashboard"]);
  const again = await post(stranger(), "/dashboard/sign-in/code", { pending, code: recoveryCodes[0] ?? "" });
  assert.equal(again.statusCode, 401);
});

test("an invitation sets the password by the form it opens, then asks for a factor, with Later", async () => {
  const { link } = await invitePerson(
    accounts,
    team,
    { email: "new@corner.example", role: "viewer" },
    COMMAND,
  );
  const path = link.replace("https://api.scrip.example", "");
  const person = stranger();
  for (let looks = 0; looks < 2; looks += 1) {
    const page = await get(person, path);
    assert.equal(page.statusCode, 200);
    assert.match(page.body, /Join Corner &lt;b&gt;Shop&lt;\/b&gt;/);
    assert.match(page.body, />Set password</);
  }
  const token = tokenOf(link);
  const short = await post(person, "/dashboard/accept", { token, name: "Ada", password: "short" });
  assert.equal(short.statusCode, 422);
  assert.match(short.body, /value="Ada"/);
  const reply = await post(person, "/dashboard/accept", { token, name: "Ada", password: PASSWORD });
  assert.deepEqual([reply.statusCode, locationOf(reply)], [303, "/dashboard/add-factor"]);
  const asked = await get(person, "/dashboard/add-factor");
  assert.match(asked.body, /href="\/dashboard">Later</);
  for (const used of [path, "/dashboard/accept?token=nothing", "/dashboard/accept"]) {
    const gone = await get(stranger(), used);
    assert.equal(gone.statusCode, 410, used);
    assert.match(gone.body, /This link does not work/);
  }
  assert.equal((await post(stranger(), "/dashboard/accept", { token, password: PASSWORD })).statusCode, 410);
});

test("a reset link sets a new password, ends every session and does not sign in", async () => {
  const joined = await desk.join(resellerId, "viewer");
  const asked = await post(stranger(), "/dashboard/reset/request", { email: joined.email });
  assert.match(asked.body, /Check your email/);
  const links: string[] = [];
  const withMail = {
    ...accounts,
    queueLetter: async (_tx: unknown, letter: { text: string }) => links.push(letter.text),
  };
  await requestReset(withMail, "dashboard", { email: joined.email }, "127.0.0.1", 0);
  const link = /https:\S+/.exec(links[0] ?? "")?.[0] ?? "";
  const person = stranger();
  assert.match(
    (await get(person, link.replace("https://api.scrip.example", ""))).body,
    /Choose a new password/,
  );
  const reply = await post(person, "/dashboard/reset", {
    token: tokenOf(link),
    password: "seven quiet herons",
  });
  assert.deepEqual([reply.statusCode, locationOf(reply), person.cookie], [303, "/dashboard/sign-in", ""]);
  assert.equal((await get(joined, "/dashboard/team")).statusCode, 303);
});

test("the demo's link signs in once, from this machine alone, and a look at it does not use it up", async () => {
  const { id } = await desk.join(resellerId, "owner");
  const url = (await makeEntry(accounts, { id, kind: "user" })).replace("https://api.scrip.example", "");
  assert.equal((await get({ cookie: "", address: "203.0.113.9" }, url)).statusCode, 403);
  await desk.app.inject({ method: "HEAD", url });
  const person = stranger();
  const reply = await get(person, url);
  assert.deepEqual([reply.statusCode, locationOf(reply)], [303, "/dashboard"]);
  assert.equal((await get(person, "/dashboard/team")).statusCode, 200);
  assert.equal((await get(stranger(), url)).statusCode, 410);
});

test("a stolen cookie is refused after sign-out and after removal, and a form of it changes nothing", async () => {
  const owner = await desk.join(resellerId, "owner");
  const stolen = { cookie: owner.cookie };
  const reply = await post(owner, "/dashboard/sign-out");
  assert.deepEqual([reply.statusCode, locationOf(reply), owner.cookie], [303, "/dashboard/sign-in", ""]);
  assert.equal((await get(stolen, "/dashboard/security")).statusCode, 303);
  assert.equal((await post(stolen, "/dashboard/team", {})).statusCode, 401);
  const viewer = await desk.join(resellerId, "viewer");
  await removePerson(accounts, team, viewer.id, COMMAND);
  assert.equal((await get(viewer, "/dashboard/team")).statusCode, 303);
});

test("after five minutes a change of people asks for proof, loses nothing that was typed, and goes on with a new cookie", async () => {
  const owner = await desk.join(resellerId, "owner");
  clock.advance(6 * 60_000);
  const fields = { email: "typed@corner.example", name: "Typed <i>Name</i>", role: "support" };
  const asked = await post(owner, "/dashboard/team?env=test", fields);
  assert.equal(asked.statusCode, 403);
  assert.match(asked.body, /Confirm that it is you/);
  assert.match(asked.body, /Invite typed@corner\.example as support\./);
  assert.match(asked.body, /<dd>Typed &lt;i&gt;Name&lt;\/i&gt;<\/dd>/);
  const carried = attributeOf(asked.body, "carried");
  const before = owner.cookie;
  const wrong = await post(owner, "/dashboard/confirm", { password: "not the password", carried });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /id="form-password-error"[\s\S]*/);
  assert.match(wrong.body, /Invite typed@corner\.example as support\./);
  assert.equal(attributeOf(wrong.body, "carried"), carried);
  const done = await post(owner, "/dashboard/confirm?env=test", { password: PASSWORD, carried });
  assert.match(done.body, /Send this link to typed@corner.example/);
  assert.match(done.body, /href="\/dashboard\/team\?env=test"/);
  assert.notEqual(owner.cookie, before);
  assert.equal((await get({ cookie: before }, "/dashboard/team")).statusCode, 303);
  assert.match((await get(owner, "/dashboard/team")).body, /Typed &lt;i&gt;Name/);
});

test("a page that needs proof leads to the confirmation and back", async () => {
  const person = await desk.join(resellerId, "viewer");
  clock.advance(6 * 60_000);
  const reply = await get(person, "/dashboard/security/totp");
  assert.equal(locationOf(reply), "/dashboard/confirm?back=%2Fdashboard%2Fsecurity%2Ftotp");
  const back = "/dashboard/security/totp";
  const confirmed = await post(person, "/dashboard/confirm", { password: PASSWORD, back });
  assert.equal(locationOf(confirmed), back);
  assert.equal((await get(person, back)).statusCode, 200);
});

test("where the team requires a factor, a session without one sees only how to add it, and signs out", async () => {
  const other = await desk.addReseller();
  const person = await desk.join(other.id, "viewer");
  await requireFactor(accounts, other.id, true, COMMAND);
  for (const path of ["/dashboard/team", "/dashboard/activity"])
    assert.equal(locationOf(await get(person, path)), "/dashboard/add-factor");
  const asked = await get(person, "/dashboard/add-factor");
  assert.doesNotMatch(asked.body, />Later</);
  assert.equal((await get(person, "/dashboard/security")).statusCode, 200);
  assert.equal(locationOf(await post(person, "/dashboard/sign-out")), "/dashboard/sign-in");
});

/** The value of a hidden field, as a browser reads it. */
function attributeOf(body: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? "";
  return value
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
