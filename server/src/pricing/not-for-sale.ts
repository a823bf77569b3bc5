import sql, { empty, join, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

/** Why something cannot be bought, in this order: of several reasons the first counts. The order is also that of `place` in the table. */
export const SALE_REASONS = [
  "hidden",
  "unlisted",
  "no_route",
  "supplier_disabled",
  "route_paused",
  "out_of_stock",
  "no_rate",
  "no_cost",
  "no_price",
  "above_face_value",
  "withheld",
] as const;
export type SaleReason = (typeof SALE_REASONS)[number];

/** Each reason in words: as a label, after "because", as the next step, and the page of the console for that step. */
export const SALE_WORDS: Readonly<
  Record<SaleReason, { label: string; because: string; next: string; link: string; path: "product" | string }>
> = {
  hidden: {
    label: "Hidden by you",
    because: "it is hidden or inactive",
    next: "Show it again: scrip catalog unhide, or import it as active.",
    link: "Show it again",
    path: "product",
  },
  unlisted: {
    label: "Not listed for this reseller",
    because: "it is not listed for this reseller",
    next: "List it for the reseller: scrip price list.",
    link: "List it",
    path: "product",
  },
  no_route: {
    label: "Nobody supplies it",
    because: "nobody supplies it",
    next: "Import stock or add a route: scrip supplier route.",
    link: "Add a route",
    path: "product",
  },
  supplier_disabled: {
    label: "Supplier switched off",
    because: "its supplier is switched off",
    next: "Enable the supplier: scrip supplier enable.",
    link: "Enable the supplier",
    path: "product",
  },
  route_paused: {
    label: "Route resting",
    because: "its route rests",
    next: "See why the route rests, and enable it, or wait until its supplier is tried again.",
    link: "See its routes",
    path: "product",
  },
  out_of_stock: {
    label: "Sold out",
    because: "it is sold out",
    next: "Import stock: scrip stock import.",
    link: "Import stock",
    path: "/stock",
  },
  no_rate: {
    label: "No exchange rate",
    because: "there is no exchange rate that can be used",
    next: "Set the exchange rate: scrip fx set. Or set a price by hand: scrip price set.",
    link: "Set the rate",
    path: "/prices",
  },
  no_cost: {
    label: "Cost not known",
    because: "no route has a cost",
    next: "Set the cost of its route: scrip supplier route --cost. Or set a price by hand: scrip price set.",
    link: "Set the cost",
    path: "product",
  },
  no_price: {
    label: "No price yet",
    because: "no rule gives it a price, and none was set by hand",
    next: "Set a rule: scrip rule set. Or set a price by hand: scrip price set.",
    link: "Set a rule",
    path: "/prices",
  },
  above_face_value: {
    label: "Price would pass the face value",
    because: "the price is above the face value",
    next: "Lower the rule, or let it pass the face value: scrip rule set --allow-above-face. Or buy it cheaper.",
    link: "Change the rule",
    path: "/prices",
  },
  withheld: {
    label: "Waits for its first publication",
    because: "its price waits to be published",
    next: "Publish the price: scrip price publish.",
    link: "Publish it",
    path: "/prices",
  },
};

export type NotForSale = {
  productId: string;
  productName: string;
  /** Empty for one reseller. */
  priceList: string;
  /** Empty for a price list. */
  resellerId: string;
  resellerName: string | null;
  currency: string;
  reason: SaleReason;
  since: Date;
};

export type SaleFilter = {
  reason?: SaleReason | undefined;
  priceList?: string | undefined;
  /** What this reseller cannot buy: its own entries, and those of its list for what it has no price of its own. */
  resellerId?: string | undefined;
  /** Words that must all appear in the product's id, name or brand. */
  words?: readonly string[] | undefined;
  productId?: string | undefined;
};

/** More matching products are not looked up; the page asks for more words. */
export const MATCHES_MAX = 1_000;

/** A page of the list, by reason, then product. `after` is the `next` of the page before. */
export async function listNotForSale(
  db: Queryable,
  filter: SaleFilter,
  page: { after?: string | undefined; limit: number },
): Promise<{ data: NotForSale[]; next: string | undefined }> {
  const scope = await scopeOf(db, filter);
  const after = readPlace(page.after);
  const rows = await db.rows<NotForSale & { place: number }>(sql`
    select n.place, n.product_id as "productId", coalesce(p.name, n.product_id) as "productName", n.price_list as "priceList",
           n.reseller_id as "resellerId", r.name as "resellerName", n.currency, n.reason, n.since
    from (${entries(scope, sql`*`, after, page.limit + 1)}) n
    left join products p on p.id = n.product_id
    left join resellers r on r.id = n.reseller_id
    order by n.place, n.product_id, n.price_list, n.reseller_id, n.currency`);
  const data = rows.slice(0, page.limit).map(({ place: _, ...row }) => row);
  const last = rows[page.limit - 1];
  return { data, next: rows.length > page.limit && last ? writePlace(last) : undefined };
}

/** How many entries of one reason are counted. */
export const COUNTED_MAX = 10_000;

export type SaleCount = { reason: SaleReason; products: number; isCut: boolean };

/** How many products cannot be bought for each reason, at least for one list or reseller. A count that is cut is that of COUNTED_MAX entries. */
export async function countNotForSale(db: Queryable, filter: SaleFilter = {}): Promise<SaleCount[]> {
  const scope = await scopeOf(db, filter);
  const counts = await Promise.all(
    SALE_REASONS.filter((reason) => (filter.reason ?? reason) === reason).map(async (reason) => {
      const one = entries(
        { ...scope, filter: { ...filter, reason } },
        sql`product_id`,
        undefined,
        COUNTED_MAX,
      );
      const [row] = await db.rows<{ entries: number; products: number }>(sql`
        select count(*)::integer as entries, count(distinct product_id)::integer as products from (${one}) one`);
      const { entries: counted = 0, products = 0 } = row ?? {};
      return { reason, products, isCut: counted >= COUNTED_MAX };
    }),
  );
  return counts.filter(({ products }) => products > 0);
}

/** As of when the list is true: undefined where no change waits to be looked at, so that it is true now. */
export async function findSaleLag(db: Queryable): Promise<{ lookedAt: Date | null } | undefined> {
  const [row] = await db.rows<{ waits: boolean; lookedAt: Date | null }>(sql`
    select exists (select from sale_changes) or exists (select from price_changes) as waits, sale_looked_at as "lookedAt"
    from pricing_state`);
  return row?.waits ? { lookedAt: row.lookedAt } : undefined;
}

type Scope = {
  filter: SaleFilter;
  productIds: readonly string[] | undefined;
  reseller: { id: string; priceList: string; currency: string } | undefined;
};

async function scopeOf(db: Queryable, filter: SaleFilter): Promise<Scope> {
  const { productId, resellerId } = filter;
  const [reseller] =
    resellerId === undefined
      ? []
      : await db.rows<NonNullable<Scope["reseller"]>>(sql`
          select id, price_list as "priceList", currency from resellers where id = ${resellerId}`);
  return {
    filter,
    productIds: productId === undefined ? await findMatches(db, filter.words ?? []) : [productId],
    reseller:
      reseller ?? (resellerId === undefined ? undefined : { id: resellerId, priceList: "", currency: "" }),
  };
}

/** The products that match all words, at most MATCHES_MAX. Undefined without words. */
export async function findMatches(db: Queryable, words: readonly string[]): Promise<string[] | undefined> {
  if (words.length === 0) return undefined;
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  const rows = await db.rows<{ id: string }>(sql`
    select id from products where concat_ws(' ', id, name, brand) ilike all (${patterns}::text[]) order by id limit ${MATCHES_MAX}`);
  return rows.map(({ id }) => id);
}

type Place = [place: number, productId: string, priceList: string, resellerId: string, currency: string];

/** The entries of a scope in their order. Each part is read through the index that has its order, and only so far. */
function entries(
  { filter, productIds, reseller }: Scope,
  columns: Sql,
  after: Place | undefined,
  limit: number,
): Sql {
  const place = filter.reason === undefined ? undefined : SALE_REASONS.indexOf(filter.reason) + 1;
  const part = (condition: Sql, selected = columns): Sql => sql`(
    select ${selected} from not_for_sale n where ${condition}
      ${place === undefined ? empty : sql`and place = ${place}`}
      ${productIds === undefined ? empty : sql`and product_id = any(${productIds}::text[])`}
      ${filter.priceList === undefined ? empty : sql`and price_list = ${filter.priceList} and price_list <> '' and reseller_id = ''`}
      ${behind(after, place)}
    order by place, product_id, price_list, reseller_id, currency limit ${limit})`;
  if (reseller === undefined) return part(sql`true`);
  const { id, priceList, currency } = reseller;
  const own = part(sql`reseller_id = ${id} and reseller_id <> '' and price_list = ''`, sql`*`);
  const ofList = part(
    sql`
    price_list = ${priceList} and price_list <> '' and reseller_id = '' and currency = ${currency}
    and not exists (select from reseller_prices o where o.reseller_id = ${id} and o.product_id = n.product_id)
    and not exists (select from unlisted_products u where u.reseller_id = ${id} and u.product_id = n.product_id)
    and not exists (
      select from unpriced_products u where u.reseller_id = ${id} and u.product_id = n.product_id and u.currency = ${currency}
    )`,
    sql`*`,
  );
  return sql`
    select ${columns} from (${own} union all ${ofList}) both_kinds
    order by place, product_id, price_list, reseller_id, currency limit ${limit}`;
}

/** Behind a place. Beside a fixed reason the rest is compared alone: an index is entered where its leading columns say, and not behind that. */
function behind(after: Place | undefined, place: number | undefined): Sql {
  if (after === undefined) return empty;
  const [number, ...rest] = after;
  return number === place
    ? sql`and (product_id, price_list, reseller_id, currency) > (${join(rest)})`
    : sql`and (place, product_id, price_list, reseller_id, currency) > (${number}::smallint, ${join(rest)})`;
}

const writePlace = (row: NotForSale & { place: number }): string =>
  Buffer.from(
    JSON.stringify([row.place, row.productId, row.priceList, row.resellerId, row.currency] satisfies Place),
  ).toString("base64url");

/** A cursor that was not written here is the first page. */
function readPlace(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (!Array.isArray(place) || place.length !== 5) return undefined;
    const [number, ...texts] = place;
    const isSound =
      Number.isInteger(number) &&
      Math.abs(number) < 100 &&
      texts.every((one) => typeof one === "string" && !one.includes("\0"));
    return isSound ? (place as Place) : undefined;
  } catch {
    return undefined;
  }
}
