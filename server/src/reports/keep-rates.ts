import sql from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import { createRateTable } from "../fx/choose-rate.ts";
import { formatDecimal, roundHalfUp } from "../fx/fraction.ts";
import { type FxRate, RATE_DECIMALS_MAX } from "../fx/fx-rate.ts";
import { listRatesBetween } from "../fx/queries.ts";

/** A charge in a currency for which the order has no rate. */
type Unrated = { orderId: string; charged: string; currency: string; acceptedAt: Date };

/**
 * Keeps the rates that the costs of these orders are converted with, where a line stores none for the currency of its charge: its price
 * was set a moment before, another route was used, or a supplier charged in a currency of its own. It is the rate that was in force
 * when the order was accepted. Without one a row without a rate is kept: what was once counted as unknown stays unknown.
 */
export async function keepRates(tx: Tx, orderIds: readonly string[], maxAgeMs: number): Promise<void> {
  const unrated = orderIds.length === 0 ? [] : await listUnrated(tx, orderIds);
  const [first] = unrated;
  if (!first) return;
  const last = unrated.at(-1) ?? first;
  const known = await listRatesBetween(tx, first.acceptedAt, last.acceptedAt);
  const rates = unrated.map((one) => rateOf(one, known, maxAgeMs));
  await tx.rows(sql`
    insert into report_rates (order_id, currency, rate)
    select * from unnest(
      ${unrated.map(({ orderId }) => orderId)}::text[], ${unrated.map(({ charged }) => charged)}::text[], ${rates}::numeric[]
    )`);
}

function rateOf(
  { charged, currency, acceptedAt }: Unrated,
  known: readonly (FxRate & { createdAt: Date })[],
  maxAgeMs: number,
): string | null {
  const then = known.filter(({ createdAt }) => createdAt <= acceptedAt);
  const answer = createRateTable(then, acceptedAt, maxAgeMs)(charged, currency);
  if (answer.kind !== "rate") return null;
  const { value } = answer.rate;
  const isTooSmall =
    roundHalfUp({ num: value.num * 10n ** BigInt(RATE_DECIMALS_MAX), den: value.den }) === 0n;
  return isTooSmall ? null : formatDecimal(value, RATE_DECIMALS_MAX);
}

/** The oldest order first. */
const listUnrated = (tx: Tx, orderIds: readonly string[]) =>
  tx.rows<Unrated>(sql`
    select distinct o.id as "orderId", charged_currency(a) as charged, o.currency, o.created_at as "acceptedAt"
    from unnest(${orderIds}::text[]) as asked (id)
    join orders o on o.id = asked.id
    join supplier_attempts a on a.order_id = o.id and a.status in ('delivered', 'quarantined')
    join order_lines l on l.order_id = a.order_id and l.line_index = a.line_index
    where charged_currency(a) <> o.currency and sale_rate(charged_currency(a), o.currency, l.basis, null) is null
      and not exists (select from report_rates k where k.order_id = o.id and k.currency = charged_currency(a))
    order by o.created_at`);
