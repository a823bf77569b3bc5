import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";

/** A product as one reseller sees it. */
export type VisibleProductRow = {
  id: string;
  name: string;
  faceValueAmount: string;
  faceValueCurrency: string;
  faceValueUnit: string;
  faceValueIsMoney: boolean;
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  inputFields: InputFieldSpec[];
  amountMinor: bigint | null;
  strikeMinor: bigint | null;
  supply: Supply;
};

/** Whether a product can be had live: no route leads to it, nothing is left at the end of any, or there is some. */
export type Supply = "none" | "empty" | "available";

/** The products, and the state of the catalog that they were read from, in one snapshot. */
export type CatalogView<Row> = { catalogRevision: string; currency: string; products: Row[] };

type ViewRow = VisibleProductRow & { catalogRevision: string; walletCurrency: string };

/** The next products that the reseller sees, in order of id. */
export async function listVisibleProducts(
  db: Queryable,
  resellerId: string,
  page: { afterId: string; limit: number },
): Promise<CatalogView<VisibleProductRow>> {
  const rows = await db.rows<ViewRow>(
    visibleProducts(resellerId, sql`and p.id > ${page.afterId} order by p.id limit ${page.limit}`),
    { name: "list-visible-products" },
  );
  return toView(rows);
}

/** One product, or none when the reseller may not see it. */
export async function findVisibleProduct(
  db: Queryable,
  resellerId: string,
  productId: string,
): Promise<CatalogView<VisibleProductRow>> {
  const rows = await db.rows<ViewRow>(visibleProducts(resellerId, sql`and p.id = ${productId}`), {
    name: "find-visible-product",
  });
  return toView(rows);
}

/** Those of the products that the reseller may see. */
export async function findVisibleProducts(
  db: Queryable,
  resellerId: string,
  productIds: readonly string[],
): Promise<CatalogView<VisibleProductRow>> {
  const rows = await db.rows<ViewRow>(visibleProducts(resellerId, sql`and p.id = any(${productIds})`), {
    name: "find-visible-products",
  });
  return toView(rows);
}

/**
 * CONTRACT 3: active, not hidden, listed for this reseller; the reseller's own price, else its price list's. The
 * revision comes in the same statement, so that it names exactly the state that the products were read from. The page is
 * chosen first and then price and supply of each of its products looked up: joined as wholes, PostgreSQL merged the price
 * list from its beginning, and a page cost the more the further back it stood.
 */
const visibleProducts = (resellerId: string, selection: Sql): Sql => sql`
  select
    c.revision || '.' || r.catalog_revision as "catalogRevision", r.currency as "walletCurrency",
    seen.*
  from resellers r
  cross join catalog_state c
  left join lateral (
    select
      p.id, p.name, p.face_value_amount as "faceValueAmount", p.face_value_currency as "faceValueCurrency",
      p.face_value_unit as "faceValueUnit", p.face_value_is_money as "faceValueIsMoney", p.bonus,
      p.min_quantity as "minQuantity", p.max_quantity as "maxQuantity", p.input_fields as "inputFields",
      coalesce(own.amount_minor, listed.amount_minor) as "amountMinor",
      case when own.amount_minor is null then listed.strike_minor else own.strike_minor end as "strikeMinor",
      coalesce(supplied.state, 'none') as supply
    from (
      select * from products p
      where p.active and not p.hidden
        and coalesce((
          select false from unlisted_products u where u.reseller_id = r.id and u.product_id = p.id
        ), true)
        ${selection}
    ) p
    left join lateral (
      select amount_minor, strike_minor from reseller_prices
      where reseller_id = r.id and product_id = p.id
      limit 1
    ) own on true
    left join lateral (
      select amount_minor, strike_minor from list_prices
      where product_id = p.id and price_list = r.price_list and currency = r.currency
      limit 1
    ) listed on true
    left join lateral (
      select state from product_supply where product_id = p.id limit 1
    ) supplied on true
  ) seen on true
  where r.id = ${resellerId}
  order by seen.id`;

/** A reseller who sees nothing still has one row, with the revision and no product in it. */
function toView(rows: ViewRow[]): CatalogView<VisibleProductRow> {
  const [first] = rows;
  if (!first) throw new Error("the reseller of a living key is gone");
  return {
    catalogRevision: first.catalogRevision,
    currency: first.walletCurrency,
    products: rows.filter((row) => row.id !== null),
  };
}
