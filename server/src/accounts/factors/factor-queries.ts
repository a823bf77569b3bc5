import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";

export type FactorsRow = { totp: boolean; passkeys: number; recoveryCodes: number };

/** What the account can prove itself with, besides a password. */
export const findFactors = async (db: Queryable, accountId: string): Promise<FactorsRow> => {
  const [row] = await db.rows<FactorsRow>(sql`
    select
      exists (select from totp_factors where account_id = ${accountId} and confirmed_at is not null) as totp,
      (select count(*)::integer from passkeys where account_id = ${accountId}) as passkeys,
      (select count(*)::integer from recovery_codes where account_id = ${accountId} and used_at is null) as "recoveryCodes"`);
  return row ?? { totp: false, passkeys: 0, recoveryCodes: 0 };
};

/** Holds the account's factors still until the transaction ends: all who change them lock this row first. */
export const lockAccount = async (tx: Tx, accountId: string): Promise<boolean> => {
  const rows = await tx.rows(
    sql`select from accounts where id = ${accountId} and removed_at is null for update`,
  );
  return rows.length > 0;
};

export type TotpRow = { sealed: Buffer; lastStep: bigint; createdAt: Date; confirmedAt: Date | null };

export const findTotp = async (db: Queryable, accountId: string): Promise<TotpRow | undefined> => {
  const [row] = await db.rows<TotpRow>(sql`
    select sealed, last_step as "lastStep", created_at as "createdAt", confirmed_at as "confirmedAt" from totp_factors
    where account_id = ${accountId}`);
  return row;
};

/** A secret that was never confirmed is replaced; a confirmed one is not. */
export const insertTotp = (tx: Tx, accountId: string, sealed: Buffer, now: Date) =>
  tx.rows<{ accountId: string }>(sql`
    insert into totp_factors as f (account_id, sealed, created_at) values (${accountId}, ${sealed}, ${now})
    on conflict (account_id) do update set sealed = excluded.sealed, created_at = excluded.created_at, last_step = 0
    where f.confirmed_at is null
    returning account_id as "accountId"`);

export const markTotpConfirmed = (tx: Tx, accountId: string, step: number, now: Date) =>
  tx.rows<{ accountId: string }>(sql`
    update totp_factors set confirmed_at = ${now}, last_step = ${step}
    where account_id = ${accountId} and confirmed_at is null returning account_id as "accountId"`);

/** One statement decides: a code that is sent twice at once is accepted once. */
export const markTotpUsed = (db: Queryable, accountId: string, step: number) =>
  db.rows<{ accountId: string }>(sql`
    update totp_factors set last_step = ${step}
    where account_id = ${accountId} and confirmed_at is not null and last_step < ${step}
    returning account_id as "accountId"`);

export const deleteTotp = (tx: Tx, accountId: string) =>
  tx.rows<{ confirmedAt: Date | null }>(
    sql`delete from totp_factors where account_id = ${accountId} returning confirmed_at as "confirmedAt"`,
  );

export const replaceRecoveryCodes = async (tx: Tx, accountId: string, digests: readonly Buffer[]) => {
  await tx.rows(sql`delete from recovery_codes where account_id = ${accountId}`);
  await tx.rows(sql`
    insert into recovery_codes (account_id, digest) select ${accountId}, unnest(${digests}::bytea[])`);
};

export const markRecoveryCodeUsed = (db: Queryable, accountId: string, digest: Buffer, now: Date) =>
  db.rows<{ accountId: string }>(sql`
    update recovery_codes set used_at = ${now}
    where account_id = ${accountId} and digest = ${digest} and used_at is null
    returning account_id as "accountId"`);

/** Everything that the account could prove itself with besides its password, and what it was about to prove. */
export const forgetFactors = async (tx: Tx, accountId: string): Promise<void> => {
  await tx.rows(sql`delete from totp_factors where account_id = ${accountId}`);
  await tx.rows(sql`delete from passkeys where account_id = ${accountId}`);
  await tx.rows(sql`delete from recovery_codes where account_id = ${accountId}`);
  await deleteChallenges(tx, accountId);
};

export const deleteChallenges = (tx: Tx, accountId: string) =>
  tx.rows(sql`delete from account_challenges where account_id = ${accountId}`);
