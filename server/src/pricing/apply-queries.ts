import sql, { type Sql } from "sql-template-tag";
import type { Tx } from "../db/database.ts";

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
  /** Why the rule gives no price; empty where it does, or where there is no rule. */
  reason: string;
};

/** What happens to a price, and how often. */
export type Acts = Partial<Record<"publish" | "rest" | "withhold" | "propose" | "settle", number>>;

/**
 * Compares worked-out prices with the present ones and keeps what has to be done in a table of this transaction. A price set by hand
 * stays; only what it rests on is written. A price that must not be used goes at once. Others move by themselves within the limit, and wait
 * for a person beyond it. A price that is withheld is compared with what it was before.
 */
export async function judgePrices(tx: Tx, prices: readonly WorkedPrice[], withinBp: number): Promise<Acts> {
  const lists = prices.filter(({ resellerId }) => resellerId === "");
  const own = prices.filter(({ resellerId }) => resellerId !== "");
  await tx.rows(sql`
    create temporary table judged_prices (
      product_id text collate "C", price_list text, reseller_id text collate "C", currency text, old_minor bigint,
      old_strike bigint, new_minor bigint, basis text, landed_minor bigint, at_floor boolean, reason text, act text
    ) on commit drop`);
  if (lists.length > 0) await judge(tx, lists, withinBp, "list");
  if (own.length > 0) await judge(tx, own, withinBp, "reseller");
  const rows = await tx.rows<{ act: keyof Acts; count: number }>(
    sql`select act, count(*)::integer as count from judged_prices group by act`,
  );
  return Object.fromEntries(rows.map(({ act, count }) => [act, count]));
}

const judge = (tx: Tx, prices: readonly WorkedPrice[], withinBp: number, kind: "list" | "reseller") =>
  tx.rows(sql`
    insert into judged_prices
    select product_id, price_list, reseller_id, currency, old_minor, old_strike, new_minor, basis, landed_minor, at_floor, reason,
           act
    from (
      select w.*, p.amount_minor as old_minor, p.strike_minor as old_strike,
             case when p.by_hand then 'hand|' else w.rule || '|' end || w.rest as basis,
             case
               when p.by_hand then
                 case when p.basis is distinct from 'hand|' || w.rest or q.product_id is not null
                     or h.product_id is not null then 'rest' else 'keep' end
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
               when q.new_minor = w.new_minor and q.basis = w.rule || '|' || w.rest
                 and q.old_minor is not distinct from p.amount_minor then 'keep'
               else 'propose' end as act
      from unnest(
        ${prices.map((one) => one.productId)}::text[], ${prices.map((one) => one.priceList)}::text[],
        ${prices.map((one) => one.resellerId)}::text[], ${prices.map((one) => one.currency)}::text[],
        ${prices.map((one) => one.newMinor)}::bigint[], ${prices.map((one) => one.rule)}::text[],
        ${prices.map((one) => one.rest)}::text[], ${prices.map((one) => one.landedMinor)}::bigint[],
        ${prices.map((one) => one.atFloor)}::boolean[], ${prices.map((one) => one.reason)}::text[]
      ) as w (product_id, price_list, reseller_id, currency, new_minor, rule, rest, landed_minor, at_floor, reason)
      left join ${
        kind === "list"
          ? sql`list_prices p on p.product_id = w.product_id and p.price_list = w.price_list and p.currency = w.currency`
          : sql`reseller_prices p on p.reseller_id = w.reseller_id and p.product_id = w.product_id`
      }
      left join price_proposals q on q.product_id = w.product_id and q.price_list = w.price_list
        and q.reseller_id = w.reseller_id and q.currency = w.currency
      left join withheld_prices h on h.product_id = w.product_id and h.price_list = w.price_list
        and h.reseller_id = w.reseller_id and h.currency = w.currency
    ) judged
    where act <> 'keep'`);

const match = sql`
  t.product_id = j.product_id and t.price_list = j.price_list and t.reseller_id = j.reseller_id and t.currency = j.currency`;

/** Statements raise the revision of the catalog even if they change no row, so none runs without work. */
export async function writeJudged(tx: Tx, acts: Acts, now: Date): Promise<void> {
  if (acts.publish) await publishJudged(tx, now);
  if (acts.rest) await writeRests(tx);
  if (acts.withhold) await withhold(tx, now);
  if (acts.propose) await propose(tx, now);
  // Whatever was decided otherwise no longer waits for a person.
  await tx.rows(
    sql`delete from price_proposals t using judged_prices j where ${match} and j.act <> 'propose'`,
  );
  await tx.rows(sql`
    delete from withheld_prices t using judged_prices j
    where ${match} and (j.act in ('publish', 'rest') or (j.act = 'settle' and j.reason = ''))`);
  await tx.rows(sql`
    update withheld_prices t set reason = j.reason from judged_prices j
    where ${match} and j.act = 'settle' and j.reason <> ''`);
}

