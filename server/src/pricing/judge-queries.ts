import sql, { raw, type Sql } from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import type { Unsellable } from "./work-out-price.ts";

/** A price as it was worked out. */
export type WorkedPrice = {
  productId: string;
  /** Empty for the price of one reseller. */
  priceList: string;
  /** Empty for the price of a list. */
  resellerId: string;
  currency: string;
  /** Null where no rule applies, or where the rule gives no price that could be sold. */
  newMinor: bigint | null;
  /** The id of the rule; empty where none applies. */
  rule: string;
  /** The basis behind the rule. */
  rest: string;
  landedMinor: bigint | null;
  atFloor: boolean;
  /** Why there must be no price, such as a rate that is too old; empty where a rule gives one, or where there is merely no rule. */
  reason: Unsellable | "";
};

/** What happens to how many prices, and how many of them had a proposal or were withheld. */
export type Acts = Partial<
  Record<"publish" | "rest" | "withhold" | "propose" | "settle" | "proposed" | "withheld", number>
>;

/**
 * Compares worked-out prices with the present ones and keeps what has to be done in a table of this transaction. A price set by hand
 * stays; only what it rests on is written. A price that must not be used goes at once. Others move by themselves within the
 * limit, and wait for a person beyond it. A price that is withheld is compared with what it was before.
 */
export async function judgePrices(tx: Tx, prices: readonly WorkedPrice[], withinBp: number): Promise<Acts> {
  const lists = prices.filter(({ resellerId }) => resellerId === "");
  const own = prices.filter(({ resellerId }) => resellerId !== "");
  await tx.rows(sql`
    create temporary table judged_prices (
      product_id text collate "C", price_list text, reseller_id text collate "C", currency text, old_minor bigint,
      old_strike bigint, new_minor bigint, basis text, landed_minor bigint, at_floor boolean, reason text,
      had_proposal boolean, was_withheld boolean, act text
    ) on commit drop`);
  // PostgreSQL expects few rows behind `unnest`, and would compare each of many thousand with each.
  await tx.rows(sql`set local enable_nestloop = off`);
  if (lists.length > 0) await judge(tx, lists, withinBp, "list");
  if (own.length > 0) await judge(tx, own, withinBp, "reseller");
  await tx.rows(sql`set local enable_nestloop = on`);
  const rows = await tx.rows<{ act: keyof Acts; count: number }>(sql`
    select act, count(*)::integer as count from judged_prices group by act
    union all select 'proposed', count(*)::integer from judged_prices where had_proposal
    union all select 'withheld', count(*)::integer from judged_prices where was_withheld`);
  return Object.fromEntries(rows.map(({ act, count }) => [act, count]));
}

const judge = (tx: Tx, prices: readonly WorkedPrice[], withinBp: number, kind: "list" | "reseller") => {
  const ids = [...new Set(prices.map(({ productId }) => productId))];
  const isList = kind === "list";
  return tx.rows(sql`
    insert into judged_prices
    select product_id, price_list, reseller_id, currency, old_minor, old_strike, new_minor, basis, landed_minor, at_floor, reason,
           had_proposal, was_withheld, act
    from (
      select w.product_id, ${isList ? sql`w.owner` : sql`''`} as price_list, ${isList ? sql`''` : sql`w.owner`} as reseller_id,
             w.currency, p.amount_minor as old_minor, p.strike_minor as old_strike, w.new_minor,
             case when p.by_hand then 'hand|' else w.rule || '|' end || w.rest as basis, w.landed_minor, w.at_floor, w.reason,
             q.product_id is not null as had_proposal, h.product_id is not null as was_withheld,
             ${decideAct(withinBp)} as act
      from (
        select product_id, owner, currency, new_minor, coalesce(rule, '') as rule, rest, landed_minor, at_floor,
               coalesce(reason, '') as reason
        from unnest(
          ${sent(prices, "text", (one) => one.productId)},
          ${sent(prices, "text", (one) => (isList ? one.priceList : one.resellerId))},
          ${sent(prices, "text", (one) => one.currency)}, ${sent(prices, "bigint", (one) => one.newMinor)},
          ${sent(prices, "text", (one) => one.rule || null)}, ${sent(prices, "text", (one) => one.rest)},
          ${sent(prices, "bigint", (one) => one.landedMinor)},
          ${sent(prices, "boolean", (one) => (one.atFloor ? "t" : "f"))},
          ${sent(prices, "text", (one) => one.reason || null)}
        ) as sent (product_id, owner, currency, new_minor, rule, rest, landed_minor, at_floor, reason)
      ) w
      left join (
        select * from ${raw(isList ? "list_prices" : "reseller_prices")} where product_id = any(${ids}::text[])
      ) p on p.product_id = w.product_id
        and ${isList ? sql`p.price_list = w.owner and p.currency = w.currency` : sql`p.reseller_id = w.owner`}
      left join (
        select * from price_proposals where product_id = any(${ids}::text[]) and ${raw(isList ? "reseller_id" : "price_list")} = ''
      ) q on q.product_id = w.product_id and ${isList ? sql`q.price_list` : sql`q.reseller_id`} = w.owner
        and q.currency = w.currency
      left join (
        select * from withheld_prices where product_id = any(${ids}::text[]) and ${raw(isList ? "reseller_id" : "price_list")} = ''
      ) h on h.product_id = w.product_id and ${isList ? sql`h.price_list` : sql`h.reseller_id`} = w.owner
        and h.currency = w.currency
    ) judged
    where act <> 'keep'`);
};

/** Of the worked-out price `w`, the present one `p`, what is proposed `q` and what is withheld `h`. */
const decideAct = (withinBp: number): Sql => sql`
  case
    when p.by_hand then
      case when p.basis is distinct from 'hand|' || w.rest or q.product_id is not null or h.product_id is not null
        then 'rest' else 'keep' end
    when w.reason <> '' then
      case when p.amount_minor is not null then 'withhold'
        when q.product_id is not null or h.reason <> w.reason then 'settle' else 'keep' end
    when w.new_minor is null and p.amount_minor is null then
      case when q.product_id is null and h.product_id is null then 'keep' else 'settle' end
    when w.new_minor is null then
      case when q.product_id is not null and q.new_minor is null then 'keep' else 'propose' end
    when w.new_minor = p.amount_minor then
      case when p.basis is distinct from w.rule || '|' || w.rest or p.at_floor <> w.at_floor then 'publish'
        when q.product_id is not null or h.product_id is not null then 'settle' else 'keep' end
    when abs(w.new_minor - coalesce(p.amount_minor, h.amount_minor))::numeric * 10000
      <= coalesce(p.amount_minor, h.amount_minor)::numeric * ${withinBp} then 'publish'
    when q.new_minor = w.new_minor and q.basis = w.rule || '|' || w.rest and q.old_minor is not distinct from p.amount_minor
      then 'keep'
    else 'propose' end`;

const SEPARATOR = "\u001f";
const NULL = "\u001e";

/** A column as one text that the database splits: an array of this size costs both sides several times as much. */
const sent = (
  prices: readonly WorkedPrice[],
  type: "text" | "bigint" | "boolean",
  value: (price: WorkedPrice) => string | bigint | null,
): Sql =>
  sql`string_to_array(${prices.map((one) => value(one) ?? NULL).join(SEPARATOR)}, ${SEPARATOR}, ${NULL})::${raw(type)}[]`;
