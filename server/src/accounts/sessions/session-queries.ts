import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { AccountKind, Face, Role } from "../permissions.ts";

export type LivingSessionRow = {
  id: string;
  digest: Buffer;
  face: Face;
  createdAt: Date;
  lastSeenAt: Date;
  provedAt: Date;
  accountId: string;
  kind: AccountKind;
  resellerId: string | null;
  email: string;
  name: string;
  role: Role;
  hasFactor: boolean;
  factorRequired: boolean;
};

/** The sessions among these digests that are still signed in, with what every page needs to know of their people. */
export const findLivingSessions = (
  db: Queryable,
  digests: readonly Buffer[],
  bounds: { seenAfter: Date; createdAfter: Date },
) =>
  db.rows<LivingSessionRow>(
    sql`
      select s.id, s.digest, s.face, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt",
        s.proved_at as "provedAt", a.id as "accountId", a.kind, a.reseller_id as "resellerId", a.email, a.name, a.role,
        exists (select from totp_factors f where f.account_id = a.id and f.confirmed_at is not null)
          or exists (select from passkeys p where p.account_id = a.id) as "hasFactor",
        a.kind = 'staff' or coalesce(r.factor_required, false) as "factorRequired"
      from sessions s
      join accounts a on a.id = s.account_id
      left join resellers r on r.id = a.reseller_id
      where s.digest = any(${digests}::bytea[]) and s.ended_at is null and a.removed_at is null
        and s.last_seen_at > ${bounds.seenAfter} and s.created_at > ${bounds.createdAfter}`,
    { name: "find-living-sessions" },
  );

/** At most once a minute for each session, however many requests come at once. */
export const markSessionSeen = (
  db: Queryable,
  id: string,
  seen: { now: Date; address: string; olderThan: Date },
) =>
  db.rows(sql`
    update sessions set last_seen_at = ${seen.now}, address = ${seen.address}
    where id = ${id} and ended_at is null and last_seen_at < ${seen.olderThan}`);

export const insertSession = (
  tx: Tx,
  session: {
    id: string;
    digest: Buffer;
    accountId: string;
    face: Face;
    now: Date;
    address: string;
    device: string;
  },
) =>
  tx.rows(sql`
    insert into sessions (id, digest, account_id, face, created_at, last_seen_at, proved_at, address, device)
    values (${session.id}, ${session.digest}, ${session.accountId}, ${session.face}, ${session.now}, ${session.now},
            ${session.now}, ${session.address}, ${session.device})`);

/** How the account's earlier sessions looked: whether there were any, and whether one came from the same place. */
export const compareDevice = async (
  tx: Tx,
  accountId: string,
  visitor: { address: string; device: string; since: Date },
): Promise<{ hasEarlier: boolean; isKnown: boolean }> => {
  const [row] = await tx.rows<{ hasEarlier: boolean; isKnown: boolean }>(sql`
    select count(*) > 0 as "hasEarlier",
      coalesce(bool_or(device = ${visitor.device} and address = ${visitor.address}), false) as "isKnown"
    from sessions where account_id = ${accountId} and created_at > ${visitor.since}`);
  return row ?? { hasEarlier: false, isKnown: false };
};

/** The new digest takes the place of the old one, which is of no use from then on. The session and its age stay. */
export const renewSession = (tx: Tx, session: { id: string; before: Buffer; after: Buffer; now: Date }) =>
  tx.rows<{ id: string }>(sql`
    update sessions set digest = ${session.after}, proved_at = ${session.now}, last_seen_at = ${session.now}
    where id = ${session.id} and digest = ${session.before} and ended_at is null
    returning id`);

/** Ends one session of the account, or all of them, or all but one. */
export const markSessionsEnded = (
  db: Queryable,
  accountId: string,
  which: { only?: string; except?: string | undefined },
  now: Date,
) =>
  db.rows<{ id: string }>(sql`
    update sessions set ended_at = ${now}
    where account_id = ${accountId} and ended_at is null
      and (${which.only ?? null}::text is null or id = ${which.only ?? null})
      and (${which.except ?? null}::text is null or id <> ${which.except ?? null})
    returning id`);

/** The sessions beyond the newest so many end. */
export const endOldestSessions = (tx: Tx, accountId: string, keep: number, now: Date) =>
  tx.rows(sql`
    update sessions set ended_at = ${now}
    where id in (
      select id from sessions where account_id = ${accountId} and ended_at is null
      order by created_at desc, id desc offset ${keep})`);

export type SessionRow = {
  id: string;
  face: Face;
  createdAt: Date;
  lastSeenAt: Date;
  address: string;
  device: string;
};

export const listSessionRows = (
  db: Queryable,
  accountId: string,
  bounds: { seenAfter: Date; createdAfter: Date },
) =>
  db.rows<SessionRow>(sql`
    select id, face, created_at as "createdAt", last_seen_at as "lastSeenAt", address, device from sessions
    where account_id = ${accountId} and ended_at is null
      and last_seen_at > ${bounds.seenAfter} and created_at > ${bounds.createdAfter}
    order by last_seen_at desc, id desc`);
