import sql from "sql-template-tag";
import type { Db, Queryable, Tx } from "../db/database.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { type AuditResult, continueAudit, type Progress } from "./audit.ts";
import { adoptProof } from "./proof-queries.ts";

export type AuditRun = AuditResult & {
  startedAt: Date;
  finishedAt: Date;
  /** From when on it checked. Undefined if it checked everything. */
  since: Date | undefined;
  actor: Actor;
};

/** Nobody reads older runs. */
const RUNS_KEPT = 500;

export type RunAuditOptions = {
  /** Check everything, and not only what can have changed since the last proof. */
  isFull?: boolean;
  onProgress?: Progress;
  /** Called in the transaction that keeps the result. */
  inTransaction?: (tx: Tx, result: AuditResult) => Promise<void>;
};

export type RunResult = AuditResult & { since: Date | undefined };

/**
 * Runs the audit and keeps its result: a broken invariant stays visible until a later full run finds none. What it proved counts
 * from the same transaction on, so a run that is interrupted has proved nothing. After a broken run the next one is full.
 */
export async function runAudit(
  { db, clock }: { db: Db; clock: Clock },
  actor: Actor,
  { isFull = false, onProgress = () => {}, inTransaction }: RunAuditOptions = {},
): Promise<RunResult> {
  const startedAt = clock.now();
  const { proofId, since, ...result } = await continueAudit(db, { isFull, onProgress });
  await db.transaction(async (tx) => {
    const runId = await insertRun(tx, { ...result, since, startedAt, finishedAt: clock.now(), actor });
    if (proofId !== undefined) await adoptProof(tx, proofId, runId);
    await inTransaction?.(tx, result);
  });
  return { ...result, since };
}

async function insertRun(db: Queryable, run: AuditRun): Promise<bigint> {
  const [added] = await db.rows<{ id: bigint }>(sql`
    insert into audit_runs (started_at, finished_at, ok, invariants, since, actor_kind, actor_id)
    values (${run.startedAt}, ${run.finishedAt}, ${run.ok}, ${JSON.stringify(run.invariants)}::jsonb, ${run.since ?? null},
            ${run.actor.kind}, ${run.actor.id})
    returning id`);
  const id = added?.id ?? 0n;
  await db.rows(sql`delete from audit_runs where id <= ${id} - ${RUNS_KEPT}::bigint`);
  return id;
}

export const findLastAudit = async (db: Queryable): Promise<AuditRun | undefined> => {
  const [row] = await db.rows<
    Omit<AuditRun, "actor" | "since"> & { since: Date | null; actorKind: Actor["kind"]; actorId: string }
  >(sql`
    select started_at as "startedAt", finished_at as "finishedAt", ok, invariants, since, actor_kind as "actorKind",
           actor_id as "actorId"
    from audit_runs order by id desc limit 1`);
  if (!row) return undefined;
  const { actorKind, actorId, since, ...run } = row;
  return { ...run, since: since ?? undefined, actor: { kind: actorKind, id: actorId } };
};
