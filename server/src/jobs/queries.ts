import sql, { empty } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Actor, ActorKind } from "../lib/actor.ts";
import type { JobParams, JobResult, JobStep } from "./job-kind.ts";
import { storableJson, storableText } from "./storable-text.ts";

export const JOB_STATES = ["waiting", "running", "ready", "succeeded", "failed", "cancelled"] as const;
export type JobState = (typeof JOB_STATES)[number];

export type JobRow = {
  id: string;
  kind: string;
  params: JobParams;
  state: JobState;
  done: bigint;
  total: bigint | null;
  result: JobResult | null;
  error: string | null;
  actorKind: ActorKind;
  actorId: string;
  cancelAskedAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};

const jobColumns = sql`
  id, kind, params, state, done, total, result, error, actor_kind as "actorKind", actor_id as "actorId",
  cancel_asked_at as "cancelAskedAt", created_at as "createdAt", started_at as "startedAt", ended_at as "endedAt"`;

export const insertJob = (
  tx: Tx,
  job: { id: string; kind: string; params: JobParams; total: number | null; actor: Actor; now: Date },
) =>
  tx.rows(sql`
    insert into jobs (id, kind, params, state, total, actor_kind, actor_id, leased_until, created_at)
    values (${job.id}, ${job.kind}, ${JSON.stringify(job.params)}::jsonb, 'waiting', ${job.total}, ${job.actor.kind},
            ${job.actor.id}, ${job.now}, ${job.now})`);

export type TakenJob = {
  id: string;
  kind: string;
  params: JobParams;
  step: JobStep;
  token: string;
  runs: number;
  isCancelled: boolean;
  actorKind: ActorKind;
  actorId: string;
};

/** The job that has waited longest and that nobody works on. */
export const takeJob = async (db: Queryable, now: Date, until: Date): Promise<TakenJob | undefined> => {
  const [row] = await db.rows<TakenJob>(sql`
    update jobs
    set state = 'running', lease_token = gen_random_uuid(), leased_until = ${until}, runs = runs + 1,
        started_at = coalesce(started_at, ${now})
    where id = (
      select id from jobs where state in ('waiting', 'running') and leased_until <= ${now}
      order by leased_until, id limit 1 for update skip locked)
    returning id, kind, params, step, lease_token as token, runs, cancel_asked_at is not null as "isCancelled",
              actor_kind as "actorKind", actor_id as "actorId"`);
  return row;
};

/** What a worker holds a job by. */
export type Held = { id: string; token: string };

/** Returns nothing when the job has passed to another worker or has ended. */
export const renewLease = async (
  db: Queryable,
  { id, token }: Held,
  until: Date,
  progress: { done: number; total: number | undefined } | undefined,
): Promise<{ isCancelled: boolean } | undefined> => {
  const told = progress
    ? sql`, done = ${progress.done}, total = coalesce(${progress.total ?? null}, total)`
    : empty;
  const [row] = await db.rows<{ isCancelled: boolean }>(sql`
    update jobs set leased_until = ${until} ${told}
    where id = ${id} and lease_token = ${token} and state = 'running'
    returning cancel_asked_at is not null as "isCancelled"`);
  return row;
};

/** False when the job has passed to another worker: then the caller's transaction must not commit. */
export const writeStep = async (
  tx: Tx,
  { id, token }: Held,
  { step, done, total }: { step: JobStep; done: number; total?: number | undefined },
): Promise<boolean> => {
  const rows = await tx.rows(sql`
    update jobs set step = ${storableJson(step)}::jsonb, done = ${done}, total = coalesce(${total ?? null}, total)
    where id = ${id} and lease_token = ${token} and state = 'running'
    returning 1`);
  return rows.length > 0;
};

export type JobEnd = {
  state: "succeeded" | "failed" | "cancelled";
  result?: JobResult | undefined;
  error?: string;
};

export const endHeldJob = async (tx: Tx, { id, token }: Held, end: JobEnd, now: Date): Promise<boolean> => {
  const rows = await tx.rows(sql`
    update jobs
    set state = ${end.state}, ended_at = ${now}, lease_token = null, error = ${end.error === undefined ? null : storableText(end.error)},
        result = coalesce(${end.result === undefined ? null : storableJson(end.result)}::jsonb, result),
        done = case when ${end.state} = 'succeeded' then coalesce(total, done) else done end
    where id = ${id} and lease_token = ${token} and state = 'running'
    returning 1`);
  return rows.length > 0;
};

export const markReady = async (tx: Tx, { id, token }: Held, result: JobResult): Promise<boolean> => {
  const rows = await tx.rows(sql`
    update jobs set state = 'ready', lease_token = null, result = ${storableJson(result)}::jsonb
    where id = ${id} and lease_token = ${token} and state = 'running'
    returning 1`);
  return rows.length > 0;
};

/** Another worker can take it at once. */
export const releaseJob = (db: Queryable, { id, token }: Held, now: Date, runs: number) =>
  db.rows(sql`
    update jobs set state = 'waiting', lease_token = null, leased_until = ${now}, runs = ${runs}
    where id = ${id} and lease_token = ${token} and state = 'running'`);

export const findJob = async (db: Queryable, id: string): Promise<JobRow | undefined> => {
  const [row] = await db.rows<JobRow>(sql`select ${jobColumns} from jobs where id = ${id}`);
  return row;
};

export const lockJob = async (tx: Tx, id: string): Promise<JobRow | undefined> => {
  const [row] = await tx.rows<JobRow>(sql`select ${jobColumns} from jobs where id = ${id} for update`);
  return row;
};

export type JobFilter = {
  kinds: readonly string[] | undefined;
  productId: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

export const listJobRows = (db: Queryable, filter: JobFilter) =>
  db.rows<JobRow>(sql`
    select ${jobColumns} from jobs
    where true
      ${filter.kinds === undefined ? empty : sql`and kind = any(${filter.kinds}::text[])`}
      ${filter.productId === undefined ? empty : sql`and params ->> 'productId' = ${filter.productId}`}
      ${filter.beforeId === undefined ? empty : sql`and id < ${filter.beforeId}`}
    order by id desc limit ${filter.limit}`);

export const markCancelAsked = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`update jobs set cancel_asked_at = ${now} where id = ${id}`);

/** Ends a job that no worker holds. */
export const markCancelled = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`
    update jobs set state = 'cancelled', ended_at = ${now}, cancel_asked_at = coalesce(cancel_asked_at, ${now})
    where id = ${id}`);

export const markConfirmed = (tx: Tx, id: string, params: JobParams, now: Date) =>
  tx.rows(sql`
    update jobs
    set state = 'waiting', params = ${JSON.stringify(params)}::jsonb, result = null, done = 0, runs = 0,
        leased_until = ${now}
    where id = ${id}`);

/** Previews that nobody confirmed, locked. */
export const lockForgotten = (tx: Tx, before: Date, limit: number) =>
  tx.rows<{ id: string }>(sql`
    select id from jobs where state = 'ready' and created_at < ${before}
    order by created_at limit ${limit} for update skip locked`);

export const deleteOldJobs = (db: Queryable, before: Date, limit: number) =>
  db.rows(sql`
    delete from jobs where id in (
      select id from jobs where ended_at < ${before} order by ended_at limit ${limit} for update skip locked)`);
