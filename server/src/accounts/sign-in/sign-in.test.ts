import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import { openPeopleDesk, PASSWORD, STAFF_TEAM, VISITOR } from "../../../testing/people/people-desk.ts";
import { addTotp, confirmTotp } from "../factors/change-totp.ts";
import { changePassword } from "../passwords/change-password.ts";
import { createPasswordHashing } from "../passwords/password-hashing.ts";
import type { Session } from "../sessions/find-session.ts";
import { proveSession } from "../sessions/prove-session.ts";
import { confirmSecondFactor } from "./confirm-second-factor.ts";
import { beginGuess, networkOf } from "./guess-limits.ts";
import { SIGN_IN_REFUSED, signIn } from "./sign-in.ts";

const desk = await openPeopleDesk();
const { deps, clock, db } = desk;
after(desk.drop);
const team = await desk.newTeam();

let hashes = 0;
const counting = {
  ...deps,
  hashing: {
    ...deps.hashing,
    verify: (password: string, phc: string | null) => {
      hashes += 1;
      return deps.hashing.verify(password, phc);
    },
  },
};

let places = 0;
/** Another address for each test: limits of addresses must not meet those of accounts. */
const elsewhere = () => ({ ...VISITOR, address: `198.51.100.${++places}` });
const attempt = (email: string, password: string, visitor = VISITOR) =>
  signIn(counting, "dashboard", { email, password }, visitor);
const fail = async (email: string, times: number, visitor = VISITOR) => {
  for (let count = 0; count < times; count += 1)
    assert.equal((await attempt(email, "wrong", visitor)).state, "refused");
};

test("email and password sign in, whatever the case and the space around the email", async () => {
  const { email, id } = await desk.join(team, "viewer");
  const result = await attempt(` ${email.toUpperCase()} `, PASSWORD);
  assert.equal(result.state, "signed_in");
  assert.equal((await desk.activity("session.started"))[0]?.actor.id, id);
});

test("a wrong email, a wrong password and a locked account get the same answer for the same work", async () => {
  const { email } = await desk.join(team, "viewer");
  const locked = await desk.join(team, "viewer");
  const visitor = elsewhere();
  await fail(locked.email, 5, elsewhere());
  hashes = 0;
  const answers = [
    await attempt("nobody@corner.example", PASSWORD, visitor),
    await attempt(email, "wrong", visitor),
    await attempt(locked.email, PASSWORD, visitor),
    await attempt("no address at all \0", "x".repeat(2_000), visitor),
    await signIn(counting, "console", { email, password: PASSWORD }, visitor),
  ];
  for (const answer of answers) assert.deepEqual(answer, { state: "refused", message: SIGN_IN_REFUSED });
  assert.equal(hashes, answers.length);
});

