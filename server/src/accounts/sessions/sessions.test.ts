import assert from "node:assert/strict";
import { after, test } from "node:test";
import { inspect } from "node:util";
import sql from "sql-template-tag";
import { openPeopleDesk, PASSWORD, STAFF_TEAM, VISITOR } from "../../../testing/people/people-desk.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { describeDevice } from "./describe-device.ts";
import { endSession, listSessions, signOut } from "./end-session.ts";
import { createFindSession } from "./find-session.ts";
import { proveSession } from "./prove-session.ts";
import { formToken, isFormToken } from "./session-id.ts";
import { requireFreshProof } from "./session-life.ts";

const desk = await openPeopleDesk();
const { deps, clock, letters, db } = desk;
after(desk.drop);
const team = await desk.newTeam();
const HOUR_MS = 3_600_000;

const enter = async (email: string, visitor = VISITOR) => {
  const result = await signIn(deps, "dashboard", { email, password: PASSWORD }, visitor);
  if (result.state !== "signed_in") throw new Error(result.state);
  return desk.getSession(team, result.session);
};

test("a session ends 12 hours after its last request, and 7 days after it began whatever happens", async () => {
  const { email, session } = await desk.join(team, "owner");
  clock.advance(12 * HOUR_MS - 1);
  assert.ok(await desk.find(team, session.cookie));
  clock.advance(12 * HOUR_MS - 1);
  assert.ok(await desk.find(team, session.cookie), "the request before was seen");
  clock.advance(12 * HOUR_MS);
  assert.equal(await desk.find(team, session.cookie), undefined);

  const second = await enter(email);
  let cookie = second.cookie;
  for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
    clock.advance(8 * HOUR_MS);
    const found = await desk.find(team, cookie);
    assert.ok(found, `after ${hours + 8} hours`);
    cookie = await proveSession(deps, found, { password: PASSWORD }, VISITOR.address);
  }
  clock.advance(8 * HOUR_MS);
  assert.equal(await desk.find(team, cookie), undefined, "new cookies do not make a session younger");
});

test("the last request is written once a minute", async () => {
  const { session } = await desk.join(team, "viewer");
  const seen = async () => {
    await desk.find(team, session.cookie);
    const [row] = await db.rows<{ at: Date }>(
      sql`select last_seen_at as at from sessions where id = ${session.id}`,
    );
    return row?.at.getTime();
  };
  const first = await seen();
  clock.advance(60_000);
  assert.equal(await seen(), first);
  clock.advance(1);
  assert.equal(await seen(), clock.now().getTime());
});

test("a session that was ended elsewhere is refused by another process from its next request on", async () => {
  const { email, session } = await desk.join(team, "viewer");
  const elsewhere = createFindSession(db, clock);
  const ask = () => elsewhere("dashboard", session.cookie.reveal(), VISITOR.address);
  assert.ok(await ask());
  const here = await enter(email);
  assert.deepEqual(
    (await listSessions(deps, here)).map(({ id, isCurrent, device }) => [id, isCurrent, device]).toSorted(),
    [
      [session.id, false, "Firefox on Linux"],
      [here.id, true, "Firefox on Linux"],
    ].toSorted(),
  );
  await endSession(deps, here, session.id, { address: VISITOR.address });
  assert.equal(await ask(), undefined);
  await assert.rejects(endSession(deps, here, session.id, {}), { code: "not_found" });
  await signOut(deps, here);
  assert.equal(await desk.find(team, here.cookie), undefined);
});

test("nobody ends another's session", async () => {
  const one = await desk.join(team, "viewer");
  const other = await desk.join(team, "viewer");
  for (const id of [other.session.id, "\0"])
    await assert.rejects(endSession(deps, one.session, id, {}), { code: "not_found" });
  assert.ok(await desk.find(team, other.session.cookie));
});

test("a cookie of the other face, and what is no cookie, is nobody's", async () => {
  const user = await desk.join(team, "viewer");
  const staff = await desk.join(STAFF_TEAM, "admin");
  assert.equal(await desk.find(STAFF_TEAM, user.session.cookie), undefined);
  assert.equal(await desk.find(team, staff.session.cookie), undefined);
  const find = createFindSession(db, clock);
  for (const cookie of ["", "x", "a".repeat(43), `${user.session.cookie.reveal()}=`, "\0"])
    assert.equal(await find("dashboard", cookie, VISITOR.address), undefined);
});

