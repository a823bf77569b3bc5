import sql from "sql-template-tag";
import type { Db, Queryable, Tx } from "../db/database.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { type AuditResult, audit } from "./audit.ts";

export type AuditRun = AuditResult & { startedAt: Date; finishedAt: Date; actor: Actor };

/** Nobody reads older runs. */
const RUNS_KEPT = 500;

export type RunAuditOptions = {
  onProgress?: (done: number, total: number) => void;
  /** Called in the transaction that keeps the result. */
  inTransaction?: (tx: Tx, result: AuditResult) => Promise<void>;
};

/** Runs the audit and keeps its result: a broken invariant stays visible until a later run finds none. */
export async function runAudit(
  { db, clock }: { db: Db; clock: Clock },
  actor: Actor,
  { onProgress, inTransaction }: RunAuditOptions = {},
): Promise<AuditResult> {
  const startedAt = clock.now();
  const result = await audit(db, onProgress);
  await db.transaction(async (tx) => {
    await insertRun(tx, { ...result, startedAt, finishedAt: clock.now(), actor });
    await inTransaction?.(tx, result);
  });
  return result;
}

const insertRun = (db: Queryable, run: AuditRun) =>
  db.rows(sql`
    with added as (
      insert into audit_runs (started_at, finished_at, ok, invariants, actor_kind, actor_id)
      values (${run.startedAt}, ${run.finishedAt}, ${run.ok}, ${JSON.stringify(run.invariants)}::jsonb,
              ${run.actor.kind}, ${run.actor.id})
      returning id
    )
    delete from audit_runs where id <= (select id from added) - ${RUNS_KEPT}`);

export const findLastAudit = async (db: Queryable): Promise<AuditRun | undefined> => {
  const [row] = await db.rows<Omit<AuditRun, "actor"> & { actorKind: Actor["kind"]; actorId: string }>(sql`
    select started_at as "startedAt", finished_at as "finishedAt", ok, invariants, actor_kind as "actorKind",
           actor_id as "actorId"
    from audit_runs order by id desc limit 1`);
  if (!row) return undefined;
  const { actorKind, actorId, ...run } = row;
  return { ...run, actor: { kind: actorKind, id: actorId } };
};
