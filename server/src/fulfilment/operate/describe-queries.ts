import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { isReversed, isUnknown, keptWords } from "./unit-choice.ts";
import type { KeptWords } from "./what-was-said.ts";

export type PurchaseRow = KeptWords & {
  lineIndex: number;
  unitIndex: number;
  number: number;
  supplierId: string;
  supplierName: string | null;
  sku: string;
  status: "open" | "delivered" | "refused" | "quarantined" | "not_made";
  isUnknown: boolean;
  failureCode: string | null;
  /** Its id of the purchase, also where it was not believed. */
  upstreamId: string | null;
  /** What the supplier charged, or else the cost of the route. */
  costMinor: bigint | null;
  costCurrency: string | null;
  /** The cost of the route when it was asked. */
  expectedMinor: bigint | null;
  expectedCurrency: string | null;
  /** Whether the supplier said what it charged. */
  isPriceKnown: boolean;
  /** A person entered its code. */
  byHand: boolean;
  openedAt: Date;
  resolvedAt: Date | null;
  lookedAt: Date | null;
  writtenOffAt: Date | null;
  /** When the supplier was seen to have taken it back after delivery, and when a person decided to keep the unit. */
  reversedAt: Date | null;
  keptAt: Date | null;
};

/** The purchases of an order, newest first. */
export const listPurchaseRows = (db: Queryable, orderId: string, limit: number, now: Date) =>
  db.rows<PurchaseRow>(sql`
    select a.line_index as "lineIndex", a.unit_index as "unitIndex", a.number, a.supplier_id as "supplierId",
           s.name as "supplierName", a.sku, a.status, (${isUnknown(now)}) as "isUnknown",
           a.failure_code as "failureCode", coalesce(a.upstream_id, a.told_upstream_id) as "upstreamId", ${keptWords},
           a.by_hand as "byHand",
           coalesce(a.supplier_price_minor, a.cost_minor) as "costMinor",
           coalesce(a.supplier_price_currency, a.cost_currency) as "costCurrency", a.cost_minor as "expectedMinor",
           a.cost_currency as "expectedCurrency", a.supplier_price_minor is not null as "isPriceKnown", a.opened_at as "openedAt",
           a.resolved_at as "resolvedAt", a.looked_at as "lookedAt", a.written_off_at as "writtenOffAt",
           r.found_at as "reversedAt", r.kept_at as "keptAt"
    from supplier_attempts a
    left join suppliers s on s.id = a.supplier_id
    left join supplier_reversals r on r.order_id = a.order_id and r.line_index = a.line_index
      and r.unit_index = a.unit_index and r.number = a.number
    where a.order_id = ${orderId}
    order by a.opened_at desc, a.line_index, a.unit_index, a.number desc limit ${limit}`);

export type UnitRow = {
  lineIndex: number;
  unitIndex: number;
  status: "waiting" | "delivered" | "failed" | "refunded";
  failureCode: string | null;
  wasDelivered: boolean;
  hasOpenPurchase: boolean;
  isQuarantined: boolean;
  /** Its supplier took it back, and nobody has decided. */
  isReversed: boolean;
};

export const listUnitRows = (db: Queryable, orderId: string, limit: number) =>
  db.rows<UnitRow>(sql`
    select u.line_index as "lineIndex", u.unit_index as "unitIndex", u.status, u.failure_code as "failureCode",
           u.delivered_at is not null as "wasDelivered",
           exists (
             select from supplier_attempts a where a.order_id = u.order_id and a.line_index = u.line_index
               and a.unit_index = u.unit_index and a.status = 'open') as "hasOpenPurchase",
           exists (
             select from supplier_attempts a where a.order_id = u.order_id and a.line_index = u.line_index
               and a.unit_index = u.unit_index and a.status = 'quarantined') as "isQuarantined",
           u.status = 'delivered' and ${isReversed} as "isReversed"
    from order_units u where u.order_id = ${orderId}
    order by u.line_index, u.unit_index limit ${limit}`);

export type RouteRow = {
  productId: string;
  supplierId: string;
  supplierName: string;
  priority: number;
  sku: string;
  costMinor: bigint | null;
  costCurrency: string | null;
  enabled: boolean;
  /** Nothing is bought there for now. */
  paused: boolean;
};

/** The routes of an order's products as they are now. */
export const listOrderRoutes = (db: Queryable, orderId: string, now: Date) =>
  db.rows<RouteRow>(sql`
    select r.product_id as "productId", r.supplier_id as "supplierId", s.name as "supplierName", r.priority, r.sku,
           r.cost_minor as "costMinor", r.cost_currency as "costCurrency", s.enabled,
           coalesce(s.open_until > ${now}, false) as paused
    from (select distinct product_id from order_lines where order_id = ${orderId}) l
    join supplier_routes r on r.product_id = l.product_id
    join suppliers s on s.id = r.supplier_id
    order by r.product_id, r.priority, r.supplier_id`);

export type OrderEntryRow = {
  id: string;
  type: "order" | "refund";
  counterAccount: string;
  amountMinor: bigint;
  balanceAfterMinor: bigint;
  currency: string;
  note: string | null;
  createdAt: Date;
};

/** The money of an order in the ledger: what paid for it, and each refund. Each kind has its index. */
export const listOrderEntries = (db: Queryable, orderId: string) =>
  db.rows<OrderEntryRow>(sql`
    select id, type, counter_account as "counterAccount", amount_minor as "amountMinor",
           balance_after_minor as "balanceAfterMinor", currency, note, created_at as "createdAt"
    from (
      select * from ledger_entries where order_id = ${orderId} and type = 'order'
      union all
      select * from ledger_entries where order_id = ${orderId} and type = 'refund'
    ) entry
    order by sequence`);

export type CostSumRow = {
  currency: string | null;
  amountMinor: bigint | null;
  units: number;
  /** Of how many units the cost is known in the currency of the order. */
  costed: number;
  /** What they cost in the currency of the order, less what suppliers gave back. */
  convertedMinor: bigint;
  lostMinor: bigint;
  /** What suppliers gave back after delivery, in their currency. */
  returnedMinor: bigint;
};

/** What the units that were bought have cost, by currency. */
export const sumCosts = (db: Queryable, orderId: string) =>
  db.rows<CostSumRow>(sql`
    select currency, sum(amount)::bigint as "amountMinor", count(*)::integer as units, count(converted)::integer as costed,
           coalesce(sum(converted) filter (where not is_returned), 0)::bigint as "convertedMinor",
           coalesce(sum(lost), 0)::bigint as "lostMinor",
           coalesce(sum(amount) filter (where is_returned), 0)::bigint as "returnedMinor"
    from (
      select b.currency, b.amount, b.is_returned, converted_minor(b.amount, b.currency, b.sold_in, b.rate) as converted,
             converted_minor(b.lost, b.currency, b.sold_in, b.rate) as lost
      from (
        select charged_currency(a) as currency, charged_minor(a) as amount, lost_minor(a) as lost, o.currency as sold_in,
               sale_rate(charged_currency(a), o.currency, l.basis, k.rate) as rate,
               exists (
                 select from supplier_reversals r where r.order_id = a.order_id and r.line_index = a.line_index
                   and r.unit_index = a.unit_index and r.number = a.number) as is_returned
        from supplier_attempts a
        join orders o on o.id = a.order_id
        join order_lines l on l.order_id = a.order_id and l.line_index = a.line_index
        left join report_rates k on k.order_id = a.order_id and k.currency = charged_currency(a)
        where a.order_id = ${orderId} and a.status in ('delivered', 'quarantined')
      ) b
    ) c
    group by 1 order by 1`);
