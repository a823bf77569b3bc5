import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { PriceRule } from "./rule.ts";

const columns = sql`
  id, who, who_id as "whoId", what, what_id as "whatId", country, currency, kind, value_bp as "valueBp", amount::text as amount,
  add_amount::text as "addAmount", min_margin_bp as "minMarginBp", min_amount::text as "minAmount", rounding,
  may_exceed_face as "mayExceedFace", valid_from as "validFrom", valid_to as "validTo"`;

/** Every rule that was not removed and has not ended, also those that have yet to begin. */
export const listRules = (db: Queryable, now: Date) =>
  db.rows<PriceRule>(sql`
    select ${columns} from price_rules
    where removed_at is null and (valid_to is null or valid_to > ${now})
    order by id`);

/** By its id, removed or not. */
export const findRule = async (db: Queryable, id: string): Promise<PriceRule | undefined> => {
  const [row] = await db.rows<PriceRule>(sql`select ${columns} from price_rules where id = ${id}`);
  return row;
};

/** Rules of the same scope whose period meets this one's. The lock makes writers of rules take turns. */
export async function lockRivals(tx: Tx, rule: PriceRule): Promise<PriceRule[]> {
  await tx.rows(sql`select pg_advisory_xact_lock(7242075)`);
  return tx.rows<PriceRule>(sql`
    select ${columns} from price_rules
    where removed_at is null
      and (who, who_id, what, what_id, country) =
        (${rule.who}, ${rule.whoId}, ${rule.what}, ${rule.whatId}, ${rule.country})
      and (currency = ${rule.currency} or currency = '' or ${rule.currency} = '')
      and tstzrange(valid_from, valid_to) && tstzrange(${rule.validFrom}, ${rule.validTo})
    order by id`);
}

export const insertRule = (tx: Tx, rule: PriceRule, now: Date) =>
  tx.rows(sql`
    insert into price_rules (id, who, who_id, what, what_id, country, currency, kind, value_bp, amount, add_amount,
                             min_margin_bp, min_amount, rounding, may_exceed_face, valid_from, valid_to, created_at)
    values (${rule.id}, ${rule.who}, ${rule.whoId}, ${rule.what}, ${rule.whatId}, ${rule.country}, ${rule.currency},
            ${rule.kind}, ${rule.valueBp}, ${rule.amount}::numeric, ${rule.addAmount}::numeric, ${rule.minMarginBp},
            ${rule.minAmount}::numeric, ${rule.rounding}, ${rule.mayExceedFace}, ${rule.validFrom}, ${rule.validTo},
            ${now})`);

export const markRuleRemoved = async (tx: Tx, id: string, now: Date): Promise<PriceRule | undefined> => {
  const [row] = await tx.rows<PriceRule>(sql`
    update price_rules set removed_at = ${now} where id = ${id} and removed_at is null returning ${columns}`);
  return row;
};

/** The currencies of the wallets that a rule for this list, or for all, sets prices for. */
export const listWalletCurrencies = async (db: Queryable, priceList: string | null): Promise<string[]> => {
  const rows = await db.rows<{ currency: string }>(sql`
    select distinct currency from resellers
    where ${priceList}::text is null or price_list = ${priceList} order by currency`);
  return rows.map(({ currency }) => currency);
};

export const findResellerCurrency = async (db: Queryable, id: string): Promise<string | undefined> => {
  const [row] = await db.rows<{ currency: string }>(sql`select currency from resellers where id = ${id}`);
  return row?.currency;
};

export const findFaceCurrency = async (db: Queryable, productId: string): Promise<string | undefined> => {
  const [row] = await db.rows<{ currency: string }>(
    sql`select face_value_currency as currency from products where id = ${productId}`,
  );
  return row?.currency;
};