test("the fifth wrong password locks the account for 30 s, each further one for twice as long, up to an hour", async () => {
  const { email } = await desk.join(team, "viewer");
  const visitor = elsewhere();
  await fail(email, 5, visitor);
  for (const seconds of [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
    clock.advance(seconds * 1_000 - 1);
    assert.equal((await attempt(email, PASSWORD, visitor)).state, "refused", `within ${seconds} s`);
    clock.advance(1);
    await fail(email, 1, visitor);
  }
  clock.advance(3_600_000);
  assert.equal((await attempt(email, PASSWORD, visitor)).state, "signed_in");
  await fail(email, 4, visitor);
  assert.equal((await attempt(email, PASSWORD, visitor)).state, "signed_in", "the count started over");
});

test("of guesses that are made at the same time no more are judged than are free", async () => {
  const { address } = elsewhere();
  const guesses = await Promise.all(
    Array.from({ length: 12 }, () => beginGuess(deps, "password", "user flood@corner.example", address)),
  );
  assert.equal(guesses.filter(({ isAllowed }) => isAllowed).length, 5);
});

test("an address is limited too, over all accounts, and its tries lock no account any more", async () => {
  const { email } = await desk.join(team, "viewer");
  const visitor = elsewhere();
  for (let count = 0; count < 30; count += 1) await fail(`nobody${count}@corner.example`, 1, visitor);
  assert.equal((await attempt(email, PASSWORD, visitor)).state, "refused");
  await fail(email, 8, visitor);
  assert.equal((await attempt(email, PASSWORD, elsewhere())).state, "signed_in");
  clock.advance(30_000);
  assert.equal((await attempt(email, PASSWORD, visitor)).state, "signed_in");
});

test("a right guess takes back itself, and not what else was guessed from the address", async () => {
  const { address } = elsewhere();
  const guess = (name: string) => beginGuess(deps, "password", `${name}@corner.example`, address);
  for (let count = 0; count < 29; count += 1) assert.ok((await guess(`guessed${count}`)).isAllowed);
  await (await guess("own")).succeed();
  assert.deepEqual([(await guess("one")).isAllowed, (await guess("more")).isAllowed], [true, false]);
});

test("an address gets one try a minute back, and an account one an hour", async () => {
  const { email } = await desk.join(team, "viewer");
  const visitor = elsewhere();
  const spread = async (count: number) => {
    for (let one = 0; one < count; one += 1) await fail(`other${one}@corner.example`, 1, visitor);
  };
  await spread(29);
  clock.advance(10 * 60_000);
  await spread(9);
  assert.equal((await attempt(email, PASSWORD, visitor)).state, "signed_in");
  await fail(email, 4, elsewhere());
  clock.advance(2 * 3_600_000);
  await fail(email, 2, elsewhere());
  assert.equal((await attempt(email, PASSWORD, elsewhere())).state, "signed_in");
});

test("strangers who guess the password keep nobody from a step up, which has its own limit", async () => {
  const { email, session } = await desk.join(team, "viewer");
  await fail(email, 5, elsewhere());
  const prove = (one: Session, password: string) =>
    proveSession(deps, one, { password }, elsewhere().address);
  const cookie = await prove(session, PASSWORD);
  const renewed = await desk.getSession(team, { cookie });
  for (let count = 0; count < 5; count += 1)
    await assert.rejects(prove(renewed, "wrong"), { code: "proof_refused" });
  await assert.rejects(prove(renewed, PASSWORD), { code: "proof_refused" });
  clock.advance(30_000);
  await prove(renewed, PASSWORD);
});

test("addresses of one IPv6 network count as one", () => {
  assert.equal(networkOf("2001:db8:1:2::1"), networkOf("2001:db8:1:2:ffff::9"));
  assert.notEqual(networkOf("2001:db8:1:2::1"), networkOf("2001:db8:1:3::1"));
  assert.equal(networkOf("::ffff:203.0.113.7"), networkOf("203.0.113.7"));
  assert.notEqual(networkOf("203.0.113.7"), networkOf("203.0.113.8"));
});

test("what was typed as an email is not kept", async () => {
  await fail("my-password-by-mistake", 1, elsewhere());
  const rows = await db.rows<{ subject: Buffer }>(sql`select subject from guess_counts`);
  assert.ok(rows.length > 0);
  for (const { subject } of rows) assert.equal(subject.length, 32);
});

test("with an app set up the password is half of it; the code is the other half, and works once", async () => {
  const { email, session } = await desk.join(team, "viewer");
  const { secret } = await addTotp(deps, session);
  await confirmTotp(deps, session, codeFor(secret.reveal(), clock.now()), VISITOR.address);
  clock.advance(30_000);
  const visitor = elsewhere();
  const begin = async () => {
    const result = await attempt(email, PASSWORD, visitor);
    if (result.state !== "second_factor") throw new Error(result.state);
    assert.deepEqual(result.methods, ["totp", "recovery_code"]);
    return result.pending.reveal();
  };
  const [pending, other] = [await begin(), await begin()];
  const confirm = (one: string, code: string, face: "dashboard" | "console" = "dashboard") =>
    confirmSecondFactor(deps, face, { pending: one, code }, visitor);
  const code = codeFor(secret.reveal(), clock.now());
  await assert.rejects(confirm(pending, "000000"), { code: "code_refused", field: "code" });
  await assert.rejects(confirm(pending, code, "console"), { code: "session_ended" });
  const both = await Promise.allSettled([confirm(pending, code), confirm(other, code)]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const left = both[0].status === "fulfilled" ? other : pending;
  await assert.rejects(confirm(left, code), { code: "code_refused" });
  clock.advance(30_000);
  await confirm(left, codeFor(secret.reveal(), clock.now()));
  await assert.rejects(confirm(left, "000000"), { code: "session_ended" });
});

test("the second step lasts five minutes, is limited, and ends with the password", async () => {
  const { email, session } = await desk.join(STAFF_TEAM, "admin");
  const { secret } = await addTotp(deps, session);
  await confirmTotp(deps, session, codeFor(secret.reveal(), clock.now()), VISITOR.address);
  const begin = async () => {
    const result = await signIn(deps, "console", { email, password: PASSWORD }, elsewhere());
    if (result.state !== "second_factor") throw new Error(result.state);
    return result.pending.reveal();
  };
  const confirm = (pending: string) =>
    confirmSecondFactor(
      deps,
      "console",
      { pending, code: codeFor(secret.reveal(), clock.now()) },
      elsewhere(),
    );
  const late = await begin();
  clock.advance(5 * 60_000);
  await assert.rejects(confirm(late), { code: "session_ended" });
  const guessed = await begin();
  for (let count = 0; count < 5; count += 1)
    await assert.rejects(
      confirmSecondFactor(deps, "console", { pending: guessed, code: `00000${count}` }, elsewhere()),
      {
        code: "code_refused",
      },
    );
  await assert.rejects(confirm(guessed), { code: "code_refused" });
  clock.advance(30_000);
  await confirm(guessed);
  const pending = await begin();
  const fresh = await desk.getSession(STAFF_TEAM, session);
  await changePassword(deps, fresh, { current: PASSWORD, password: "another tulip crane" }, VISITOR.address);
  await assert.rejects(confirm(pending), { code: "session_ended" });
});

test("a hash of an older cost is made again at the next sign-in", async () => {
  const { email, id } = await desk.join(team, "viewer");
  const hashing = createPasswordHashing({ memoryKib: 16, passes: 1, parallelism: 1 });
  const read = async () =>
    (await db.rows<{ hash: string }>(sql`select password_hash as hash from accounts where id = ${id}`))[0]
      ?.hash ?? "";
  assert.match(await read(), /m=8,/);
  for (const _ of [1, 2]) {
    const result = await signIn(
      { ...deps, hashing },
      "dashboard",
      { email, password: PASSWORD },
      elsewhere(),
    );
    assert.equal(result.state, "signed_in");
    assert.match(await read(), /m=16,/);
  }
});
