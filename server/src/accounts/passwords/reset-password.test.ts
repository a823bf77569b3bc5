import assert from "node:assert/strict";
import { after, test } from "node:test";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import { COMMAND, openPeopleDesk, PASSWORD, tokenOf, VISITOR } from "../../../testing/people/people-desk.ts";
import { addTotp, confirmTotp } from "../factors/change-totp.ts";
import { invitePerson } from "../people/invite-person.ts";
import { makeEntry, openEntry } from "../people/open-entry.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { changePassword } from "./change-password.ts";
import { requestReset, resetPassword } from "./reset-password.ts";

const desk = await openPeopleDesk();
const { deps, clock, letters } = desk;
after(desk.drop);
const team = await desk.newTeam();
const NEW_PASSWORD = "seven quiet herons";
const { address } = VISITOR;

const ask = async (email: string, from = address) => {
  const before = letters.length;
  await requestReset(deps, "dashboard", { email }, from, 0);
  const [letter] = letters.slice(before);
  return letter && (/https:\S+/.exec(letter.text)?.[0] ?? "");
};
const reset = (link: string | undefined, password = NEW_PASSWORD) =>
  resetPassword(deps, { token: tokenOf(link ?? ""), password }, address);
const tryPassword = async (email: string, password: string) =>
  (await signIn(deps, "dashboard", { email, password }, VISITOR)).state;

test("a reset by mail sets the password, ends every session and does not sign in", async () => {
  const { email, session } = await desk.join(team, "viewer");
  const link = await ask(` ${email.toUpperCase()}`);
  assert.match(link ?? "", /^https:\/\/api\.example\/dashboard\/reset\?token=/);
  await reset(link);
  assert.equal(await desk.find(team, session.cookie), undefined);
  assert.equal(await tryPassword(email, PASSWORD), "refused");
  assert.equal(await tryPassword(email, NEW_PASSWORD), "signed_in");
  assert.match(letters.findLast(({ to }) => to === email)?.cause ?? "", /^password\.changed /);
  await assert.rejects(reset(link), { code: "link_unusable" });
});

test("an unknown, an invited and a removed address get no letter and the same answer, in the same time", async () => {
  await invitePerson(deps, team, { email: "mo@corner.example", role: "viewer" }, COMMAND);
  for (const email of ["mo@corner.example", "nobody@corner.example", "\0", "x".repeat(10_000)])
    assert.equal(await ask(email), undefined);
  const { email } = await desk.join(team, "viewer");
  for (const one of [email, "nobody@corner.example"]) {
    const started = performance.now();
    assert.equal(await requestReset(deps, "dashboard", { email: one }, address, 120), undefined);
    assert.ok(performance.now() - started >= 118);
  }
});

test("letters to one address are limited, from wherever they are asked for", async () => {
  const { email } = await desk.join(team, "viewer");
  for (let count = 0; count < 3; count += 1) assert.ok(await ask(email, `192.0.2.${count}`));
  assert.equal(await ask(email, "192.0.2.9"), undefined);
  clock.advance(30_000);
  assert.ok(await ask(email));
});

test("a link lasts 30 minutes, the newest counts, and of two forms at once one gets through", async () => {
  const { email } = await desk.join(team, "viewer");
  const [first, second] = [await ask(email), await ask(email)];
  await assert.rejects(reset(first), { code: "link_unusable", message: /replaced/ });
  await assert.rejects(reset(second, email), { code: "password_unfit" });
  const results = await Promise.allSettled([reset(second), reset(second, "eight quiet herons")]);
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  clock.advance(24 * 3_600_000);
  const late = await ask(email);
  clock.advance(30 * 60_000);
  await assert.rejects(reset(late), { message: /expired/ });
});

test("a reset opens a locked account, and does not go around the second factor", async () => {
  const { email, session } = await desk.join(team, "viewer");
  const { secret } = await addTotp(deps, session);
  await confirmTotp(deps, session, codeFor(secret.reveal(), clock.now()), address);
  for (let count = 0; count < 5; count += 1) await tryPassword(email, "wrong");
  assert.equal(await tryPassword(email, PASSWORD), "refused");
  await reset(await ask(email));
  assert.equal(await tryPassword(email, NEW_PASSWORD), "second_factor");
});

test("changing the password ends all other sessions and gives this one a new cookie", async () => {
  const { email, session } = await desk.join(team, "viewer");
  const other = await signIn(deps, "dashboard", { email, password: PASSWORD }, VISITOR);
  const open = await ask(email);
  const change = (current: string | undefined, password = NEW_PASSWORD) =>
    changePassword(deps, session, { current, password }, address);
  await assert.rejects(change("wrong"), { code: "proof_refused" });
  await assert.rejects(change(undefined), { code: "proof_refused", field: "current" });
  await assert.rejects(change(PASSWORD, "short"), { code: "password_unfit" });
  const cookie = await change(PASSWORD);
  assert.ok(await desk.find(team, cookie));
  assert.equal(await desk.find(team, session.cookie), undefined);
  assert.ok(other.state === "signed_in" && (await desk.find(team, other.session.cookie)) === undefined);
  await assert.rejects(reset(open), { code: "link_unusable" });
  assert.doesNotMatch(JSON.stringify(await desk.activity("password.changed")), /heron|tulip|argon/);
});

test("a reset that comes between the check of the old password and the new one wins", async () => {
  const { email, session } = await desk.join(team, "viewer");
  const link = await ask(email);
  const hash = async (password: string) => {
    await reset(link);
    return deps.hashing.hash(password);
  };
  const slow = { ...deps, hashing: { ...deps.hashing, hash } };
  const input = { current: PASSWORD, password: "eight loud herons" };
  await assert.rejects(changePassword(slow, session, input, address), { code: "session_ended" });
  assert.equal(await tryPassword(email, input.password), "refused");
  assert.equal(await tryPassword(email, NEW_PASSWORD), "signed_in");
  assert.equal(await desk.find(team, session.cookie), undefined);
});

test("someone who came into the demo by its link can set a first password", async () => {
  const { id, email } = await invitePerson(
    deps,
    team,
    { email: "nan@corner.example", role: "owner" },
    COMMAND,
  );
  const link = await makeEntry(deps, { id, kind: "user" });
  const local = { ...VISITOR, address: "127.0.0.1" };
  const session = await desk.getSession(team, await openEntry(deps, tokenOf(link), local));
  assert.equal(await tryPassword(email, ""), "refused");
  await changePassword(deps, session, { current: undefined, password: NEW_PASSWORD }, "127.0.0.1");
  assert.equal(await tryPassword(email, NEW_PASSWORD), "signed_in");
});

test("of two first passwords at once the one that is stored first stays", async () => {
  const input = { email: "oda@corner.example", role: "owner" };
  const { id, email } = await invitePerson(deps, team, input, COMMAND);
  const local = { ...VISITOR, address: "127.0.0.1" };
  const link = await makeEntry(deps, { id, kind: "user" });
  const session = await desk.getSession(team, await openEntry(deps, tokenOf(link), local));
  const change = (by: typeof deps, password: string) =>
    changePassword(by, session, { current: undefined, password }, local.address);
  const hash = async (password: string) => {
    await change(deps, NEW_PASSWORD);
    return deps.hashing.hash(password);
  };
  const slow = { ...deps, hashing: { ...deps.hashing, hash } };
  await assert.rejects(change(slow, "eight loud herons"), { code: "proof_refused", field: "current" });
  assert.equal(await tryPassword(email, NEW_PASSWORD), "signed_in");
});
