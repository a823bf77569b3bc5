import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import type { AccountDeps } from "../account-deps.ts";
import {
  type AccountRow,
  lockPerson,
  lockTopRole,
  markFactorRequired,
  markRemoved,
  resellerOf,
  type Team,
  updateRole,
} from "../account-queries.ts";
import { checkRole } from "../check-person.ts";
import { forgetFactors } from "../factors/factor-queries.ts";
import { removedLetter } from "../letters/letters.ts";
import { topRole } from "../permissions.ts";
import { Refusal } from "../refusal.ts";
import { markSessionsEnded } from "../sessions/session-queries.ts";
import { endLinks } from "./account-link.ts";
import { tellOwners } from "./tell-owners.ts";

/** Gives a person another role. It holds from that person's next request on. */
export async function changeRole(
  deps: AccountDeps,
  team: Team,
  input: { id: string; role: string },
  by: By,
): Promise<AccountRow> {
  const role = checkRole(team.kind, input.role);
  return deps.db.transaction(async (tx) => {
    const person = await lockChangeable(tx, team, input.id, { keepsTopRole: role === topRole(team.kind) });
    if (person.role === role) return person;
    await updateRole(tx, person.id, role);
    await recordActivity(tx, deps.clock, {
      ...by,
      action: "person.role_changed",
      object: { kind: "person", id: person.id },
      resellerId: resellerOf(team),
      before: { role: person.role },
      after: { role },
    });
    return { ...person, role };
  });
}

/** Takes a person off the team. All sessions and links end at once, and the address is free again. */
export async function removePerson(deps: AccountDeps, team: Team, id: string, by: By): Promise<AccountRow> {
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const person = await lockChangeable(tx, team, id, { keepsTopRole: false });
    await markRemoved(tx, id, now);
    await markSessionsEnded(tx, id, {}, now);
    await endLinks(tx, id, now);
    await forgetFactors(tx, id);
    await recordActivity(tx, deps.clock, {
      ...by,
      action: "person.removed",
      object: { kind: "person", id },
      resellerId: resellerOf(team),
      before: { email: person.email, role: person.role },
    });
    // Nobody is told when an invitation is withdrawn.
    if (person.acceptedAt) {
      await deps.queueLetter(tx, removedLetter(person));
      await tellOwners(deps, tx, team, { ...person, change: "removed" });
    }
    return { ...person, removedAt: now };
  });
}

/** Requires a second factor of a reseller's people, or no longer. Those without one are asked at their next request. */
export async function requireFactor(
  deps: AccountDeps,
  resellerId: string,
  required: boolean,
  by: By,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const [row] = await markFactorRequired(tx, resellerId, required);
    if (!row) throw new Refusal("not_found", `There is no reseller ${resellerId}.`);
    if (row.before === required) return;
    await recordActivity(tx, deps.clock, {
      ...by,
      action: "team.factor_required",
      object: { kind: "reseller", id: resellerId },
      resellerId,
      before: { required: row.before },
      after: { required },
    });
  });
}

/**
 * Locks the team's owners first and then the person, who may be one of them: all who change people lock in this order. Refuses
 * to leave the team without an owner who can sign in.
 */
async function lockChangeable(
  tx: Tx,
  team: Team,
  id: string,
  { keepsTopRole }: { keepsTopRole: boolean },
): Promise<AccountRow> {
  const role = topRole(team.kind);
  const owners = await lockTopRole(tx, team, role);
  const person = id.includes("\0") ? undefined : await lockPerson(tx, team, id);
  if (!person) throw new Refusal("not_found", "There is no such person on this team.");
  const isLast = owners.length === 1 && owners[0]?.id === id;
  if (isLast && !keepsTopRole)
    throw new Refusal("last_owner", `A team needs at least one ${role}. Make someone else ${role} first.`);
  return person;
}
