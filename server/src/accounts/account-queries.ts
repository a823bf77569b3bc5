import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { AccountKind, Role } from "./permissions.ts";

/** Whose people: those of one reseller, or the operator's staff. Every read of a person is limited to one team. */
export type Team = { kind: "user"; resellerId: string } | { kind: "staff" };

export type AccountRow = {
  id: string;
  kind: AccountKind;
  resellerId: string | null;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
  acceptedAt: Date | null;
  removedAt: Date | null;
};

const accountColumns = sql`
  id, kind, reseller_id as "resellerId", email, name, role, created_at as "createdAt", accepted_at as "acceptedAt",
  removed_at as "removedAt"`;

export const teamOf = (account: Pick<AccountRow, "kind" | "resellerId">): Team =>
  account.kind === "staff" || account.resellerId === null
    ? { kind: "staff" }
    : { kind: "user", resellerId: account.resellerId };

export const resellerOf = (team: Team): string | undefined =>
  team.kind === "user" ? team.resellerId : undefined;

const isOfTeam = (team: Team): Sql =>
  team.kind === "user" ? sql`kind = 'user' and reseller_id = ${team.resellerId}` : sql`kind = 'staff'`;

export const insertAccount = (
  tx: Tx,
  account: Pick<AccountRow, "id" | "kind" | "resellerId" | "email" | "name" | "role" | "createdAt">,
) =>
  tx.rows(sql`
    insert into accounts (id, kind, reseller_id, email, name, role, created_at)
    values (${account.id}, ${account.kind}, ${account.resellerId}, ${account.email}, ${account.name}, ${account.role},
            ${account.createdAt})`);

/** Locks the account, so that what is decided from it still holds when it is written. */
export const lockPerson = async (tx: Tx, team: Team, id: string): Promise<AccountRow | undefined> => {
  const [row] = await tx.rows<AccountRow>(sql`
    select ${accountColumns} from accounts where id = ${id} and ${isOfTeam(team)} and removed_at is null for update`);
  return row;
};

export const lockPersonByEmail = async (
  tx: Tx,
  team: Team,
  email: string,
): Promise<AccountRow | undefined> => {
  const [row] = await tx.rows<AccountRow>(sql`
    select ${accountColumns} from accounts
    where email = ${email} and ${isOfTeam(team)} and removed_at is null for update`);
  return row;
};

/** By id alone: for verbs that know the account by a session or a link of its own. */
export const findAccount = async (db: Queryable, id: string): Promise<AccountRow | undefined> => {
  const [row] = await db.rows<AccountRow>(sql`select ${accountColumns} from accounts where id = ${id}`);
  return row;
};

/**
 * Those of the staff among these ids, kept as they are until the transaction ends. Admins come first, because a change of
 * people locks all of them before the person.
 */
export const shareStaff = (tx: Tx, ids: readonly string[]) =>
  tx.rows<Pick<AccountRow, "id" | "role">>(sql`
    select id, role from accounts
    where id = any(${ids}) and kind = 'staff' and removed_at is null and accepted_at is not null
    order by role <> 'admin', id for share`);

/** Those of the team among these ids, also people who have left it. */
export const listNames = (db: Queryable, team: Team, ids: readonly string[]) =>
  db.rows<Pick<AccountRow, "id" | "email" | "name">>(sql`
    select id, email, name from accounts where id = any(${ids}) and ${isOfTeam(team)}`);

/** By ids alone, for the operator. */
export const listNamesOfAll = (db: Queryable, ids: readonly string[]) =>
  db.rows<Pick<AccountRow, "id" | "email">>(sql`select id, email from accounts where id = any(${ids})`);

export type SignInRow = AccountRow & { passwordHash: string | null };

/** The one account that this address signs in to. */
export const findSignInAccount = async (
  db: Queryable,
  kind: AccountKind,
  email: string,
): Promise<SignInRow | undefined> => {
  const [row] = await db.rows<SignInRow>(sql`
    select ${accountColumns}, password_hash as "passwordHash" from accounts
    where kind = ${kind} and email = ${email} and removed_at is null and accepted_at is not null`);
  return row;
};

