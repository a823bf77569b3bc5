import assert from "node:assert/strict";
import { after, test } from "node:test";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import {
  COMMAND,
  openPeopleDesk,
  PASSWORD,
  STAFF_TEAM,
  tokenOf,
  VISITOR,
} from "../../../testing/people/people-desk.ts";
import { addTotp, confirmTotp } from "../factors/change-totp.ts";
import { findFactors } from "../factors/factor-queries.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { openLink } from "./account-link.ts";
import { changeRole, removePerson, requireFactor } from "./change-person.ts";
import { invitePerson } from "./invite-person.ts";
import { listAllUsers, listPeople } from "./list-people.ts";
import { resetFactor } from "./reset-factor.ts";

const desk = await openPeopleDesk();
const { deps, letters } = desk;
after(desk.drop);

test("a role holds from the person's next request on, and the log says what it was before", async () => {
  const team = await desk.newTeam();
  await desk.join(team, "owner");
  const person = await desk.join(team, "viewer");
  await changeRole(deps, team, { id: person.id, role: "developer" }, COMMAND);
  assert.equal((await desk.find(team, person.session.cookie))?.role, "developer");
  const [row] = await desk.activity("person.role_changed");
  assert.deepEqual([row?.before, row?.after], [{ role: "viewer" }, { role: "developer" }]);
});

test("the last owner cannot be removed or demoted, and an invited owner does not count", async () => {
  for (const [team, role] of [
    [await desk.newTeam(), "owner"],
    [STAFF_TEAM, "admin"],
  ] as const) {
    const last = await desk.join(team, role);
    const invited = await invitePerson(deps, team, { email: "soon@corner.example", role }, COMMAND);
    await assert.rejects(removePerson(deps, team, last.id, COMMAND), { code: "last_owner" });
    await assert.rejects(changeRole(deps, team, { id: last.id, role: "viewer" }, COMMAND), {
      code: "last_owner",
    });
    await changeRole(deps, team, { id: last.id, role }, COMMAND);
    await removePerson(deps, team, invited.id, COMMAND);
  }
});

test("two owners who demote or remove each other at the same time leave one", async () => {
  const change = (team: Parameters<typeof removePerson>[1], id: string, round: number) =>
    round % 2 === 0
      ? changeRole(deps, team, { id, role: "viewer" }, COMMAND)
      : removePerson(deps, team, id, COMMAND);
  for (let round = 0; round < 4; round += 1) {
    const team = await desk.newTeam();
    const owners = [await desk.join(team, "owner"), await desk.join(team, "owner")];
    const results = await Promise.allSettled(owners.map(({ id }) => change(team, id, round)));
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const left = (await listPeople(deps.db, team)).filter(({ role }) => role === "owner");
    assert.equal(left.length, 1);
  }
});

test("a removed person is signed out everywhere at once, cannot sign in, and the address is free again", async () => {
  const team = await desk.newTeam();
  const owner = await desk.join(team, "owner");
  const person = await desk.join(team, "viewer", "kay@corner.example");
  const { link } = await invitePerson(deps, team, { email: "lee@corner.example", role: "viewer" }, COMMAND);
  letters.length = 0;
  await removePerson(deps, team, person.id, {
    actor: { kind: "user", id: owner.id },
    address: "203.0.113.7",
  });
  assert.equal(await desk.find(team, person.session.cookie), undefined);
  const again = await signIn(deps, "dashboard", { email: person.email, password: PASSWORD }, VISITOR);
  assert.equal(again.state, "refused");
  assert.deepEqual(
    letters.map(({ to, cause }) => [to, cause.split(" ")[0]]).toSorted(),
    [
      [person.email, "person.removed"],
      [owner.email, "person.removed"],
    ].toSorted(),
  );
  await assert.rejects(removePerson(deps, team, person.id, COMMAND), { code: "not_found" });
  const back = await desk.join(team, "viewer", "kay@corner.example");
  assert.notEqual(back.id, person.id);
  const [invited] = (await listPeople(deps.db, team)).filter(({ state }) => state === "invited");
  await removePerson(deps, team, invited?.id ?? "", COMMAND);
  assert.equal((await openLink(deps, "invite", tokenOf(link))).state, "replaced");
});

test("people of another team, and of the staff, are not found", async () => {
  const team = await desk.newTeam();
  const other = await desk.newTeam("Other Shop");
  await desk.join(team, "owner");
  const { id } = await desk.join(team, "viewer");
  for (const wrong of [other, STAFF_TEAM]) {
    await assert.rejects(removePerson(deps, wrong, id, COMMAND), { code: "not_found" });
    await assert.rejects(changeRole(deps, wrong, { id, role: "viewer" }, COMMAND), { code: "not_found" });
    await assert.rejects(resetFactor(deps, wrong, id, COMMAND), { code: "not_found" });
  }
  assert.ok((await listAllUsers(deps.db, 1_000)).some((person) => person.id === id));
});

test("a factor is reset by another person: everything of it goes, sessions end, the person is told", async () => {
  const team = await desk.newTeam();
  const owner = await desk.join(team, "owner");
  const person = await desk.join(team, "viewer");
  const { secret } = await addTotp(deps, person.session);
  await confirmTotp(deps, person.session, codeFor(secret.reveal(), desk.clock.now()), VISITOR.address);
  assert.deepEqual(await findFactors(deps.db, person.id), { totp: true, passkeys: 0, recoveryCodes: 10 });
  const by = (id: string) => ({ actor: { kind: "user" as const, id } });
  await assert.rejects(resetFactor(deps, team, person.id, by(person.id)), { code: "own_factor" });
  await resetFactor(deps, team, person.id, by(owner.id));
  assert.deepEqual(await findFactors(deps.db, person.id), { totp: false, passkeys: 0, recoveryCodes: 0 });
  assert.equal(await desk.find(team, person.session.cookie), undefined);
  assert.match(letters.at(-1)?.text ?? "", /second factor was reset/);
  assert.equal(letters.at(-1)?.to, person.email);
  assert.deepEqual((await desk.activity("factor.reset"))[0]?.before, { totp: true, passkeys: 0 });
});

test("an owner can require a factor of the team, from the next request on", async () => {
  const team = await desk.newTeam();
  const { session } = await desk.join(team, "viewer");
  assert.equal(session.mustAddFactor, false);
  await requireFactor(deps, team.resellerId, true, COMMAND);
  await requireFactor(deps, team.resellerId, true, COMMAND);
  assert.equal((await desk.find(team, session.cookie))?.mustAddFactor, true);
  assert.equal((await desk.activity("team.factor_required")).length, 1);
  await requireFactor(deps, team.resellerId, false, COMMAND);
  assert.equal((await desk.find(team, session.cookie))?.mustAddFactor, false);
});
