import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { Team } from "../account-queries.ts";
import { Refusal } from "../refusal.ts";

/** Invited people count. */
export const PEOPLE_MAX = 200;
/** Any fixed number serves; it only has to be the same in every process. */
const STAFF_LOCK = 7_242_020;

/**
 * The team's name and how many people it has. Invitations to one team wait for each other here, so that an address or
 * the last free place is not taken twice. Placing orders does not wait: it takes no such lock.
 */
export async function lockTeam(tx: Tx, team: Team): Promise<{ name: string; people: number }> {
  const name = team.kind === "user" ? await lockReseller(tx, team.resellerId) : await lockStaff(tx);
  const [row] = await tx.rows<{ people: number }>(sql`
    select count(*)::integer as people from accounts
    where kind = ${team.kind} and removed_at is null
      and reseller_id is not distinct from ${team.kind === "user" ? team.resellerId : null}`);
  return { name, people: row?.people ?? 0 };
}

async function lockReseller(tx: Tx, id: string): Promise<string> {
  const [reseller] = await tx.rows<{ name: string }>(
    sql`select name from resellers where id = ${id} for no key update`,
  );
  if (!reseller) throw new Refusal("not_found", `There is no reseller ${id}.`);
  return reseller.name;
}

async function lockStaff(tx: Tx): Promise<string> {
  await tx.rows(sql`select pg_advisory_xact_lock(${STAFF_LOCK})`);
  return "the operator's staff";
}