/** Whether what was verified a moment ago still is so: the account is there and its password is the same. Locks the account. */
export const lockVerified = async (
  tx: Tx,
  account: Pick<SignInRow, "id" | "passwordHash">,
): Promise<boolean> => {
  const rows = await tx.rows(sql`
    select from accounts
    where id = ${account.id} and removed_at is null and password_hash is not distinct from ${account.passwordHash}
    for update`);
  return rows.length > 0;
};

export const findPasswordHash = async (db: Queryable, id: string): Promise<string | null> => {
  const [row] = await db.rows<{ passwordHash: string | null }>(sql`
    select password_hash as "passwordHash" from accounts where id = ${id} and removed_at is null`);
  return row?.passwordHash ?? null;
};

/**
 * Locks all who have the team's top role and can sign in, always in the same order. Two of them who demote each other wait
 * here; the second then reads what the first has written.
 */
export const lockTopRole = (tx: Tx, team: Team, role: Role) =>
  tx.rows<{ id: string; email: string }>(sql`
    select id, email from accounts
    where ${isOfTeam(team)} and role = ${role} and removed_at is null and accepted_at is not null
    order by id for update`);

/** Those who are told when the team changes. */
export const listTopRole = (db: Queryable, team: Team, role: Role, limit: number) =>
  db.rows<{ id: string; email: string }>(sql`
    select id, email from accounts
    where ${isOfTeam(team)} and role = ${role} and removed_at is null and accepted_at is not null
    order by id limit ${limit}`);

export const markAccepted = (tx: Tx, id: string, change: { name: string; passwordHash: string; now: Date }) =>
  tx.rows(sql`
    update accounts set accepted_at = ${change.now}, password_hash = ${change.passwordHash},
      name = case when ${change.name} = '' then name else ${change.name} end
    where id = ${id}`);

/** For the demo, whose people come by a link that signs in. */
export const markEntered = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`update accounts set accepted_at = coalesce(accepted_at, ${now}) where id = ${id}`);

export const updatePasswordHash = (db: Queryable, id: string, passwordHash: string) =>
  db.rows(sql`update accounts set password_hash = ${passwordHash} where id = ${id}`);

/** A hash of the old cost is replaced only while it is still the one that was verified. */
export const replacePasswordHash = (db: Queryable, id: string, before: string, after: string) =>
  db.rows(sql`update accounts set password_hash = ${after} where id = ${id} and password_hash = ${before}`);

export const updateInvited = (tx: Tx, id: string, change: { role: Role; name: string }) =>
  tx.rows(sql`
    update accounts set role = ${change.role}, name = case when ${change.name} = '' then name else ${change.name} end
    where id = ${id}`);

export const updateRole = (tx: Tx, id: string, role: Role) =>
  tx.rows(sql`update accounts set role = ${role} where id = ${id}`);

/** The hash goes with the account: nobody signs in with it again. */
export const markRemoved = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`update accounts set removed_at = ${now}, password_hash = null where id = ${id}`);

export type PersonRow = AccountRow & { hasTotp: boolean; passkeys: number; lastSeenAt: Date | null };

/** The people of a team, or of all resellers, with what their team should know of their security. */
export const listPersonRows = (db: Queryable, team: Team | { kind: "user" }, limit: number) =>
  db.rows<PersonRow>(sql`
    select ${accountColumns},
      exists (select from totp_factors f where f.account_id = a.id and f.confirmed_at is not null) as "hasTotp",
      (select count(*)::integer from passkeys p where p.account_id = a.id) as passkeys,
      (select max(s.last_seen_at) from sessions s where s.account_id = a.id) as "lastSeenAt"
    from accounts a
    where ${"resellerId" in team ? sql`kind = 'user' and reseller_id = ${team.resellerId}` : sql`kind = ${team.kind}`}
      and removed_at is null
    order by id limit ${limit}`);

/** Whether a second factor is required of the account: always of staff, of a team where its owner says so. */
export const markFactorRequired = (tx: Tx, resellerId: string, required: boolean) =>
  tx.rows<{ before: boolean }>(sql`
    with present as (select id, factor_required from resellers where id = ${resellerId} for no key update)
    update resellers r set factor_required = ${required} from present where r.id = present.id
    returning present.factor_required as before`);

export const findFactorRequired = async (db: Queryable, resellerId: string): Promise<boolean> => {
  const [row] = await db.rows<{ required: boolean }>(
    sql`select factor_required as required from resellers where id = ${resellerId}`,
  );
  return row?.required ?? false;
};
