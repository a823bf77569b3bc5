import assert from "node:assert/strict";
import { after, test } from "node:test";
import { codeFor } from "../../testing/people/authenticator-app.ts";
import { openConsoleDesk } from "../../testing/people/console-desk.ts";
import { signInAs } from "../../testing/people/dashboard-visitor.ts";
import { COMMAND, PASSWORD, STAFF_TEAM, tokenOf } from "../../testing/people/people-desk.ts";
import { invitePerson } from "../accounts/people/invite-person.ts";
import { makeEntry } from "../accounts/people/open-entry.ts";

const desk = await openConsoleDesk();
after(desk.close);
const { console, clock, get, post } = desk;
const reseller = await desk.addReseller();

test("staff sign in with a password and a one-time code, and see their role and the console's name", async () => {
  const { email, totpKey } = await desk.enter("finance");
  const person = { cookie: "" };
  const page = await get(person, "/sign-in?back=%2Fsecurity");
  assert.match(page.body, /to the operator console/);
  const step = await post(person, "/sign-in", { email, password: PASSWORD, back: "/security" });
  assert.deepEqual([step.statusCode, person.cookie], [200, ""]);
  const pending = /name="pending" value="([\w-]+)"/.exec(step.body)?.[1] ?? "";
  clock.advance(30_000);
  const code = codeFor(totpKey, clock.now());
  const entered = await post(person, "/sign-in/code", { pending, code, back: "/security" });
  assert.deepEqual([entered.statusCode, entered.headers.location], [303, "/security"]);
  assert.match(
    String(entered.headers["set-cookie"]),
    /^__Host-scrip-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800$/,
  );
  const home = await get(person, "/");
  assert.match(home.body, /<small>Operator console<\/small>/);
  assert.match(home.body, /finance, staff/);
});

test("an invited admin sets a password and can do nothing before a second factor is added", async () => {
  const input = { email: "new@scrip.example", role: "admin" };
  const { link } = await invitePerson(desk.accounts, STAFF_TEAM, input, COMMAND);
  const person = { cookie: "" };
  const page = await get(person, `/accept?token=${tokenOf(link)}`);
  assert.match(page.body, /Join the operator console/);
  const accepted = await post(person, "/accept", { token: tokenOf(link), password: PASSWORD });
  assert.deepEqual([accepted.statusCode, accepted.headers.location], [303, "/add-factor"]);
  const asked = await get(person, "/add-factor");
  assert.match(asked.body, /Everyone on the staff needs a second factor/);
  assert.doesNotMatch(asked.body, />Later</);
  assert.doesNotMatch(asked.body, /href="\/staff"/);
  assert.equal((await get(person, "/")).headers.location, "/add-factor");
  const shown = await post(person, "/security/totp");
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(shown.body)?.[1] ?? "";
  const stored = await post(person, "/security/totp/confirm", { code: codeFor(key, clock.now()) });
  assert.match(stored.body, /<a class="btn main" href="\/">I have stored them<\/a>/);
  assert.equal((await get(person, "/")).statusCode, 200);
});

test("a session of one face is worthless on the other, under either name of the cookie", async () => {
  const staff = await desk.enter("admin");
  const user = await signInAs(desk, reseller.id, "owner");
  for (const name of ["__Host-scrip", "__Host-scrip-console"]) {
    const headers = (cookie: string) => ({ cookie: `${name}=${cookie}` });
    const atDashboard = await desk.app.inject({ url: "/dashboard/team", headers: headers(staff.cookie) });
    assert.match(String(atDashboard.headers.location), /^\/dashboard\/sign-in/);
    const atConsole = await console.inject({ url: "/security", headers: headers(user.cookie) });
    assert.match(String(atConsole.headers.location), /^\/sign-in/);
  }
  assert.equal((await staff.get("/security")).statusCode, 200);
  assert.equal((await user.get("/dashboard/team")).statusCode, 200);
});

test("an account, a link and a sign-in of one face do not exist on the other", async () => {
  const { email, accountId } = await desk.enter("viewer");
  const origin = "https://api.scrip.example";
  const dashboardForm = (url: string, fields: Record<string, string>) =>
    desk.app.inject({
      method: "POST",
      url,
      headers: { origin, "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams(fields).toString(),
    });
  assert.equal((await dashboardForm("/dashboard/sign-in", { email, password: PASSWORD })).statusCode, 422);
  const staffInput = { email: "other@scrip.example", role: "viewer" };
  const invited = await invitePerson(desk.accounts, STAFF_TEAM, staffInput, COMMAND);
  const token = tokenOf(invited.link);
  assert.equal((await desk.app.inject(`/dashboard/accept?token=${token}`)).statusCode, 410);
  assert.equal((await dashboardForm("/dashboard/accept", { token, password: PASSWORD })).statusCode, 410);
  const entry = tokenOf(await makeEntry(desk.accounts, { id: accountId, kind: "staff" }));
  assert.equal((await desk.app.inject(`/dashboard/enter?token=${entry}`)).statusCode, 410);
  const person = { cookie: "" };
  assert.equal((await get(person, `/enter?token=${entry}`)).headers.location, "/");
  const team = { kind: "user", resellerId: reseller.id } as const;
  const user = await invitePerson(desk.accounts, team, { email: "u@shop.example", role: "owner" }, COMMAND);
  assert.equal((await get({ cookie: "" }, `/accept?token=${tokenOf(user.link)}`)).statusCode, 410);
});

test("the public port has no page of the console, and the console has nothing of the public port", async () => {
  const admin = await desk.enter("admin");
  const headers = { cookie: `__Host-scrip-console=${admin.cookie}; __Host-scrip=${admin.cookie}` };
  for (const { method, path } of console.consolePages) {
    const url = path.replaceAll(/:\w+/g, "x");
    const reply = await desk.app.inject({ method, url, headers });
    assert.equal(reply.statusCode, 404, `${method} ${url}`);
  }
  for (const url of ["/v1/catalog", "/dashboard", "/dashboard/sign-in", "/docs", "/openapi.json", "/metrics"])
    assert.equal((await admin.get(url)).statusCode, 404, url);
  for (const url of ["/v1/catalog", "/dashboard/keys", "/nothing"])
    assert.equal(
      (await get({ cookie: "" }, url)).headers.location,
      `/sign-in?back=${encodeURIComponent(url)}`,
    );
});

test("every answer of the console has the policy of pages and is never kept", async () => {
  const admin = await desk.enter("admin");
  for (const reply of [
    await admin.get("/"),
    await admin.get("/nothing"),
    await get({ cookie: "" }, "/sign-in"),
  ]) {
    assert.match(String(reply.headers["content-security-policy"]), /default-src 'none'; script-src 'self'/);
    assert.equal(reply.headers["cache-control"], "no-store");
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    assert.match(String(reply.headers["x-request-id"]), /^req_/);
  }
});
