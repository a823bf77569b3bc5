import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openPeopleDesk, PASSWORD, STAFF_TEAM, VISITOR } from "../../../testing/people/people-desk.ts";
import { createSoftAuthenticator } from "../../../testing/people/soft-authenticator.ts";
import { removePerson } from "../people/change-person.ts";
import { offerPasskeyProof, proveSession } from "../sessions/prove-session.ts";
import { confirmSecondFactor } from "../sign-in/confirm-second-factor.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { offerPasskeySignIn, signInWithPasskey } from "../sign-in/sign-in-with-passkey.ts";
import { addPasskey, listPasskeys, offerPasskey, removePasskey } from "./change-passkeys.ts";
import { findFactors } from "./factor-queries.ts";

const desk = await openPeopleDesk();
const { deps, clock, letters, db } = desk;
after(desk.drop);
const { address } = VISITOR;
const team = await desk.newTeam();
const SITE = { origin: "https://api.example", rpId: "api.example" };

const withPasskey = async () => {
  const person = await desk.join(team, "viewer");
  const device = createSoftAuthenticator(SITE);
  const answer = device.create(await offerPasskey(deps, person.session));
  const added = await addPasskey(deps, person.session, { answer, name: "Laptop" }, address);
  return { ...person, device, added };
};
const enter = async (answer: string) => signInWithPasskey(deps, "dashboard", answer, VISITOR);
const refused = { code: "passkey_refused" };

test("a passkey is added and signs in alone, without password or second factor", async () => {
  const { session, id, device, added } = await withPasskey();
  assert.equal(added.recoveryCodes.length, 10);
  assert.match(letters.at(-1)?.text ?? "", /passkey named “Laptop” was added/);
  const started = await enter(device.get(await offerPasskeySignIn(deps, "dashboard"), { counter: 1 }));
  assert.equal((await desk.getSession(team, started)).accountId, id);
  const [listed] = await listPasskeys(deps, session);
  assert.deepEqual([listed?.name, listed?.lastUsedAt], ["Laptop", clock.now()]);
});

test("an answer counts once, for five minutes, and for what it was asked for", async () => {
  const { session, device } = await withPasskey();
  const answer = device.get(await offerPasskeySignIn(deps, "dashboard"));
  const results = await Promise.allSettled([enter(answer), enter(answer)]);
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  await assert.rejects(enter(answer), refused);
  const late = device.get(await offerPasskeySignIn(deps, "dashboard"));
  clock.advance(5 * 60_000);
  await assert.rejects(enter(late), refused);
  await assert.rejects(enter(device.get(await offerPasskeyProof(deps, session))), refused);
  const console = device.get(await offerPasskeySignIn(deps, "console"));
  await assert.rejects(enter(console), refused);
});

test("another origin, another site, no verification, another key and a copy are refused", async () => {
  const { device } = await withPasskey();
  const offer = () => offerPasskeySignIn(deps, "dashboard");
  await assert.rejects(enter(device.get(await offer(), { origin: "https://api.example.evil" })), refused);
  await assert.rejects(enter(device.get(await offer(), { rpId: "evil.example" })), refused);
  await assert.rejects(enter(device.get(await offer(), { isVerified: false })), refused);
  const forger = createSoftAuthenticator(SITE).get(await offer());
  await assert.rejects(
    enter(JSON.stringify({ ...JSON.parse(forger), id: device.id, rawId: device.id })),
    refused,
  );
  await enter(device.get(await offer(), { counter: 7 }));
  await assert.rejects(enter(device.get(await offer(), { counter: 7 })), refused);
  await assert.rejects(enter(createSoftAuthenticator(SITE).get(await offer())), refused);
  for (const junk of [
    "",
    "{",
    "[]",
    '{"id":"\\u0000","response":{}}',
    `{"id":"a"}`,
    '{"id":"a","response":{}}',
    "x".repeat(99_999),
  ])
    await assert.rejects(enter(junk), refused);
});

