import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import { formatAmount } from "../lib/money.ts";

/** Why something was paid for nothing, or too much. A reversal is there to be compared: its cost was given back. */
export type LostCause = "quarantine" | "duplicate" | "overcharge" | "reversal";

export type LostScope = { from: Date; to: Date; supplierId?: string | undefined };

type LostAmounts = {
  /** Of what was charged; empty where no cost is known. */
  currency: string;
  chargedMinor: bigint;
  givenBackMinor: bigint;
  /** Null where what was charged cannot be compared with what was expected, or is not known. */
  lostMinor: bigint | null;
};
export type LostSum = LostAmounts & {
  supplierId: string;
  supplierName: string;
  cause: LostCause;
  purchases: number;
};
/** Nothing here is for us alone: it can be sent to the supplier. */
export type LostPurchase = LostAmounts & {
  supplierId: string;
  supplierName: string;
  cause: LostCause;
  orderId: string;
  /** The reference under which it was bought. */
  reference: string;
  upstreamId: string | null;
  sku: string;
  expectedMinor: bigint | null;
  expectedCurrency: string | null;
  at: Date;
};

/** By supplier, cause and currency, in the hours in which the reports count it. */
export const sumLost = (db: Queryable, scope: LostScope) =>
  db.rows<LostSum>(sql`
    select l.supplier_id as "supplierId", s.name as "supplierName", l.cause, coalesce(l.currency, '') as currency,
           count(*)::integer as purchases, coalesce(sum(l.charged_minor), 0)::bigint as "chargedMinor",
           sum(l.given_back_minor)::bigint as "givenBackMinor", sum(l.lost_minor)::bigint as "lostMinor"
    from (${lostPurchases(scope)}) l join suppliers s on s.id = l.supplier_id
    group by l.supplier_id, s.name, l.cause, l.currency
    order by s.name, l.supplier_id, l.cause, l.currency`);

/** The newest first. */
export const listLost = (db: Queryable, scope: LostScope, limit?: number) =>
  db.rows<LostPurchase>(sql`
    select l.supplier_id as "supplierId", s.name as "supplierName", l.cause, coalesce(l.currency, '') as currency, l.order_id as "orderId",
           l.order_id || '.' || l.line_index || '.' || l.unit_index || '.' || l.number as reference, coalesce(l.extra_id, l.upstream_id) as "upstreamId",
           l.sku, l.cost_minor as "expectedMinor", l.cost_currency as "expectedCurrency",
           coalesce(l.charged_minor, 0) as "chargedMinor", l.given_back_minor as "givenBackMinor", l.lost_minor as "lostMinor", l.at
    from (${lostPurchases(scope)}) l join suppliers s on s.id = l.supplier_id
    order by l.at desc, l.order_id desc, l.line_index, l.unit_index ${limit === undefined ? empty : sql`limit ${limit}`}`);

/** The condition of its index, and of no other purchase. */
const mayBeLost = sql`
  (a.status = 'quarantined' or a.supplier_price_minor > a.cost_minor or a.supplier_price_currency <> a.cost_currency)`;

/**
 * A second charge for one of our purchases has no purchase of its own: it is in the supplier's books alone. Of several
 * reconciliations that looked at its time the newest says whether it is there.
 */
const chargedTwice = sql`
  select a.*, f.currency, f.theirs_minor, 0, f.theirs_minor, 'duplicate', coalesce(f.at, a.opened_at), f.upstream_id
  from reconciliation_findings f
  join reconciliations r on r.id = f.reconciliation_id
  join supplier_attempts a
    on a.order_id = f.order_id and a.line_index = f.line_index and a.unit_index = f.unit_index
      and a.number = split_part(f.reference, '.', 4)::smallint
  where f.kind = 'duplicate' and a.environment = 'live'
    and not exists (
      select from reconciliations newer
      where newer.supplier_id = r.supplier_id and newer.id > r.id
        and coalesce(f.at, a.opened_at) >= newer.period_from and coalesce(f.at, a.opened_at) < newer.period_to)`;

const lostPurchases = ({ from, to, supplierId }: LostScope): Sql => sql`
  select * from (
    select a.*, charged_currency(a) as currency, charged_minor(a) as charged_minor, 0 as given_back_minor,
           case when a.status = 'quarantined' or a.supplier_price_currency = a.cost_currency then lost_minor(a) end as lost_minor,
           case when a.status = 'delivered' then 'overcharge'
                when exists (
                  select from codes c
                  where c.state = 'quarantined' and c.supplier_id = a.supplier_id and c.order_id = a.order_id
                    and c.line_index = a.line_index and c.unit_index = a.unit_index and c.quarantine_reason = 'duplicate'
                ) then 'duplicate' else 'quarantine' end as cause,
           case when a.written_off_at is null then coalesce(o.ended_at, o.created_at) else a.resolved_at end as at, null as extra_id
    from supplier_attempts a join orders o on o.id = a.order_id
    where ${mayBeLost} and a.environment = 'live' and a.status in ('delivered', 'quarantined')
      and (o.status in ('completed', 'failed', 'refunded') or a.written_off_at is not null)
    union all
    select a.*, charged_currency(a), charged_minor(a), coalesce(charged_minor(a), 0), 0, 'reversal', r.found_at, null
    from supplier_reversals r
    join supplier_attempts a
      on a.order_id = r.order_id and a.line_index = r.line_index and a.unit_index = r.unit_index and a.number = r.number
    union all
    ${chargedTwice}
  ) lost
  where at >= ${from} and at < ${to} and (lost_minor <> 0 or lost_minor is null or cause = 'reversal')
    ${supplierId === undefined ? empty : sql`and supplier_id = ${supplierId}`}`;

/** The columns of the file for a supplier. */
export const LOST_COLUMNS = [
  ...[
    "supplier",
    "cause",
    "time",
    "our_reference",
    "supplier_number",
    "product_number",
    "expected",
    "expected_currency",
  ],
  ...["charged", "given_back", "lost", "currency"],
];

/** One line for each purchase, in the supplier's own numbers and currency. No code, reseller or price of ours. */
export const lostCells = (one: LostPurchase): string[] => {
  const text = (minor: bigint | null, currency: string | null): string =>
    minor === null || !currency ? "" : formatAmount(minor, currency);
  return [
    ...[one.supplierName, one.cause, one.at.toISOString(), one.reference, one.upstreamId ?? "", one.sku],
    ...[
      text(one.expectedMinor, one.expectedCurrency),
      one.expectedCurrency ?? "",
      text(one.chargedMinor, one.currency),
    ],
    ...[text(one.givenBackMinor, one.currency), text(one.lostMinor, one.currency), one.currency],
  ];
};
