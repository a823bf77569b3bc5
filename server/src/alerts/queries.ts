import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Facts } from "./conditions.ts";
import type { Found, OpenAlert } from "./decide-alerts.ts";

/** Any fixed number serves; it only has to be the same in every process. */
const ROUND_LOCK = 7_242_038;

/** One process evaluates at a time. False while another one does. */
export async function tryLockRound(tx: Tx): Promise<boolean> {
  const [row] = await tx.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${ROUND_LOCK}) as locked`,
  );
  return row?.locked ?? false;
}

export const findSubjects = (tx: Tx, condition: Sql) => tx.rows<Found>(condition);

export const listOpenOfKind = (tx: Tx, kind: string, limit: number) =>
  tx.rows<OpenAlert>(sql`
    select id, subject, facts from alerts where kind = ${kind} and resolved_at is null order by subject limit ${limit}`);

export type NewAlert = { id: string; kind: string; subject: string; facts: Facts };

/** Returns the ids of those that are new. A subject that has an open alert of the kind keeps it. */
export const insertAlerts = async (tx: Tx, alerts: readonly NewAlert[], now: Date): Promise<string[]> => {
  const rows = await tx.rows<{ id: string }>(sql`
    insert into alerts (id, kind, subject, facts, raised_at)
    select id, kind, subject, facts::jsonb, ${now} from unnest(
      ${alerts.map(({ id }) => id)}::text[], ${alerts.map(({ kind }) => kind)}::text[],
      ${alerts.map(({ subject }) => subject)}::text[], ${alerts.map(({ facts }) => JSON.stringify(facts))}::text[]
    ) as alert (id, kind, subject, facts)
    on conflict (kind, subject) where resolved_at is null do nothing
    returning id`);
  return rows.map(({ id }) => id);
};

export const updateFacts = (tx: Tx, changes: readonly { id: string; facts: Facts }[]) =>
  tx.rows(sql`
    update alerts a set facts = change.facts::jsonb
    from unnest(${changes.map(({ id }) => id)}::text[],
                ${changes.map(({ facts }) => JSON.stringify(facts))}::text[]) as change (id, facts)
    where a.id = change.id`);

export const markResolved = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.rows(sql`update alerts set resolved_at = ${now} where id = any(${ids}::text[]) and resolved_at is null`);

export const markEvaluated = (tx: Tx, now: Date) =>
  tx.rows(sql`
    insert into alert_rounds (evaluated_at) values (${now})
    on conflict (only_row) do update set evaluated_at = excluded.evaluated_at`);

export const findEvaluatedAt = async (db: Queryable): Promise<Date | undefined> => {
  const [row] = await db.rows<{ at: Date }>(sql`select evaluated_at as at from alert_rounds`);
  return row?.at;
};

export const deleteResolved = (tx: Tx, before: Date, limit: number) =>
  tx.rows(sql`
    delete from alerts where id in (
      select id from alerts where resolved_at < ${before} order by resolved_at limit ${limit})`);

export const countOpen = (db: Queryable) =>
  db.rows<{ kind: string; count: number }>(
    sql`select kind, count(*)::integer as count from alerts where resolved_at is null group by kind`,
  );

/** Open alerts that nobody has acknowledged, counted up to a limit. */
export const countUnseen = async (db: Queryable, max: number): Promise<number> => {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from (
      select from alerts where resolved_at is null and acknowledged_at is null limit ${max}) unseen`);
  return row?.count ?? 0;
};

export type AlertRow = {
  id: string;
  kind: string;
  subject: string;
  facts: Facts;
  raisedAt: Date;
  resolvedAt: Date | null;
  acknowledgedAt: Date | null;
  acknowledgedKind: "staff" | "command" | null;
  acknowledgedId: string | null;
  /** Of the supplier that the facts name. Mail and metrics know it by id only. */
  supplierName: string | null;
};

const alertColumns = sql`
  id, kind, subject, facts, raised_at as "raisedAt", resolved_at as "resolvedAt", acknowledged_at as "acknowledgedAt",
  acknowledged_kind as "acknowledgedKind", acknowledged_id as "acknowledgedId",
  (select s.name from suppliers s where s.id = facts ->> 'supplierId') as "supplierName"`;

/** Those that nobody has acknowledged first, within each the newest. */
export const listOpenRows = (db: Queryable, limit: number) =>
  db.rows<AlertRow>(sql`
    select ${alertColumns} from alerts where resolved_at is null
    order by acknowledged_at is not null, id desc limit ${limit}`);

/** Open alerts of these kinds, the newest first. */
export const listOpenRowsOf = (db: Queryable, kinds: readonly string[], limit: number) =>
  db.rows<AlertRow>(sql`
    select ${alertColumns} from alerts where resolved_at is null and kind = any(${kinds}::text[])
    order by id desc limit ${limit}`);

export const listResolvedRows = (db: Queryable, limit: number) =>
  db.rows<AlertRow>(sql`
    select ${alertColumns} from alerts where resolved_at is not null order by resolved_at desc limit ${limit}`);

export const lockAlert = async (tx: Tx, id: string): Promise<AlertRow | undefined> => {
  const [row] = await tx.rows<AlertRow>(sql`select ${alertColumns} from alerts where id = ${id} for update`);
  return row;
};

export const markAcknowledged = (tx: Tx, id: string, by: { kind: string; id: string }, now: Date) =>
  tx.rows(sql`
    update alerts set acknowledged_at = ${now}, acknowledged_kind = ${by.kind}, acknowledged_id = ${by.id}
    where id = ${id}`);

export const listReaders = (tx: Tx, limit: number) =>
  tx.rows<{ id: string; email: string }>(sql`
    select a.id, a.email from alert_readers r join accounts a on a.id = r.account_id
    where a.kind = 'staff' and a.accepted_at is not null and a.removed_at is null
    order by a.id limit ${limit}`);

export const isReader = async (db: Queryable, accountId: string): Promise<boolean> => {
  const rows = await db.rows(sql`select from alert_readers where account_id = ${accountId}`);
  return rows.length > 0;
};

/** Returns whether that changed anything. */
export const insertReader = async (tx: Tx, accountId: string, now: Date): Promise<boolean> => {
  const rows = await tx.rows(sql`
    insert into alert_readers (account_id, since) values (${accountId}, ${now}) on conflict do nothing returning 1`);
  return rows.length > 0;
};

export const deleteReader = async (tx: Tx, accountId: string): Promise<boolean> => {
  const rows = await tx.rows(sql`delete from alert_readers where account_id = ${accountId} returning 1`);
  return rows.length > 0;
};
