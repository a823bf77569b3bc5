import assert from "node:assert/strict";
import { after, test } from "node:test";
import { inspect } from "node:util";
import sql from "sql-template-tag";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import { openPeopleDesk, PASSWORD, STAFF_TEAM, VISITOR } from "../../../testing/people/people-desk.ts";
import { proveSession } from "../sessions/prove-session.ts";
import { requireFactorAdded } from "../sessions/session-life.ts";
import { confirmSecondFactor } from "../sign-in/confirm-second-factor.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { addTotp, confirmTotp, removeTotp, renewRecoveryCodes, TOTP_SETUP_MAX_MS } from "./change-totp.ts";
import { findFactors } from "./factor-queries.ts";

const desk = await openPeopleDesk();
const { deps, clock, letters, db } = desk;
after(desk.drop);
const { address } = VISITOR;
const team = await desk.newTeam();

const withApp = async () => {
  const person = await desk.join(team, "viewer");
  const { secret } = await addTotp(deps, person.session);
  const { recoveryCodes } = await confirmTotp(
    deps,
    person.session,
    codeFor(secret.reveal(), clock.now()),
    address,
  );
  clock.advance(30_000);
  return { ...person, code: () => codeFor(secret.reveal(), clock.now()), recoveryCodes };
};
const begin = async (email: string) => {
  const result = await signIn(deps, "dashboard", { email, password: PASSWORD }, VISITOR);
  if (result.state !== "second_factor") throw new Error(result.state);
  return result.pending.reveal();
};
const confirm = (pending: string, code: string) =>
  confirmSecondFactor(deps, "dashboard", { pending, code }, VISITOR);

test("an app counts once a code of it has come back, and is sealed", async () => {
  const { session, id } = await desk.join(team, "viewer");
  const first = await addTotp(deps, session);
  const second = await addTotp(deps, session);
  assert.equal((await findFactors(db, id)).totp, false);
  await assert.rejects(confirmTotp(deps, session, codeFor(first.secret.reveal(), clock.now()), address), {
    code: "code_refused",
  });
  const { recoveryCodes } = await confirmTotp(
    deps,
    session,
    codeFor(second.secret.reveal(), clock.now()),
    address,
  );
  assert.equal(new Set(recoveryCodes).size, 10);
  for (const code of recoveryCodes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}$/);
  assert.equal((await desk.find(team, session.cookie))?.hasFactor, true);
  await assert.rejects(addTotp(deps, session), { code: "factor_exists" });
  const stored = JSON.stringify(await db.rows(sql`select encode(sealed, 'escape') from totp_factors`));
  assert.ok(!`${stored}${inspect(second)}${JSON.stringify(second)}`.includes(second.secret.reveal()));
  assert.match(letters.at(-1)?.text ?? "", /authenticator app was added/);
});

test("an app is confirmed with fresh proof, and within 15 minutes", async () => {
  const { session, id } = await desk.join(team, "viewer");
  const { secret } = await addTotp(deps, session);
  const confirmWith = (by: typeof session) =>
    confirmTotp(deps, by, codeFor(secret.reveal(), clock.now()), address);
  const prove = async (by: typeof session) =>
    desk.getSession(team, { cookie: await proveSession(deps, by, { password: PASSWORD }, address) });
  clock.advance(TOTP_SETUP_MAX_MS - 1);
  await assert.rejects(confirmWith(session), { code: "proof_needed" });
  const proved = await prove(session);
  clock.advance(1);
  await assert.rejects(confirmWith(proved), { code: "factor_needed", message: /^Start again/ });
  assert.equal((await findFactors(db, id)).totp, false);
  const again = await addTotp(deps, proved);
  await confirmTotp(deps, proved, codeFor(again.secret.reveal(), clock.now()), address);
  assert.equal((await findFactors(db, id)).totp, true);
});

test("the code that confirmed the app does not sign in", async () => {
  const person = await desk.join(team, "viewer");
  const { secret } = await addTotp(deps, person.session);
  const code = codeFor(secret.reveal(), clock.now());
  await confirmTotp(deps, person.session, code, address);
  await assert.rejects(confirm(await begin(person.email), code), { code: "code_refused" });
  clock.advance(30_000);
});

test("each recovery code signs in once, also when it is sent twice at once", async () => {
  const { email, recoveryCodes } = await withApp();
  const [code = "", second = ""] = recoveryCodes;
  const pendings = [await begin(email), await begin(email)];
  const results = await Promise.allSettled(pendings.map((pending) => confirm(pending, code)));
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  await assert.rejects(confirm(await begin(email), code), { code: "code_refused" });
  await confirm(await begin(email), ` ${second.toUpperCase().replaceAll("-", " ")} `);
});

test("new recovery codes end the older ones, and another's code is of no use", async () => {
  const one = await withApp();
  const other = await withApp();
  const renewed = await renewRecoveryCodes(deps, one.session, address);
  const pending = await begin(one.email);
  await assert.rejects(confirm(pending, one.recoveryCodes[0] ?? ""), { code: "code_refused" });
  await assert.rejects(confirm(pending, other.recoveryCodes[0] ?? ""), { code: "code_refused" });
  await confirm(pending, renewed[0] ?? "");
});

test("a code is proof for a step up, once, and not for another's session", async () => {
  const { session, code } = await withApp();
  const stranger = await desk.join(team, "viewer");
  await assert.rejects(proveSession(deps, stranger.session, { code: code() }, address), {
    code: "proof_refused",
  });
  const cookie = await proveSession(deps, session, { code: code() }, address);
  const renewed = await desk.getSession(team, { cookie });
  await assert.rejects(proveSession(deps, renewed, { code: code() }, address), {
    code: "proof_refused",
    field: "code",
  });
});

test("changes of factors need fresh proof, and the last factor takes its recovery codes with it", async () => {
  const { session, id } = await withApp();
  clock.advance(5 * 60_000);
  for (const change of [addTotp, removeTotp, renewRecoveryCodes])
    await assert.rejects(change(deps, session, address), { code: "proof_needed" });
  const cookie = await proveSession(deps, session, { password: PASSWORD }, address);
  await removeTotp(deps, await desk.getSession(team, { cookie }), address);
  assert.deepEqual(await findFactors(db, id), { totp: false, passkeys: 0, recoveryCodes: 0 });
  await assert.rejects(renewRecoveryCodes(deps, await desk.getSession(team, { cookie }), address), {
    code: "factor_needed",
  });
});

test("staff need a factor: until one is set up the session says so", async () => {
  const { session } = await desk.join(STAFF_TEAM, "viewer");
  assert.equal(session.mustAddFactor, true);
  assert.throws(() => requireFactorAdded(session), { code: "factor_needed" });
  const { secret } = await addTotp(deps, session);
  await confirmTotp(deps, session, codeFor(secret.reveal(), clock.now()), address);
  requireFactorAdded(await desk.getSession(STAFF_TEAM, session));
});

test("the log holds no secrets and no codes", async () => {
  const actions = ["totp_added", "totp_removed", "recovery_codes_renewed"].map((name) =>
    desk.activity(`factor.${name}`),
  );
  const rows = (await Promise.all(actions)).flat();
  assert.ok(rows.length >= 5);
  for (const { before, after } of rows) assert.deepEqual([before, after], [undefined, undefined]);
});
