import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";

/** When something was sent, and what came back. */
export type AttemptOutcome = {
  at: Date;
  responseStatus: number | null;
  error: string | null;
  /** One on each line, without secrets. */
  responseHeaders: string | null;
  responseBody: string | null;
  latencyMs: number;
};

export type AttemptRecord = AttemptOutcome & {
  deliveryId: string;
  endpointId: string;
  token: string;
  number: number;
  /** The delivery's status after it. */
  status: "pending" | "delivered" | "failed";
  step: number;
  nextAttemptAt: Date | null;
  /** Whether a failure counts against the endpoint. Refusing a signature that is wrong on purpose does not. */
  countsAgainst: boolean;
  /** The second sending that a sandbox order asked for. It is shown as one more attempt. */
  again: AttemptOutcome | null;
};

/**
 * Records attempts and moves their deliveries on. An attempt counts only while the worker still holds the lane: a lane that
 * was taken over belongs to another worker, which records its own attempts. It does not count either if the delivery was
 * restarted meanwhile. Returns the deliveries whose attempts counted.
 */
export const insertAttempts = async (tx: Tx, records: readonly AttemptRecord[]): Promise<Set<string>> => {
  const rows = await tx.rows<{ id: string }>(
    sql`
      with mine as materialized (
        select one.* from unnest(
          ${records.map((one) => one.deliveryId)}::text[], ${records.map((one) => one.endpointId)}::text[],
          ${records.map((one) => one.token)}::uuid[], ${records.map((one) => one.number)}::integer[],
          ${records.map((one) => one.at.toISOString())}::timestamptz[],
          ${records.map((one) => one.responseStatus)}::smallint[], ${records.map((one) => one.error)}::text[],
          ${records.map((one) => one.responseBody)}::text[], ${records.map((one) => one.latencyMs)}::integer[],
          ${records.map((one) => one.status)}::text[], ${records.map((one) => one.step)}::smallint[],
          ${records.map((one) => one.nextAttemptAt?.toISOString() ?? null)}::timestamptz[],
          ${records.map(({ again }) => again?.at.toISOString() ?? null)}::timestamptz[],
          ${records.map(({ again }) => again?.responseStatus ?? null)}::smallint[],
          ${records.map(({ again }) => again?.error ?? null)}::text[],
          ${records.map(({ again }) => again?.responseBody ?? null)}::text[],
          ${records.map(({ again }) => again?.latencyMs ?? null)}::integer[],
          ${records.map((one) => one.responseHeaders)}::text[],
          ${records.map(({ again }) => again?.responseHeaders ?? null)}::text[]
        ) as one (delivery_id, endpoint_id, token, number, at, response_status, error, response_body, latency_ms, status,
                  step, next_attempt_at, again_at, again_status, again_error, again_body, again_latency_ms,
                  response_headers, again_headers)
        join webhook_lanes l on l.endpoint_id = one.endpoint_id and l.lease_token = one.token
      ), moved as (
        update deliveries d
        set status = m.status, step = m.step, attempts = m.number + (m.again_at is not null)::integer, next_attempt_at = m.next_attempt_at,
            delivered_at = case when m.status = 'delivered' then m.at else d.delivered_at end
        from mine m where d.id = m.delivery_id and d.status = 'pending' and d.step = m.step - 1
        returning d.id
      ), kept as (
        insert into delivery_attempts (delivery_id, number, at, response_status, error, latency_ms, response_body,
                                       response_headers)
        select delivery_id, number, at, response_status, error, latency_ms, response_body, response_headers
        from mine join moved on moved.id = mine.delivery_id
        union all
        select delivery_id, number + 1, again_at, again_status, again_error, again_latency_ms, again_body, again_headers
        from mine join moved on moved.id = mine.delivery_id where again_at is not null
        on conflict do nothing
      )
      select id from moved`,
    { name: "insert-delivery-attempts" },
  );
  return new Set(rows.map((row) => row.id));
};

export type EndpointTally = { endpointId: string; failures: number; succeeded: boolean; at: Date };

/** Anything shorter is not an outage: if an endpoint refuses one event of many, only that event is retried on schedule. */
const OUTAGE_SECONDS = 300;

/**
 * A success clears an endpoint's failing; a failure starts it, or is counted. Rows are locked in the order of their ids. The
 * lock does not cover the key, because every event that is being written holds a lock on the keys of its endpoints.
 */
export const tallyEndpoints = (tx: Tx, tallies: readonly EndpointTally[]) =>
  tx.rows<{ endpointId: string; recovered: boolean }>(
    sql`
      with told as materialized (
        select * from unnest(
          ${tallies.map((one) => one.endpointId)}::text[], ${tallies.map((one) => one.failures)}::integer[],
          ${tallies.map((one) => one.succeeded)}::boolean[], ${tallies.map((one) => one.at.toISOString())}::timestamptz[]
        ) as one (endpoint_id, failures, succeeded, at)
      ), locked as materialized (
        select e.id, e.failing_since from webhook_endpoints e join told on told.endpoint_id = e.id
        where (told.succeeded and e.failing_since is not null) or (not told.succeeded and told.failures > 0)
        order by e.id for no key update of e
      )
      update webhook_endpoints e
      set failing_since = case when told.succeeded then null else coalesce(e.failing_since, told.at) end,
          failures = case when told.succeeded then 0 else e.failures + told.failures end,
          notified = case when told.succeeded then 'nothing' else e.notified end
      from locked join told on told.endpoint_id = locked.id
      where e.id = locked.id
      returning e.id as "endpointId",
                told.succeeded and locked.failing_since <= told.at - make_interval(secs => ${OUTAGE_SECONDS}) as recovered`,
    { name: "tally-endpoints" },
  );

/**
 * Makes an endpoint's next waiting retries due now, without using up a step of their schedule: as many as are missing to
 * `limit` deliveries that are due. Returns whether more may be left. A delivery that waits without having been tried is late
 * because a sandbox order asked for it, and stays late.
 */
export const pullForward = async (tx: Tx, endpointId: string, now: Date, limit: number): Promise<boolean> => {
  const [row] = await tx.rows<{ due: number; pulled: number }>(sql`
    with due as materialized (
      select count(*) as count from (
        select from deliveries
        where status = 'pending' and endpoint_id = ${endpointId} and next_attempt_at <= ${now} limit ${limit}
      ) d
    ), pulled as (
      update deliveries d set next_attempt_at = ${now}, step = greatest(d.step - 1, 0)
      from lock_waiting_retries(${endpointId}, ${now}, (select ${limit} - count from due)) as later (id)
      where d.id = later.id
      returning d.id
    )
    select count::integer as due, (select count(*) from pulled)::integer as pulled from due`);
  return row !== undefined && row.due + row.pulled >= limit;
};