test("a certificate is refused before the library sees the answer, and the challenge stays good", async () => {
  const { session } = await desk.join(team, "viewer");
  const device = createSoftAuthenticator(SITE);
  const offer = await offerPasskey(deps, session);
  const attestation = new Map<string, unknown>([
    ["alg", -7],
    ["sig", Buffer.alloc(8)],
    ["x5c", [Buffer.alloc(64)]],
  ]);
  for (const format of ["packed", "android-key", "tpm", "apple", "fido-u2f"]) {
    const answer = device.create(offer, { format, attestation });
    await assert.rejects(addPasskey(deps, session, { answer }, address), refused, format);
  }
  await addPasskey(deps, session, { answer: device.create(offer) }, address);
});

test("a passkey belongs to one account: another's challenge or passkey cannot be added", async () => {
  const one = await withPasskey();
  const other = await desk.join(team, "viewer");
  const device = createSoftAuthenticator(SITE);
  const answer = device.create(await offerPasskey(deps, one.session));
  await assert.rejects(addPasskey(deps, other.session, { answer }, address), refused);
  const again = one.device.create(await offerPasskey(deps, other.session));
  await assert.rejects(addPasskey(deps, other.session, { answer: again }, address), refused);
  await assert.rejects(removePasskey(deps, other.session, one.device.id, address), { code: "not_found" });
  await assert.rejects(removePasskey(deps, other.session, "\0", address), { code: "not_found" });
  await assert.rejects(addPasskey(deps, other.session, { answer, name: "a\nb" }, address), {
    code: "name_invalid",
  });
});

test("a passkey is proof for its own account's session", async () => {
  const { session, device } = await withPasskey();
  const stranger = await withPasskey();
  clock.advance(5 * 60_000);
  const wrong = stranger.device.get(await offerPasskeyProof(deps, session));
  await assert.rejects(proveSession(deps, session, { passkey: wrong }, address), refused);
  const answer = device.get(await offerPasskeyProof(deps, session));
  const cookie = await proveSession(deps, session, { passkey: answer }, address);
  assert.equal((await desk.getSession(team, { cookie })).provedAt.getTime(), clock.now().getTime());
  await assert.rejects(offerPasskey(deps, session), { code: "proof_needed" });
});

test("with a passkey the password alone signs nobody in, and a recovery code helps when it is lost", async () => {
  const { email, session, added, device } = await withPasskey();
  const result = await signIn(deps, "dashboard", { email, password: PASSWORD }, VISITOR);
  assert.ok(result.state === "second_factor");
  assert.deepEqual(result.methods, ["passkey", "recovery_code"]);
  const input = { pending: result.pending.reveal(), code: added.recoveryCodes[3] ?? "" };
  await confirmSecondFactor(deps, "dashboard", input, VISITOR);
  await removePasskey(deps, session, device.id, address);
  assert.deepEqual(await findFactors(db, session.accountId), { totp: false, passkeys: 0, recoveryCodes: 0 });
  await assert.rejects(enter(device.get(await offerPasskeySignIn(deps, "dashboard"))), refused);
});

test("a passkey of a removed person, and of the other face, signs nobody in", async () => {
  const removed = await withPasskey();
  const answer = removed.device.get(await offerPasskeySignIn(deps, "dashboard"));
  await removePerson(deps, team, removed.id, { actor: { kind: "command", id: "scrip" } });
  await assert.rejects(enter(answer), refused);
  const staff = await desk.join(STAFF_TEAM, "admin");
  const device = createSoftAuthenticator({ origin: "http://localhost:8081", rpId: "localhost" });
  await addPasskey(
    deps,
    staff.session,
    { answer: device.create(await offerPasskey(deps, staff.session)) },
    address,
  );
  const offer = await offerPasskeySignIn(deps, "console");
  const started = await signInWithPasskey(deps, "console", device.get(offer), VISITOR);
  assert.equal((await desk.getSession(STAFF_TEAM, started)).mustAddFactor, false);
  await assert.rejects(enter(device.get(await offerPasskeySignIn(deps, "dashboard"))), refused);
});
