import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { isReversed, isUnknown, waitsForPerson } from "./unit-choice.ts";
import type { KeptWords } from "./what-was-said.ts";

/** The units of one line, by where they are. */
export type LineState = {
  lineIndex: number;
  unitPriceMinor: bigint;
  quantity: number;
  /** Waiting, and not being bought. */
  free: number;
  /** Being bought. */
  asked: number;
  /** Waiting for a purchase whose outcome is not known. */
  unknown: number;
  /** Given up and not refunded yet. */
  failed: number;
  delivered: number;
  refunded: number;
  /** Delivered, then taken back by the supplier, and not decided yet. They count as delivered too. */
  reversed: number;
};

/** What the operator's actions depend on. */
export type OrderState = Tenant & {
  id: string;
  resellerName: string;
  status: OrderStatus;
  currency: string;
  refundHeld: boolean;
  allOrNothing: boolean;
  /** A worker, or a person's look-up, is at it now. */
  isTaken: boolean;
  /** Purchases without an outcome, and how many of them were written off. */
  openPurchases: number;
  writtenOff: number;
  /** Of the open purchases, those that their supplier does not find and a person must decide about. */
  waitsForPerson: number;
  /** The kinds of the suppliers of the open purchases. */
  openKinds: string[];
  lines: LineState[];
  /** What the unknown purchases may have cost, by currency and by what their suppliers have said. */
  unknownCosts: UnknownCost[];
};

export type UnknownCost = Pick<KeptWords, "toldState"> & {
  /** Null where no cost is known. */
  currency: string | null;
  amountMinor: bigint | null;
  units: number;
  /** The suppliers' ids of them, at most so many. */
  upstreamIds: string[];
};

/** As many as a page names. */
const IDS_SHOWN_MAX = 5;

type LineRow = Omit<LineState, "unitPriceMinor"> & { unitPriceMinor: string };
type CostRow = Omit<UnknownCost, "amountMinor" | "upstreamIds"> & {
  amountMinor: string | null;
  upstreamIds: string[] | null;
};
type StateRow = Omit<OrderState, "lines" | "unknownCosts"> & {
  lines: LineRow[];
  unknownCosts: CostRow[] | null;
};

/** The state of orders, in the order in which they are asked for. Those that do not exist are left out. */
export async function readOrderStates(
  db: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<OrderState[]> {
  const rows = await db.rows<StateRow>(selectStates(ids, now));
  return rows.map((row) => ({
    ...row,
    lines: row.lines.map((line) => ({ ...line, unitPriceMinor: BigInt(line.unitPriceMinor) })),
    unknownCosts: (row.unknownCosts ?? []).map((cost) => ({
      ...cost,
      upstreamIds: cost.upstreamIds ?? [],
      amountMinor: cost.amountMinor === null ? null : BigInt(cost.amountMinor),
    })),
  }));
}

/** Amounts in JSON are text, because numbers would pass through a float. */
const selectStates = (ids: readonly string[], now: Date) => sql`
  select o.id, o.reseller_id as "resellerId", r.name as "resellerName", o.environment, o.status, o.currency,
         o.refund_held as "refundHeld", o.all_or_nothing as "allOrNothing",
         exists (
           select from order_work w where w.order_id = o.id and w.lease_token is not null and w.due_at > ${now}
         ) as "isTaken", open.purchases as "openPurchases", open.written_off as "writtenOff", open.costs as "unknownCosts",
         open.waits as "waitsForPerson", array(
           select distinct s.kind from supplier_attempts a join suppliers s on s.id = a.supplier_id
           where a.order_id = o.id and a.status = 'open' and a.written_off_at is null
         ) as "openKinds", l.lines
  from unnest(${ids}::text[]) with ordinality as asked (id, place)
  join orders o on o.id = asked.id
  join resellers r on r.id = o.reseller_id
  cross join lateral (
    select coalesce(sum(c.purchases), 0)::integer as purchases, coalesce(sum(c.written_off), 0)::integer as written_off,
           coalesce(sum(c.waits), 0)::integer as waits,
           json_agg(json_build_object('currency', c.currency, 'toldState', c.told_state, 'amountMinor', c.amount::text,
                                      'units', c.unknown, 'upstreamIds', c.upstream_ids))
             filter (where c.unknown > 0) as costs
    from (
      select coalesce(a.supplier_price_currency, a.cost_currency) as currency, a.told_state, count(*) as purchases,
             count(*) filter (where a.written_off_at is not null) as written_off,
             count(*) filter (where a.written_off_at is null and ${waitsForPerson}) as waits,
             count(*) filter (where a.written_off_at is null and ${isUnknown(now)}) as unknown,
             sum(coalesce(a.supplier_price_minor, a.cost_minor))
               filter (where a.written_off_at is null and ${isUnknown(now)}) as amount,
             (array_agg(coalesce(a.upstream_id, a.told_upstream_id) order by a.line_index, a.unit_index)
               filter (where a.written_off_at is null and coalesce(a.upstream_id, a.told_upstream_id) is not null
                         and ${isUnknown(now)}))[1:${IDS_SHOWN_MAX}] as upstream_ids
      from supplier_attempts a where a.order_id = o.id and a.status = 'open'
      group by 1, 2
    ) c
  ) open
  cross join lateral (
    select json_agg(json_build_object(
      'lineIndex', l.line_index, 'unitPriceMinor', l.unit_price_minor::text, 'quantity', l.quantity,
      'free', case when o.status = 'pending' then l.quantity else u.free end, 'asked', u.asked, 'unknown', u.unknown,
      'failed', u.failed, 'delivered', u.delivered, 'refunded', u.refunded, 'reversed', u.reversed) order by l.line_index) as lines
    from order_lines l
    cross join lateral (
      select count(*) filter (where u.status = 'waiting' and a.number is null) as free,
             count(*) filter (where u.status = 'waiting' and a.number is not null and not (${isUnknown(now)})) as asked,
             count(*) filter (where u.status = 'waiting' and ${isUnknown(now)}) as unknown,
             count(*) filter (where u.status = 'failed') as failed,
             count(*) filter (where u.status = 'delivered') as delivered,
             count(*) filter (where u.status = 'refunded') as refunded,
             count(*) filter (where u.status = 'delivered' and ${isReversed}) as reversed
      from order_units u
      left join supplier_attempts a on a.order_id = u.order_id and a.line_index = u.line_index
        and a.unit_index = u.unit_index and a.status = 'open'
      where u.order_id = l.order_id and u.line_index = l.line_index
    ) u
    where l.order_id = o.id
  ) l
  order by asked.place`;
