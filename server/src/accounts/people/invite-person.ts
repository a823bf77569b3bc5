import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import { idsOf } from "../../lib/ids.ts";
import type { AccountDeps } from "../account-deps.ts";
import {
  insertAccount,
  lockPersonByEmail,
  resellerOf,
  type Team,
  updateInvited,
} from "../account-queries.ts";
import { checkEmail, checkPersonName, checkRole } from "../check-person.ts";
import { invitationLetter } from "../letters/letters.ts";
import type { Role } from "../permissions.ts";
import { Refusal } from "../refusal.ts";
import { makeLink } from "./account-link.ts";
import { lockTeam, PEOPLE_MAX } from "./team-queries.ts";

/** The link is shown once, to the inviter, where no mail can be sent. */
export type Invited = { id: string; email: string; role: Role; link: string };

/**
 * Invites a person to a team. Inviting someone who has not accepted yet makes a new link with the role given now, and ends the
 * older one. Without a role it makes a new link for someone who was invited, who keeps role and name. The answer is the same
 * whether or not the address has an account elsewhere.
 */
export async function invitePerson(
  deps: AccountDeps,
  team: Team,
  input: { email: string; role?: string | undefined; name?: string | undefined },
  by: By,
): Promise<Invited> {
  const email = checkEmail(input.email);
  const given = input.role === undefined ? undefined : checkRole(team.kind, input.role);
  const name = checkPersonName(input.name ?? "");
  return deps.db.transaction(async (tx) => {
    const { name: teamName, people } = await lockTeam(tx, team);
    const present = await lockPersonByEmail(tx, team, email);
    if (present?.acceptedAt)
      throw new Refusal("already_on_team", `${email} is on this team already.`, "email");
    if (!present && people >= PEOPLE_MAX)
      throw new Refusal("limit_reached", `A team has at most ${PEOPLE_MAX} people.`);
    const role = given ?? present?.role;
    if (role === undefined) throw new Refusal("not_found", "There is no such person on this team.");
    const id = present?.id ?? idsOf(deps.clock)(team.kind === "user" ? "usr" : "stf");
    if (present) await updateInvited(tx, id, { role, name });
    else await addAccount(deps, tx, team, { id, email, role, name });
    const link = await makeLink(deps, tx, { id, kind: team.kind }, "invite");
    await deps.queueLetter(tx, invitationLetter({ kind: team.kind, email, role }, link, teamName));
    await recordActivity(tx, deps.clock, {
      ...by,
      action: "person.invited",
      object: { kind: "person", id },
      resellerId: resellerOf(team),
      after: { email, role },
    });
    return { id, email, role, link: link.url };
  });
}

const addAccount = (
  deps: AccountDeps,
  tx: Tx,
  team: Team,
  person: { id: string; email: string; role: Role; name: string },
) =>
  insertAccount(tx, {
    ...person,
    kind: team.kind,
    resellerId: resellerOf(team) ?? null,
    createdAt: deps.clock.now(),
  });
