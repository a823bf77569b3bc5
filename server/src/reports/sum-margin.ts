import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type MarginParts, marginOf } from "./margin-of.ts";
import { lastDays } from "./sum-resellers.ts";

/** Undefined where no cost is known. */
export type CurrencyMargin = { currency: string; marginMinor: bigint | undefined; isConverted: boolean };

const HOUR_MS = 3_600_000;
/** How the slices are counted. */
const STEPS_MS = { reseller: HOUR_MS, product: 24 * HOUR_MS } as const;

/** The margin of one reseller or product in the last days, for each currency in which it was sold. */
export async function sumMargin(
  db: Queryable,
  environment: Tenant["environment"],
  { of, id }: { of: keyof typeof STEPS_MS; id: string },
  { now, days }: { now: Date; days: number },
): Promise<CurrencyMargin[]> {
  const { first, end } = lastDays(now, days);
  const times: Date[] = [];
  for (let at = first.getTime(); at < end.getTime(); at += STEPS_MS[of]) times.push(new Date(at));
  const rows = await db.rows<MarginParts & { currency: string; isConverted: boolean }>(sql`
    select currency, sum(delivered_minor)::bigint as "deliveredMinor", sum(returned_minor)::bigint as "returnedMinor",
           sum(converted_minor)::bigint as "convertedMinor", sum(costed_units)::bigint as "costedUnits",
           sum(uncosted_minor)::bigint as "uncostedMinor",
           bool_or(cost_currency <> currency and converted_minor <> 0) as "isConverted"
    from report_slices
    where dimension = ${of} and environment = ${environment} and at = any(${times}::timestamptz[]) and member = ${id}
    group by currency order by currency`);
  return rows.map((row) => ({
    currency: row.currency,
    marginMinor: marginOf(row),
    isConverted: row.isConverted,
  }));
}