async function publishJudged(tx: Tx, now: Date): Promise<void> {
  await tx.rows(upsertListPrices(sql`judged_prices`, sql`and act = 'publish'`, now));
  await tx.rows(upsertOwnPrices(sql`judged_prices`, sql`and act = 'publish'`, now));
}

/** Publishes rows of a table that has the columns of a proposal. A price that was set by hand meanwhile stays. */
export const upsertListPrices = (source: Sql, condition: Sql, now: Date): Sql => sql`
  insert into list_prices as p
    (product_id, price_list, currency, amount_minor, strike_minor, updated_at, by_hand, at_floor, basis)
  select product_id, price_list, currency, new_minor, null, ${now}, false, at_floor, basis
  from ${source} where price_list <> '' and new_minor is not null ${condition}
  order by product_id, price_list, currency
  on conflict (product_id, price_list, currency) do update
    set amount_minor = excluded.amount_minor, updated_at = excluded.updated_at, at_floor = excluded.at_floor,
        basis = excluded.basis,
        strike_minor = case when p.strike_minor >= excluded.amount_minor then p.strike_minor end
    where not p.by_hand`;

export const upsertOwnPrices = (source: Sql, condition: Sql, now: Date): Sql => sql`
  insert into reseller_prices as p (reseller_id, product_id, amount_minor, strike_minor, updated_at, by_hand, at_floor, basis)
  select reseller_id, product_id, new_minor, null, ${now}, false, at_floor, basis
  from ${source} where reseller_id <> '' and new_minor is not null ${condition}
  order by reseller_id, product_id
  on conflict (reseller_id, product_id) do update
    set amount_minor = excluded.amount_minor, updated_at = excluded.updated_at, at_floor = excluded.at_floor,
        basis = excluded.basis,
        strike_minor = case when p.strike_minor >= excluded.amount_minor then p.strike_minor end
    where not p.by_hand`;

async function writeRests(tx: Tx): Promise<void> {
  await tx.rows(sql`
    update list_prices p set basis = j.basis from judged_prices j
    where j.act = 'rest' and p.product_id = j.product_id and p.price_list = j.price_list and p.currency = j.currency`);
  await tx.rows(sql`
    update reseller_prices p set basis = j.basis from judged_prices j
    where j.act = 'rest' and p.reseller_id = j.reseller_id and p.product_id = j.product_id`);
}

async function withhold(tx: Tx, now: Date): Promise<void> {
  await tx.rows(sql`
    insert into withheld_prices (product_id, price_list, reseller_id, currency, amount_minor, strike_minor, reason, withheld_at)
    select product_id, price_list, reseller_id, currency, old_minor, old_strike, reason, ${now}
    from judged_prices where act = 'withhold'
    on conflict (product_id, price_list, reseller_id, currency) do update
      set amount_minor = excluded.amount_minor, reason = excluded.reason, withheld_at = excluded.withheld_at`);
  await tx.rows(sql`
    delete from list_prices p using judged_prices j
    where j.act = 'withhold' and p.product_id = j.product_id and p.price_list = j.price_list and p.currency = j.currency
      and not p.by_hand`);
  await tx.rows(sql`
    delete from reseller_prices p using judged_prices j
    where j.act = 'withhold' and p.reseller_id = j.reseller_id and p.product_id = j.product_id and not p.by_hand`);
}

const propose = (tx: Tx, now: Date) =>
  tx.rows(sql`
    insert into price_proposals as t
      (product_id, price_list, reseller_id, currency, old_minor, new_minor, landed_minor, basis, at_floor, created_at)
    select product_id, price_list, reseller_id, currency, old_minor, new_minor, landed_minor, basis, at_floor, ${now}
    from judged_prices where act = 'propose' order by product_id, price_list, reseller_id, currency
    on conflict (product_id, price_list, reseller_id, currency) do update
      set id = default, old_minor = excluded.old_minor, new_minor = excluded.new_minor,
          landed_minor = excluded.landed_minor, basis = excluded.basis, at_floor = excluded.at_floor,
          created_at = excluded.created_at`);
