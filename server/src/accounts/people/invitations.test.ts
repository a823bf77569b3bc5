import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  COMMAND,
  openPeopleDesk,
  PASSWORD,
  STAFF_TEAM,
  tokenOf,
  VISITOR,
} from "../../../testing/people/people-desk.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { openLink } from "./account-link.ts";
import { invitePerson } from "./invite-person.ts";
import { listPeople } from "./list-people.ts";
import { makeEntry, openEntry } from "./open-entry.ts";

const desk = await openPeopleDesk();
const { deps, clock, letters } = desk;
after(desk.drop);
const team = await desk.newTeam();

const invite = (email: string, role = "viewer", to = team) =>
  invitePerson(deps, to, { email, role }, COMMAND);
const accept = (link: string, password = PASSWORD) =>
  acceptInvitation(deps, { token: tokenOf(link), password, name: "Ana" }, VISITOR);
const states = async () =>
  Object.fromEntries((await listPeople(deps.db, team)).map(({ email, state }) => [email, state]));

test("an invitation is a letter with a link; accepting it sets the password and signs in", async () => {
  const invited = await invite("Ana@Corner.example ", "owner");
  assert.match(invited.id, /^usr_/);
  assert.equal(invited.email, "ana@corner.example");
  assert.match(invited.link, /^https:\/\/api\.example\/dashboard\/accept\?token=[\w-]{43}$/);
  const letter = letters.at(-1);
  assert.equal(letter?.to, "ana@corner.example");
  assert.ok(letter?.text.includes(invited.link));
  assert.deepEqual(await states(), { "ana@corner.example": "invited" });
  const session = await desk.getSession(team, await accept(invited.link));
  assert.deepEqual(
    [session.email, session.name, session.role, session.face],
    ["ana@corner.example", "Ana", "owner", "dashboard"],
  );
  assert.deepEqual(await states(), { "ana@corner.example": "active" });
  assert.equal((await desk.activity("person.joined"))[0]?.object.id, invited.id);
});

test("opening a link does not use it up, the form does, and a form that is refused does not", async () => {
  const { link } = await invite("bo@corner.example");
  for (const _ of [1, 2]) assert.equal((await openLink(deps, "invite", tokenOf(link))).state, "open");
  await assert.rejects(accept(link, "short"), { code: "password_unfit" });
  assert.equal((await openLink(deps, "invite", tokenOf(link))).state, "open");
  await accept(link);
  assert.equal((await openLink(deps, "invite", tokenOf(link))).state, "used");
  await assert.rejects(accept(link), { code: "link_unusable", message: /used already/ });
});

test("of two forms sent at once one gets through", async () => {
  const { link } = await invite("cy@corner.example");
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => accept(link)));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  for (const result of results)
    if (result.status === "rejected") assert.equal(result.reason.code, "link_unusable");
});

test("a link of 72 hours has expired after them, and a token that was never made is unknown", async () => {
  const { link } = await invite("di@corner.example");
  clock.advance(72 * 3_600_000 - 1);
  assert.equal((await openLink(deps, "invite", tokenOf(link))).state, "open");
  clock.advance(1);
  await assert.rejects(accept(link), { code: "link_unusable", message: /expired/ });
  for (const token of ["", "x".repeat(43), tokenOf(link).slice(1), "\0"])
    assert.equal((await openLink(deps, "invite", token)).state, "unknown");
  assert.equal((await openLink(deps, "reset", tokenOf(link))).state, "unknown");
});

test("a new invitation ends the older one and has the role given now", async () => {
  const first = await invite("ed@corner.example", "viewer");
  const second = await invite("ed@corner.example", "finance");
  assert.equal(second.id, first.id);
  await assert.rejects(accept(first.link), { code: "link_unusable", message: /replaced/ });
  assert.equal((await desk.getSession(team, await accept(second.link))).role, "finance");
  await assert.rejects(invite("ed@corner.example"), { code: "already_on_team", field: "email" });
});