test("proof is fresh for five minutes; a step up gives a new cookie, and the old one stops working", async () => {
  const { session } = await desk.join(team, "viewer");
  requireFreshProof(session, clock.now());
  clock.advance(5 * 60_000);
  assert.throws(() => requireFreshProof(session, clock.now()), { code: "proof_needed" });
  await assert.rejects(proveSession(deps, session, { password: "wrong" }, VISITOR.address), {
    code: "proof_refused",
    field: "password",
  });
  assert.ok(await desk.find(team, session.cookie), "a wrong password changes nothing");
  const cookie = await proveSession(deps, session, { password: PASSWORD }, VISITOR.address);
  assert.equal(await desk.find(team, session.cookie), undefined);
  const renewed = await desk.find(team, cookie);
  assert.equal(renewed?.id, session.id);
  if (renewed) requireFreshProof(renewed, clock.now());
  await assert.rejects(proveSession(deps, session, { password: PASSWORD }, VISITOR.address), {
    code: "session_ended",
  });
});

test("of two step ups at once one gets the session", async () => {
  const { session } = await desk.join(team, "viewer");
  const results = await Promise.allSettled(
    [1, 2].map(() => proveSession(deps, session, { password: PASSWORD }, VISITOR.address)),
  );
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
});

test("the form token follows from the cookie alone and changes with it", async () => {
  const { session } = await desk.join(team, "viewer");
  const token = formToken(deps.accountKey, session.cookie.reveal());
  assert.ok(isFormToken(deps.accountKey, session.cookie.reveal(), token));
  const cookie = await proveSession(deps, session, { password: PASSWORD }, VISITOR.address);
  for (const wrong of ["", "x", token.slice(1), token])
    assert.equal(isFormToken(deps.accountKey, cookie.reveal(), wrong), false);
});

test("an unknown device or address is told by mail; the first and a known one are not", async () => {
  const { email } = await desk.join(team, "viewer");
  const told = () =>
    letters.filter(({ cause, to }) => cause.startsWith("session.started") && to === email).length;
  await enter(email);
  assert.equal(told(), 0);
  await enter(email, { ...VISITOR, address: "198.51.100.1" });
  assert.equal(told(), 1);
  await enter(email, { ...VISITOR, userAgent: "Mozilla/5.0 (iPhone) Safari/604.1" });
  assert.equal(told(), 2);
  assert.match(letters.at(-1)?.text ?? "", /Device: Safari on iPhone\nAddress: 203\.0\.113\.7/);
});

test("an account has at most 50 sessions; the oldest ends first", async () => {
  const { email, session } = await desk.join(team, "viewer");
  clock.advance(1);
  const second = await enter(email);
  await db.rows(sql`
    insert into sessions (id, digest, account_id, face, created_at, last_seen_at, proved_at, address, device)
    select 'ses_' || n, sha256(n::text::bytea), ${session.accountId}, 'dashboard', ${clock.now()}, ${clock.now()},
           ${clock.now()}, '', '' from generate_series(1, 48) n`);
  assert.ok(await desk.find(team, session.cookie));
  clock.advance(1);
  await enter(email);
  assert.equal(await desk.find(team, session.cookie), undefined);
  assert.ok(await desk.find(team, second.cookie));
});

test("a cookie is not stored and not printed", async () => {
  const { session } = await desk.join(team, "viewer");
  const rows = await db.rows(sql`select s.*, encode(digest, 'base64') from sessions s`);
  const printed = `${JSON.stringify(rows)}${inspect(session)}${JSON.stringify(session)}`;
  assert.ok(!printed.includes(session.cookie.reveal()));
});

test("user agents are said as people say them", () => {
  const rows = [
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/19 Safari/605",
      "Safari on macOS",
    ],
    ["Mozilla/5.0 (Linux; Android 16) Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"],
    ["curl/8.5", "curl"],
    ["", "Unknown browser"],
    ["x".repeat(10_000), "Unknown browser"],
  ] as const;
  for (const [userAgent, device] of rows) assert.equal(describeDevice(userAgent), device);
});
