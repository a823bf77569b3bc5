import assert from "node:assert/strict";
import { after, test } from "node:test";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { locationOf } from "../../../testing/people/dashboard-visitor.ts";
import { PASSWORD } from "../../../testing/people/people-desk.ts";
import { createSoftAuthenticator } from "../../../testing/people/soft-authenticator.ts";
import { signIn } from "../../accounts/sign-in/sign-in.ts";

const desk = await openDashboardDesk();
const { accounts, clock, get, post } = desk;
after(desk.close);
const { id: resellerId } = await desk.addReseller();
const SECURITY = "/dashboard/security";

test("an authenticator app is added by QR code or key, comes with recovery codes, and is removed", async () => {
  const person = await desk.join(resellerId, "viewer");
  const shown = await post(person, `${SECURITY}/totp`);
  assert.match(shown.body, /<svg class="qr"/);
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(shown.body)?.[1] ?? "";
  const wrong = await post(person, `${SECURITY}/totp/confirm`, { code: "000000" });
  assert.equal(wrong.statusCode, 422);
  assert.doesNotMatch(wrong.body, new RegExp(key));
  const done = await post(person, `${SECURITY}/totp/confirm`, { code: codeFor(key, clock.now()) });
  assert.equal([...done.body.matchAll(/<li><code>[^<]+<\/code><\/li>/g)].length, 10);
  assert.match((await get(person, SECURITY)).body, /10 left/);
  const renewed = await post(person, `${SECURITY}/recovery-codes`);
  assert.equal([...renewed.body.matchAll(/<li><code>[^<]+<\/code><\/li>/g)].length, 10);
  assert.equal(locationOf(await post(person, `${SECURITY}/totp/remove`)), SECURITY);
  assert.equal((await post(person, `${SECURITY}/totp/remove`)).statusCode, 404);
  assert.equal((await post(person, `${SECURITY}/recovery-codes`)).statusCode, 422);
});

test("an app that is confirmed late asks for proof first, and the typed code is sent on", async () => {
  const person = await desk.join(resellerId, "viewer");
  const shown = await post(person, `${SECURITY}/totp`);
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(shown.body)?.[1] ?? "";
  clock.advance(6 * 60_000);
  const code = codeFor(key, clock.now());
  const asked = await post(person, `${SECURITY}/totp/confirm`, { code });
  assert.equal(asked.statusCode, 403);
  assert.doesNotMatch(asked.body, new RegExp(code));
  const carried = /name="carried" value="([^"]*)"/.exec(asked.body)?.[1] ?? "";
  const done = await post(person, "/dashboard/confirm", { password: PASSWORD, carried });
  assert.match(done.body, /The authenticator app was added/);
});

test("a passkey is added, signs in, proves and is removed", async () => {
  const person = await desk.join(resellerId, "viewer");
  const device = createSoftAuthenticator({ origin: "https://api.scrip.example", rpId: "api.scrip.example" });
  const options = (await post(person, `${SECURITY}/passkey/options`)).json();
  const credential = device.create(options);
  const added = await post(person, `${SECURITY}/passkey`, { credential, name: "Laptop <b>" });
  assert.match(added.body, /The passkey was added/);
  assert.match((await get(person, SECURITY)).body, /Laptop &lt;b&gt;/);
  const browser = { cookie: "" };
  const asked = (await post(browser, "/dashboard/sign-in/passkey-options")).json();
  const back = "/dashboard/team";
  const signedIn = await post(browser, "/dashboard/sign-in/passkey", {
    credential: device.get(asked),
    back,
  });
  assert.equal(locationOf(signedIn), back);
  clock.advance(6 * 60_000);
  assert.equal((await post(person, `${SECURITY}/passkey/remove`, { id: device.id })).statusCode, 403);
  const toProve = (await post(person, "/dashboard/confirm/passkey-options")).json();
  const proof = { credential: device.get(toProve), back: SECURITY };
  assert.equal(locationOf(await post(person, "/dashboard/confirm/passkey", proof)), SECURITY);
  assert.equal(locationOf(await post(person, `${SECURITY}/passkey/remove`, { id: device.id })), SECURITY);
  for (const bad of ["", "{", "x".repeat(9_000)])
    assert.equal(
      (await post({ cookie: "" }, "/dashboard/sign-in/passkey", { credential: bad })).statusCode,
      422,
      bad,
    );
});

test("a new password keeps this session with a new cookie and ends the others; a wrong current one is said at its field", async () => {
  const person = await desk.join(resellerId, "viewer");
  const elsewhere = await signIn(
    accounts,
    "dashboard",
    { email: person.email, password: PASSWORD },
    desk.visitor,
  );
  const other = { cookie: elsewhere.state === "signed_in" ? elsewhere.session.cookie.reveal() : "" };
  assert.equal((await get(other, SECURITY)).statusCode, 200);
  const stolen = { cookie: person.cookie };
  const wrong = await post(person, `${SECURITY}/password`, {
    current: "not this one at all",
    password: "seven quiet herons",
  });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /id="form-current-error"/);
  const reply = await post(person, `${SECURITY}/password`, {
    current: PASSWORD,
    password: "seven quiet herons",
  });
  assert.equal(locationOf(reply), SECURITY);
  assert.match((await get(person, SECURITY)).body, /Security/);
  for (const old of [other, stolen]) assert.equal((await get(old, SECURITY)).statusCode, 303);
});

test("sessions are listed and ended, one's own too, and nobody ends another person's", async () => {
  const person = await desk.join(resellerId, "viewer");
  const other = await desk.join(resellerId, "viewer");
  const idsIn = (body: string) => [...body.matchAll(/name="id" value="(ses_\w+)"/g)].map(([, id = ""]) => id);
  const [own = ""] = idsIn((await get(person, SECURITY)).body);
  const [theirs = ""] = idsIn((await get(other, SECURITY)).body);
  assert.equal((await post(person, `${SECURITY}/sessions/end`, { id: theirs })).statusCode, 404);
  assert.equal((await get(other, SECURITY)).statusCode, 200);
  const reply = await post(person, `${SECURITY}/sessions/end`, { id: own });
  assert.deepEqual([locationOf(reply), person.cookie], ["/dashboard/sign-in", ""]);
});
