import sql, { empty } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { OrderStatus } from "../../orders/status.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { NotFoundState } from "../take/order-work.ts";
import { isUnknown, keptWords } from "./unit-choice.ts";
import type { KeptWords } from "./what-was-said.ts";

export type UnknownRow = UnitKey &
  KeptWords & {
    number: number;
    resellerId: string;
    resellerName: string;
    orderStatus: OrderStatus;
    productId: string;
    productName: string;
    supplierId: string;
    supplierName: string;
    /** Its id of the purchase, also where it was not believed. */
    upstreamId: string | null;
    openedAt: Date;
    lastSentAt: Date | null;
    lookedAt: Date | null;
    /** When it is looked up next by itself. */
    nextLookAt: Date;
    /** A no that came after a lost answer and is not believed yet. */
    doubtedFailureCode: string | null;
    writtenOffAt: Date | null;
    /** Why a person must decide about it, if that is so. */
    notFoundState: NotFoundState | null;
    /** What it may have cost; null where it is not known. */
    costMinor: bigint | null;
    costCurrency: string | null;
    /** What the reseller paid for the unit. */
    priceMinor: bigint;
    currency: string;
  };

export type UnknownSelection = {
  supplierId?: string | undefined;
  /** Only those that were opened before this time. */
  openedBefore?: Date | undefined;
  /** Those that were written off, and are still followed. */
  isWrittenOff: boolean;
  after?: UnknownPosition | undefined;
  limit: number;
};
export type UnknownPosition = UnitKey & { openedAt: Date };

/** Purchases without an outcome, longest first. */
export const listUnknownRows = (
  db: Queryable,
  { supplierId, openedBefore, isWrittenOff, after, limit }: UnknownSelection,
  now: Date,
) =>
  db.rows<UnknownRow>(sql`
    select a.order_id as "orderId", a.line_index as "lineIndex", a.unit_index as "unitIndex", a.number,
           o.reseller_id as "resellerId", r.name as "resellerName", o.status as "orderStatus",
           a.product_id as "productId", l.name as "productName", a.supplier_id as "supplierId",
           s.name as "supplierName", coalesce(a.upstream_id, a.told_upstream_id) as "upstreamId",
           a.opened_at as "openedAt", a.last_sent_at as "lastSentAt", ${keptWords}, a.looked_at as "lookedAt",
           coalesce(a.next_look_at, u.due_at) as "nextLookAt", a.doubted_failure_code as "doubtedFailureCode",
           a.written_off_at as "writtenOffAt", a.not_found_state as "notFoundState", coalesce(a.supplier_price_minor, a.cost_minor) as "costMinor",
           coalesce(a.supplier_price_currency, a.cost_currency) as "costCurrency", l.unit_price_minor as "priceMinor",
           o.currency
    from (
      select * from supplier_attempts a
      where ${isUnknown(now)} and (a.written_off_at is not null) = ${isWrittenOff}
        ${supplierId === undefined ? empty : sql`and a.supplier_id = ${supplierId}`}
        ${openedBefore === undefined ? empty : sql`and a.opened_at < ${openedBefore}`}
        ${
          after === undefined
            ? empty
            : sql`and (a.opened_at, a.order_id, a.line_index, a.unit_index)
                > (${after.openedAt}, ${after.orderId}, ${after.lineIndex}, ${after.unitIndex})`
        }
      order by a.opened_at, a.order_id, a.line_index, a.unit_index limit ${limit}
    ) a
    join orders o on o.id = a.order_id
    join order_lines l on l.order_id = a.order_id and l.line_index = a.line_index
    join order_units u on u.order_id = a.order_id and u.line_index = a.line_index and u.unit_index = a.unit_index
    join resellers r on r.id = o.reseller_id
    join suppliers s on s.id = a.supplier_id
    order by a.opened_at, a.order_id, a.line_index, a.unit_index`);

export type UnknownSumRow = {
  supplierId: string;
  supplierName: string;
  /** Until when nothing is bought there, because it keeps failing. */
  pausedUntil: Date | null;
  enabled: boolean;
  units: number;
  oldestAt: Date;
  costs: { amountMinor: string; currency: string }[] | null;
};

/** The unknown purchases by supplier, the largest first. Counted are at most so many. */
export const sumUnknownRows = (db: Queryable, countedMax: number, now: Date) =>
  db.rows<UnknownSumRow>(sql`
    with counted as materialized (
      select a.supplier_id, a.opened_at, coalesce(a.supplier_price_minor, a.cost_minor) as cost,
             coalesce(a.supplier_price_currency, a.cost_currency) as currency
      from supplier_attempts a where ${isUnknown(now)} and a.written_off_at is null
      order by a.opened_at limit ${countedMax}
    )
    select s.id as "supplierId", s.name as "supplierName", s.enabled,
           case when s.open_until > ${now} then s.open_until end as "pausedUntil", one.units::integer as units,
           one.oldest_at as "oldestAt", (
             select json_agg(json_build_object('amountMinor', c.cost::text, 'currency', c.currency) order by c.currency)
             from (
               select currency, sum(cost) as cost from counted
               where supplier_id = s.id and currency is not null group by currency
             ) c
           ) as costs
    from (
      select supplier_id, count(*) as units, min(opened_at) as oldest_at from counted group by supplier_id
    ) one join suppliers s on s.id = one.supplier_id
    order by one.units desc, s.name`);
