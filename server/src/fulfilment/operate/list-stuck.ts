import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { STUCK_AFTER_MS } from "./find-orders.ts";
import { isUnknown } from "./unit-choice.ts";
import type { KeptWords } from "./what-was-said.ts";

/** Why an order is stuck, most urgent first. An order has the first of them that is true. */
export const STUCK_REASONS = [
  "unknown_outcome",
  "refund_held",
  "not_taken",
  "under_way",
  "no_supplier",
  "other",
] as const;
export type StuckReason = (typeof STUCK_REASONS)[number];

export type StuckOrder = Tenant & {
  id: string;
  resellerName: string;
  status: OrderStatus;
  totalMinor: bigint;
  currency: string;
  refundHeld: boolean;
  reason: StuckReason;
  /** What suppliers have said of its open purchases: that one was sold, or else that all are pending. */
  toldState: KeptWords["toldState"];
  /** Units that are neither delivered nor refunded. */
  openUnits: number;
  createdAt: Date;
  /** Since when the reason has been true, as far as it is known. */
  since: Date;
};

export type StuckPage = {
  data: StuckOrder[];
  /** How many of the examined orders have each reason. */
  counts: Readonly<Partial<Record<StuckReason, number>>>;
  /** The next page begins after this order. */
  nextAfterId: string | undefined;
};

export const STUCK_PAGE = 100;
/** A page examines at most so many unfinished orders, so its cost has a bound. */
export const STUCK_EXAMINED_MAX = 1_000;
/** Test orders that stay unfinished on request are passed over, at most so many for a page of live ones. */
const WALKED_MAX = 10_000;
/** An order that has been due for so long was not taken by any worker. */
const TAKEN_WITHIN_MS = 120_000;

/** Orders that a person should look at, oldest first: unfinished for long, or with a refund on hold. */
export async function listStuck(
  db: Queryable,
  {
    environment,
    reason,
    afterId = "",
  }: { environment: Tenant["environment"]; reason?: StuckReason | undefined; afterId?: string | undefined },
  now: Date,
): Promise<StuckPage> {
  const rows = await db.rows<StuckOrder>(selectStuck(environment, afterId, now));
  const [walked] = await db.rows<{ lastId: string | null; orders: number }>(sql`
    select max(order_id) as "lastId", count(*)::integer as orders from (${walk(afterId, now)}) walked`);
  const counts: Partial<Record<StuckReason, number>> = {};
  for (const row of rows) counts[row.reason] = (counts[row.reason] ?? 0) + 1;
  const wanted = reason === undefined ? rows : rows.filter((row) => row.reason === reason);
  const data = wanted.slice(0, STUCK_PAGE);
  const hasMore = wanted.length > STUCK_PAGE;
  const unseenAfter =
    rows.length === STUCK_EXAMINED_MAX
      ? rows.at(-1)?.id
      : walked?.orders === WALKED_MAX
        ? (walked.lastId ?? undefined)
        : undefined;
  return { data, counts, nextAfterId: hasMore ? data.at(-1)?.id : unseenAfter };
}

const walk = (afterId: string, now: Date) => sql`
  select order_id from order_work
  where order_id > ${afterId} and order_id < ${firstIdAt("ord", now.getTime() - STUCK_AFTER_MS)}
  order by order_id limit ${WALKED_MAX}`;

/**
 * Unfinished orders are in `order_work`, and those whose refund is on hold have an index. Both are read by id, which is by time. An
 * order on hold that has ended well needs nobody.
 */
const selectStuck = (environment: Tenant["environment"], afterId: string, now: Date) => sql`
  with candidate as materialized (
    select id from (
      (select w.order_id as id from (${walk(afterId, now)}) w join orders o on o.id = w.order_id
       where o.environment = ${environment}
       order by w.order_id limit ${STUCK_EXAMINED_MAX})
      union
      (select o.id from orders o
       where o.refund_held and o.id > ${afterId} and o.environment = ${environment} and o.status in ('processing', 'failed')
       order by o.id limit ${STUCK_EXAMINED_MAX})
    ) both_kinds order by id limit ${STUCK_EXAMINED_MAX}
  )
  select o.id, o.reseller_id as "resellerId", r.name as "resellerName", o.environment, o.status,
         o.total_minor as "totalMinor", o.currency, o.refund_held as "refundHeld", o.created_at as "createdAt",
         (l.units)::integer as "openUnits", why.reason, p.told_state as "toldState",
         case why.reason when 'unknown_outcome' then p.unknown_since when 'under_way' then p.open_since
           when 'not_taken' then w.due_at when 'refund_held' then coalesce(o.ended_at, o.updated_at)
           else o.created_at end as since
  from candidate c
  join orders o on o.id = c.id
  join resellers r on r.id = o.reseller_id
  left join order_work w on w.order_id = o.id
  cross join lateral (
    select sum(quantity - fulfilled_quantity - refunded_quantity) as units from order_lines where order_id = o.id
  ) l
  cross join lateral (
    select min(a.opened_at) filter (where ${isUnknown(now)}) as unknown_since, min(a.opened_at) as open_since,
           case when bool_or(a.told_state = 'sold') then 'sold'
             when bool_and(coalesce(a.told_state = 'pending', false)) then 'pending' end as told_state
    from supplier_attempts a where a.order_id = o.id and a.status = 'open' and a.written_off_at is null
  ) p
  cross join lateral (
    select case
      when p.unknown_since is not null then 'unknown_outcome'
      when o.refund_held and o.open_units = 0 then 'refund_held'
      when p.open_since is not null then 'under_way'
      when w.due_at < ${new Date(now.getTime() - TAKEN_WITHIN_MS)} then 'not_taken'
      when o.status = 'processing' and o.open_units > 0 and o.environment = 'live' then 'no_supplier'
      else 'other' end as reason
  ) why
  order by o.id`;
