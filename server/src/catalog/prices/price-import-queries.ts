import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";

/** Identifies a price: of a price list in one currency, or of one reseller. */
export type PriceKey = {
  productId: string;
  priceList: string | null;
  resellerId: string | null;
  currency: string;
};

type Price = PriceKey & { amountMinor: bigint; strikeMinor: bigint | null };

export type MergedPrices = { created: number; updated: number; unchanged: number };

/** The currency of every reseller's wallet. */
export async function listResellerCurrencies(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ id: string; currency: string }>(sql`select id, currency from resellers`);
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}

export async function findKnownProducts(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.rows<{ id: string }>(sql`select id from products where id = any(${ids}::text[])`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Writes what differs. A statement raises the revision even if it changes no row, so no statement runs without work.
 */
export async function mergePrices(tx: Tx, prices: readonly Price[], now: Date): Promise<MergedPrices> {
  const lists = prices.filter(({ resellerId }) => resellerId === null);
  const own = prices.filter(({ resellerId }) => resellerId !== null);
  const merged = [
    ...(lists.length > 0 ? await mergeListPrices(tx, lists, now) : []),
    ...(own.length > 0 ? await mergeResellerPrices(tx, own, now) : []),
  ];
  const created = merged.filter(({ isNew }) => isNew).length;
  const updated = merged.length - created;
  return { created, updated, unchanged: prices.length - merged.length };
}

/** `xmax` is zero for a row that this statement inserted. */
const mergeListPrices = (tx: Tx, prices: readonly Price[], now: Date) =>
  tx.rows<{ isNew: boolean }>(sql`
    insert into list_prices as p (product_id, price_list, currency, amount_minor, strike_minor, updated_at)
    select product_id, price_list, currency, amount_minor, strike_minor, ${now} from unnest(
      ${prices.map((one) => one.productId)}::text[], ${prices.map((one) => one.priceList)}::text[],
      ${prices.map((one) => one.currency)}::text[], ${prices.map((one) => one.amountMinor)}::bigint[],
      ${prices.map((one) => one.strikeMinor)}::bigint[]
    ) as price (product_id, price_list, currency, amount_minor, strike_minor)
    on conflict (product_id, price_list, currency) do update
      set amount_minor = excluded.amount_minor, strike_minor = excluded.strike_minor, updated_at = excluded.updated_at,
          by_hand = true, at_floor = false, basis = null
      where (p.amount_minor, p.strike_minor, p.by_hand) is distinct from (excluded.amount_minor, excluded.strike_minor, true)
    returning (xmax = 0) as "isNew"`);

const mergeResellerPrices = (tx: Tx, prices: readonly Price[], now: Date) =>
  tx.rows<{ isNew: boolean }>(sql`
    insert into reseller_prices as p (reseller_id, product_id, amount_minor, strike_minor, updated_at)
    select reseller_id, product_id, amount_minor, strike_minor, ${now} from unnest(
      ${prices.map((one) => one.resellerId)}::text[], ${prices.map((one) => one.productId)}::text[],
      ${prices.map((one) => one.amountMinor)}::bigint[], ${prices.map((one) => one.strikeMinor)}::bigint[]
    ) as price (reseller_id, product_id, amount_minor, strike_minor)
    on conflict (reseller_id, product_id) do update
      set amount_minor = excluded.amount_minor, strike_minor = excluded.strike_minor, updated_at = excluded.updated_at,
          by_hand = true, at_floor = false, basis = null
      where (p.amount_minor, p.strike_minor, p.by_hand) is distinct from (excluded.amount_minor, excluded.strike_minor, true)
    returning (xmax = 0) as "isNew"`);
