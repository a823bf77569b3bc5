import type { Tx } from "../../db/database.ts";
import type { AccountDeps } from "../account-deps.ts";
import { listTopRole, type Team } from "../account-queries.ts";
import { type KeyNews, keyChangedLetter, teamChangedLetter } from "../letters/letters.ts";
import { type Role, topRole } from "../permissions.ts";

/** A team of many owners does not make a mailing. */
const OWNERS_TOLD_MAX = 20;

/** Writes to those who manage the team that someone joined or left it; not to that person. */
export async function tellOwners(
  deps: Pick<AccountDeps, "queueLetter" | "urls">,
  tx: Tx,
  team: Team,
  person: { id: string; email: string; role: Role; change: "joined" | "removed" },
): Promise<void> {
  const owners = await listTopRole(tx, team, topRole(team.kind), OWNERS_TOLD_MAX);
  for (const owner of owners.filter(({ id }) => id !== person.id))
    await deps.queueLetter(tx, teamChangedLetter(deps.urls, { kind: team.kind, email: owner.email }, person));
}

/** Writes to those who manage the team that there is a new key, or that one has more access. */
export async function tellOwnersOfKey(
  deps: Pick<AccountDeps, "queueLetter" | "urls">,
  tx: Tx,
  team: Team,
  key: KeyNews,
): Promise<void> {
  for (const owner of await listTopRole(tx, team, topRole(team.kind), OWNERS_TOLD_MAX))
    await deps.queueLetter(tx, keyChangedLetter(deps.urls, { kind: team.kind, email: owner.email }, key));
}
