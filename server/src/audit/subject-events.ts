import sql, { type Sql } from "sql-template-tag";
import type { Extent } from "./extent.ts";

/** As for the events of orders: only those of the last 29 days are there for certain. */
const KEPT = sql`interval '29 days'`;

/**
 * Keys and endpoints from before these events existed have none. Processes of the version before can go on for a while after the
 * migration.
 */
const told = sql`
  greatest(
    (select applied_at + interval '1 hour' from schema_migrations where name = '0056_key_limits.sql'), now() - ${KEPT})`;

/** As JavaScript writes a time. */
const isoTime = sql`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

const unmatched = sql`
  'event ' || e.id || ' does not match anything that happened to ' || e.subject_kind || ' ' || e.subject_id`;

/**
 * Each key that was created or revoked, except the first of a tenant, and each endpoint that was disabled, has its event. Each event that is not about an order has
 * its cause, which belongs to the same reseller and environment.
 */
export const untoldSubjects = ({ entries, events, since }: Extent): Sql => sql`
  select 'key ' || id || ' was created but has no event' as violation
  from (
    select k.id, row_number() over (partition by k.reseller_id, k.environment order by k.created_at, k.id) as nth
    from api_keys k
    left join events e on e.subject_kind = 'key' and e.subject_id = k.id and e.cause = 'created'
    where k.created_at > ${told} and k.created_at >= ${since} and e.id is null
  ) silent
  where nth > 1
  union all
  select 'key ' || k.id || ' was revoked but has no event'
  from api_keys k
  left join events e on e.subject_kind = 'key' and e.subject_id = k.id and e.cause = 'revoked'
  where k.revoked_at > ${told} and k.revoked_at >= ${since} and e.id is null
  union all
  select 'endpoint ' || w.id || ' was disabled but has no event'
  from webhook_endpoints w
  left join events e on e.subject_kind = 'webhook' and e.subject_id = w.id and e.type = 'endpoint.disabled'
    and e.cause = 'failing since ' || to_char(w.failing_since at time zone 'UTC', ${isoTime})
  where w.notified = 'disabled' and not w.active and w.failing_since is not null and w.updated_at > ${told} and w.updated_at >= ${since} and e.id is null
  union all
  select ${unmatched}
  from ${events} e
  left join api_keys k on k.id = e.subject_id and k.reseller_id = e.reseller_id and k.environment = e.environment
  where e.type in ('key.created', 'key.revoked') and (
    k.id is null or e.subject_kind <> 'key'
    or case e.type when 'key.created' then e.cause <> 'created' else e.cause <> 'revoked' or k.revoked_at is null end)
  union all
  select ${unmatched}
  from ${events} e
  left join webhook_endpoints w on w.id = e.subject_id and w.reseller_id = e.reseller_id and w.environment = e.environment
  where e.type = 'endpoint.disabled' and (w.id is null or e.subject_kind <> 'webhook')
  union all
  select ${unmatched}
  from (
    select id, reseller_id, environment, subject_kind, subject_id, cause,
           (body::json #>> '{data,threshold,amount}')::bigint as threshold
    from ${events} v where type = 'wallet.low'
  ) e
  left join ${entries} l on l.id = e.cause and l.reseller_id = e.reseller_id and l.environment = e.environment
  where l.id is null or e.subject_kind <> 'wallet' or e.subject_id <> e.reseller_id
    or not (l.balance_after_minor < e.threshold and l.balance_after_minor - l.amount_minor >= e.threshold)
  union all
  select ${unmatched}
  from ${events} e
  where e.type = 'catalog.changed' and (
    e.subject_kind <> 'catalog' or e.subject_id <> e.reseller_id
    or e.cause !~ ('^' || e.environment || ' change [0-9]{1,18}$')
    or substring(e.cause from '[0-9]+$')::bigint > (select change from catalog_state))`;
