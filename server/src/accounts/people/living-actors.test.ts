import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { COMMAND, openPeopleDesk, STAFF_TEAM } from "../../../testing/people/people-desk.ts";
import { removePerson } from "./change-person.ts";
import { invitePerson } from "./invite-person.ts";

const desk = await openPeopleDesk();
const { deps, db, clock } = desk;
after(desk.drop);

const isAlive = async (kind: string, id: string, resellerId: string) => {
  const rows = await db.rows(sql`
    select from living_actors(${[kind]}::text[], ${[id]}::text[], ${[resellerId]}::text[], ${clock.now()})`);
  return rows.length === 1;
};

test("a person may act for their own reseller from acceptance to removal; staff and others may not", async () => {
  const team = await desk.newTeam();
  const other = await desk.newTeam("Other Shop");
  await desk.join(team, "owner");
  const { id } = await desk.join(team, "developer");
  const staff = await desk.join(STAFF_TEAM, "admin");
  const invited = await invitePerson(deps, team, { email: "soon@corner.example", role: "owner" }, COMMAND);
  assert.equal(await isAlive("user", id, team.resellerId), true);
  assert.equal(await isAlive("user", id, other.resellerId), false);
  assert.equal(await isAlive("staff", id, team.resellerId), false);
  assert.equal(await isAlive("user", invited.id, team.resellerId), false);
  assert.equal(await isAlive("staff", staff.id, team.resellerId), false);
  await removePerson(deps, team, id, COMMAND);
  assert.equal(await isAlive("user", id, team.resellerId), false);
});
