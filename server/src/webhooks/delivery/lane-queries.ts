import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";

export type LaneClaim = {
  token: string;
  now: Date;
  /** Lanes that this process works on. It does not take them a second time, even if a lease has expired. */
  held: readonly string[];
  leasedUntil: Date;
  healthyMax: number;
  failingMax: number;
};

export type ClaimedLane = { endpointId: string; isFailing: boolean };

/**
 * Leases lanes with due deliveries, those that have waited longest first, and only so many failing ones. The query jumps
 * through the index from one endpoint to the next, so that 100,000 waiting deliveries of one endpoint cost as much as one.
 */
export const claimLanes = (db: Queryable, claim: LaneClaim) =>
  db.rows<ClaimedLane>(
    sql`
      with due as materialized (
        select e.id as endpoint_id, e.failing_since is not null as is_failing,
               row_number() over (partition by e.failing_since is not null order by lane.due_since) as place
        from due_lanes(${claim.now}) lane
        join webhook_endpoints e on e.id = lane.lane_id
        where e.active and e.id <> all(${claim.held}::text[])
          and coalesce((select l.leased_until <= ${claim.now} from webhook_lanes l where l.endpoint_id = e.id), true)
      ), leased as (
        insert into webhook_lanes (endpoint_id, lease_token, leased_until)
        select endpoint_id, ${claim.token}::uuid, ${claim.leasedUntil} from due
        where place <= case when is_failing then ${claim.failingMax}::integer else ${claim.healthyMax}::integer end
        order by endpoint_id
        on conflict (endpoint_id) do update
          set lease_token = excluded.lease_token, leased_until = excluded.leased_until
          where webhook_lanes.leased_until <= ${claim.now}
        returning endpoint_id
      )
      select due.endpoint_id as "endpointId", due.is_failing as "isFailing" from leased join due using (endpoint_id)`,
    { name: "claim-lanes" },
  );

export type DueDelivery = {
  id: string;
  endpointId: string;
  url: string;
  eventId: string;
  eventType: string;
  body: string;
  /** How the sandbox was asked to deliver its event. Never true live. */
  sendTwice: boolean;
  badSignature: boolean;
  step: number;
  attempts: number;
  secrets: { sealed: string }[];
};

/**
 * Due deliveries of these lanes, earliest first, at most so many of each, without those that are busy. None if the endpoint is
 * gone. Valid secrets come newest first. How many lanes there are is hidden from the planner: it would plan each call again, which costs
 * more than the call.
 */
export const listDueDeliveries = (
  db: Queryable,
  lanes: readonly { endpointId: string; count: number; busy: readonly string[] }[],
  now: Date,
) =>
  db.rows<DueDelivery>(
    sql`
      select d.id, lane.endpoint_id as "endpointId", w.url, e.id as "eventId", e.type as "eventType", e.body,
             e.send_twice as "sendTwice", e.bad_signature as "badSignature", d.step, d.attempts, s.secrets
      from (
        select ${lanes.map((lane) => lane.endpointId)}::text[] as endpoint_ids, ${lanes.map((lane) => lane.count)}::integer[] as counts,
               ${lanes.map((lane) => lane.busy.join(" "))}::text[] as busy
        offset 0
      ) given
      cross join unnest(given.endpoint_ids, given.counts, given.busy) as lane (endpoint_id, count, busy)
      join webhook_endpoints w on w.id = lane.endpoint_id and w.active
      cross join lateral (
        select id, event_id, step, attempts
        from due_deliveries(lane.endpoint_id, ${now}, string_to_array(lane.busy, ' '), lane.count)
      ) d
      cross join lateral (select * from events where id = d.event_id limit 1) e
      cross join lateral (
        select json_agg(json_build_object('sealed', encode(sealed, 'hex')) order by id desc) as secrets
        from webhook_secrets where endpoint_id = lane.endpoint_id and (expires_at is null or expires_at > ${now})
      ) s`,
    { name: "list-due-deliveries" },
  );

/** Releases lanes, at once or after a pause. */
export const releaseLanes = (
  db: Queryable,
  lanes: readonly { endpointId: string; token: string; freeAt: Date }[],
) =>
  db.rows(
    sql`
      update webhook_lanes l set leased_until = mine.free_at
      from unnest(
        ${lanes.map((lane) => lane.endpointId)}::text[], ${lanes.map((lane) => lane.token)}::uuid[],
        ${lanes.map((lane) => lane.freeAt.toISOString())}::timestamptz[]
      ) as mine (endpoint_id, token, free_at)
      where l.endpoint_id = mine.endpoint_id and l.lease_token = mine.token`,
    { name: "release-lanes" },
  );

/** For metrics: how much is due and not sent, and how many endpoints are failing. */
export const readDeliveryBacklog = async (db: Queryable, now: Date) => {
  const [row] = await db.rows<{ waiting: number; lanes: number; failing: number; oldestSeconds: number }>(sql`
    select count(*)::integer as waiting, count(distinct endpoint_id)::integer as lanes,
           coalesce(extract(epoch from ${now}::timestamptz - min(next_attempt_at)), 0)::double precision as "oldestSeconds",
           (select count(*) from webhook_endpoints where failing_since is not null and active)::integer as failing
    from deliveries where status = 'pending' and next_attempt_at <= ${now}`);
  return row ?? { waiting: 0, lanes: 0, failing: 0, oldestSeconds: 0 };
};
