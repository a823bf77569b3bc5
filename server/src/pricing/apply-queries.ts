import sql, { type Sql } from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import type { Acts } from "./judge-queries.ts";

const match = sql`
  t.product_id = j.product_id and t.price_list = j.price_list and t.reseller_id = j.reseller_id and t.currency = j.currency`;

/** Statements raise the revision of the catalog even if they change no row, so none runs without work. */
export async function writeJudged(tx: Tx, acts: Acts, now: Date): Promise<void> {
  if (acts.publish) await publishJudged(tx, now);
  if (acts.rest) await writeRests(tx);
  if (acts.withhold) await withhold(tx, now);
  if (acts.propose) await propose(tx, now);
  // Whatever was decided otherwise no longer waits for a person.
  if (acts.proposed)
    await tx.rows(
      sql`delete from price_proposals t using judged_prices j where ${match} and j.act <> 'propose'`,
    );
  if (!acts.withheld) return;
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

/** Publishes rows of a table that has the columns of a proposal. All writers of prices take the catalog's lock first, so the order of rows is free. A price that was set by hand meanwhile stays. */
export const upsertListPrices = (source: Sql, condition: Sql, now: Date): Sql => sql`
  insert into list_prices as p
    (product_id, price_list, currency, amount_minor, strike_minor, updated_at, by_hand, at_floor, basis)
  select product_id, price_list, currency, new_minor, null, ${now}, false, at_floor, basis
  from ${source} where price_list <> '' and new_minor is not null ${condition}
  on conflict (product_id, price_list, currency) do update
    set amount_minor = excluded.amount_minor, updated_at = excluded.updated_at, at_floor = excluded.at_floor,
        basis = excluded.basis,
        strike_minor = case when p.strike_minor >= excluded.amount_minor then p.strike_minor end
    where not p.by_hand`;

export const upsertOwnPrices = (source: Sql, condition: Sql, now: Date): Sql => sql`
  insert into reseller_prices as p (reseller_id, product_id, amount_minor, strike_minor, updated_at, by_hand, at_floor, basis)
  select reseller_id, product_id, new_minor, null, ${now}, false, at_floor, basis
  from ${source} where reseller_id <> '' and new_minor is not null ${condition}
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
    from judged_prices where act = 'propose'
    on conflict (product_id, price_list, reseller_id, currency) do update
      set id = default, old_minor = excluded.old_minor, new_minor = excluded.new_minor,
          landed_minor = excluded.landed_minor, basis = excluded.basis, at_floor = excluded.at_floor,
          created_at = excluded.created_at`);
