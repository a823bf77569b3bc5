import sql, { join, raw } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { MarginParts } from "./margin-of.ts";

/** What the rows of a margin report stand for. */
export type MarginBy = "day" | "month" | "product" | "brand" | "reseller" | "supplier";

const KEYS: Readonly<Record<MarginBy, string>> = {
  day: "to_char(l.hour at time zone 'UTC', 'YYYY-MM-DD')",
  month: "to_char(l.hour at time zone 'UTC', 'YYYY-MM')",
  product: "l.product_id",
  brand: "coalesce(p.brand, '')",
  reseller: "l.reseller_id",
  supplier: "l.supplier_id",
};

export type MarginSums = MarginParts & {
  keys: string[];
  currency: string;
  costCurrency: string;
  soldUnits: bigint;
  soldMinor: bigint;
  refundedMinor: bigint;
  landedMinor: bigint;
  unlandedMinor: bigint;
  deliveredUnits: bigint;
  boughtUnits: bigint;
  lostUnits: bigint;
  costMinor: bigint;
  lostMinor: bigint;
  lostConvertedMinor: bigint;
};

/** From the roll-up with all dimensions. The brand is that of now. */
export const sumMargins = (
  db: Queryable,
  scope: { environment: Tenant["environment"]; from: Date; to: Date; by: readonly MarginBy[] },
) =>
  db.rows<MarginSums>(sql`
    select array[${join(scope.by.map((one) => raw(KEYS[one])))}]::text[] as keys, l.currency, l.cost_currency as "costCurrency",
           sum(l.sold_units)::bigint as "soldUnits", sum(l.sold_minor)::bigint as "soldMinor",
           sum(l.refunded_minor)::bigint as "refundedMinor", sum(l.landed_minor)::bigint as "landedMinor",
           sum(l.unlanded_minor)::bigint as "unlandedMinor", sum(l.delivered_units)::bigint as "deliveredUnits",
           sum(l.bought_units)::bigint as "boughtUnits", sum(l.lost_units)::bigint as "lostUnits",
           sum(l.cost_minor)::bigint as "costMinor", sum(l.lost_minor)::bigint as "lostMinor",
           sum(l.delivered_minor)::bigint as "deliveredMinor", sum(l.returned_minor)::bigint as "returnedMinor",
           sum(l.converted_minor)::bigint as "convertedMinor", sum(l.costed_units)::bigint as "costedUnits",
           sum(l.uncosted_minor)::bigint as "uncostedMinor",
           sum(l.lost_converted_minor)::bigint as "lostConvertedMinor"
    from report_lines l left join products p on p.id = l.product_id
    where l.environment = ${scope.environment} and l.hour >= ${scope.from} and l.hour < ${scope.to}
    group by 1, 2, 3
    order by 1, 2, 3`);