test("a new link without a role keeps the role and the name, and is for someone who was invited", async () => {
  const email = "eli@corner.example";
  await invitePerson(deps, team, { email, role: "finance", name: "Eli" }, COMMAND);
  const { link, role } = await invitePerson(deps, team, { email }, COMMAND);
  assert.equal(role, "finance");
  assert.match(letters.at(-1)?.text ?? "", /finance/);
  const people = await listPeople(deps.db, team);
  assert.equal(people.find((person) => person.email === email)?.name, "Eli");
  assert.equal((await desk.getSession(team, await accept(link))).role, "finance");
  await assert.rejects(invitePerson(deps, team, { email: "nobody@corner.example" }, COMMAND), {
    code: "not_found",
  });
});

test("an address with an account elsewhere is invited like any other, and only its person is told", async () => {
  const other = await desk.newTeam("Other Shop");
  const { link } = await invite("fay@corner.example");
  const elsewhere = await invite("fay@corner.example", "viewer", other);
  await accept(link);
  await assert.rejects(accept(elsewhere.link), { code: "email_taken", message: /another address/ });
  assert.equal((await openLink(deps, "invite", tokenOf(elsewhere.link))).state, "open");
  assert.match((await invite("fay@corner.example", "viewer", other)).link, /accept\?token=/);
  // The staff of the operator are other people, even under the same address.
  const staff = await invitePerson(deps, STAFF_TEAM, { email: "fay@corner.example", role: "admin" }, COMMAND);
  assert.match(staff.id, /^stf_/);
  assert.match(staff.link, /^http:\/\/localhost:8081\/accept\?token=/);
  assert.equal((await desk.getSession(STAFF_TEAM, await accept(staff.link))).mustAddFactor, true);
});

test("two invitations of one address at once are one account with one open link", async () => {
  const invited = await Promise.all([invite("gil@corner.example"), invite("gil@corner.example")]);
  assert.equal(new Set(invited.map(({ id }) => id)).size, 1);
  const opened = await Promise.all(invited.map(({ link }) => openLink(deps, "invite", tokenOf(link))));
  assert.deepEqual(opened.map(({ state }) => state).toSorted(), ["open", "replaced"]);
});

test("an unknown reseller, role or address is refused and leaves nothing", async () => {
  const before = letters.length;
  await assert.rejects(invite("hal@corner.example", "admin"), { code: "role_invalid" });
  await assert.rejects(invite("no address"), { code: "email_invalid" });
  await assert.rejects(invite("hal@corner.example", "owner", { kind: "user", resellerId: "rsl_x" }), {
    code: "not_found",
  });
  assert.equal(letters.length, before);
});

test("a link into the demo signs in once, from this machine alone", async () => {
  const { id } = await invite("ivy@corner.example", "owner");
  const local = { ...VISITOR, address: "127.0.0.1" };
  const link = await makeEntry(deps, { id, kind: "user" });
  assert.match(link, /\/dashboard\/enter\?token=/);
  for (const address of ["203.0.113.7", "10.0.0.1", "::ffff:203.0.113.7", "localhost", ""])
    await assert.rejects(openEntry(deps, tokenOf(link), { ...VISITOR, address }), { code: "not_local" });
  assert.equal((await desk.getSession(team, await openEntry(deps, tokenOf(link), local))).accountId, id);
  await assert.rejects(openEntry(deps, tokenOf(link), { ...local, address: "::1" }), {
    code: "link_unusable",
  });
  const late = await makeEntry(deps, { id, kind: "user" });
  clock.advance(15 * 60_000);
  await assert.rejects(openEntry(deps, tokenOf(late), local), { message: /expired/ });
});

test("the log and errors hold no token and no password", async () => {
  const { link } = await invite("jo@corner.example");
  const rows = await Promise.all(["person.invited", "person.joined", "session.started"].map(desk.activity));
  assert.doesNotMatch(JSON.stringify(rows), /token|tulip/);
  assert.ok(!JSON.stringify(rows).includes(tokenOf(link)));
  const error = await accept(link, tokenOf(link).slice(0, 11)).catch((thrown: Error) => thrown);
  assert.ok(!JSON.stringify([error, String(error)]).includes(tokenOf(link).slice(0, 11)));
});
