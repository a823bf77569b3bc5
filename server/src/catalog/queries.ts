import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";
import { type DetailRow, selectDetails } from "./product-details.ts";

/** A product as one reseller sees it. */
export type VisibleProductRow = {
  id: string;
  name: string;
  type: ProductType;
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
  /** What the price rests on, for the line of an order. No reply has it. */
  basis: string | null;
  supply: Supply;
};

/** The same with what only readers of the catalog need. Orders are priced without it. */
export type CatalogRow = VisibleProductRow &
  DetailRow & {
    updatedAt: Date;
    /** Within which 95 % of the orders of the last 7 days were delivered. Null with too few orders. */
    deliverySeconds: number | null;
  };

export const PRODUCT_TYPES = ["gift_card", "top_up"] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** Whether a product is available live: it has no route, its routes are out of stock, or there is stock. */
export type Supply = "none" | "empty" | "available";

/** The products and the catalog revision they were read at, from one snapshot. */
export type CatalogView<Row> = { catalogRevision: string; currency: string; products: Row[] };

type ViewRow<Row> = Row & { catalogRevision: string; walletCurrency: string };

/** The next products that the reseller can see, by id. */
export async function listVisibleProducts(
  db: Queryable,
  resellerId: string,
  page: { afterId: string; limit: number },
): Promise<CatalogView<CatalogRow>> {
  const rows = await db.rows<ViewRow<CatalogRow>>(
    visibleProducts(
      resellerId,
      sql`and p.id > ${page.afterId} order by p.id limit ${page.limit}`,
      catalogColumns,
    ),
    { name: "list-visible-products" },
  );
  return toView(rows);
}

/** One product, or none if the reseller cannot see it. */
export async function findVisibleProduct(
  db: Queryable,
  resellerId: string,
  productId: string,
): Promise<CatalogView<CatalogRow>> {
  const rows = await db.rows<ViewRow<CatalogRow>>(
    visibleProducts(resellerId, sql`and p.id = ${productId}`, catalogColumns),
    { name: "find-visible-product" },
  );
  return toView(rows);
}

/** The products among these that the reseller can see, by id, as the catalog shows them. */
export async function findCatalogRows(
  db: Queryable,
  resellerId: string,
  productIds: readonly string[],
): Promise<CatalogView<CatalogRow>> {
  const rows = await db.rows<ViewRow<CatalogRow>>(
    visibleProducts(resellerId, sql`and p.id = any(${productIds})`, catalogColumns),
    { name: "find-catalog-rows" },
  );
  return toView(rows);
}

/** The products among these that the reseller can see, to price an order. */
export async function findVisibleProducts(
  db: Queryable,
  resellerId: string,
  productIds: readonly string[],
): Promise<CatalogView<VisibleProductRow>> {
  const rows = await db.rows<ViewRow<VisibleProductRow>>(
    visibleProducts(resellerId, sql`and p.id = any(${productIds})`),
    {
      name: "find-visible-products",
    },
  );
  return toView(rows);
}

const catalogColumns: Sql = sql`
  , ${selectDetails("p")}, p.updated_at as "updatedAt",
  (select seconds from product_delivery_times t where t.product_id = p.id limit 1) as "deliverySeconds"`;

/**
 * CONTRACT 3: active, not hidden and listed for this reseller; the reseller's own price, else its list price. While its
 * own price is withheld, it has none. The revision is read in the same statement, so it matches the products exactly.
 * The page is selected first, then price and supply are looked up for each product: with plain joins PostgreSQL merged
 * the price list from its start, and later pages cost more.
 */
const visibleProducts = (resellerId: string, selection: Sql, more: Sql = empty): Sql => sql`
  select
    c.revision || '.' || r.catalog_revision as "catalogRevision", r.currency as "walletCurrency",
    seen.*
  from resellers r
  cross join catalog_state c
  left join lateral (
    select
      p.id, p.name, p.type, p.face_value_amount as "faceValueAmount", p.face_value_currency as "faceValueCurrency",
      p.face_value_unit as "faceValueUnit", p.face_value_is_money as "faceValueIsMoney", p.bonus,
      p.min_quantity as "minQuantity", p.max_quantity as "maxQuantity", p.input_fields as "inputFields",
      coalesce(own.amount_minor, listed.amount_minor) as "amountMinor",
      case when own.amount_minor is null then listed.strike_minor else own.strike_minor end as "strikeMinor",
      case when own.amount_minor is null then listed.basis else own.basis end as basis,
      coalesce(supplied.state, 'none') as supply
      ${more}
    from (
      select * from products p
      where p.active and not p.hidden
        and case when exists (
          select from unlisted_products u where u.reseller_id = r.id and u.product_id = p.id
        ) then null else true end is not null
        ${selection}
    ) p
    left join lateral (
      select amount_minor, strike_minor, basis from reseller_prices
      where reseller_id = r.id and product_id = p.id
      limit 1
    ) own on true
    left join lateral (
      select amount_minor, strike_minor, basis from list_prices
      where product_id = p.id and price_list = r.price_list and currency = r.currency
        and case when exists (
          select from unpriced_products u
          where u.reseller_id = r.id and u.product_id = p.id and u.currency = r.currency
        ) then null else true end is not null
      limit 1
    ) listed on true
    left join lateral (
      select state from product_supply where product_id = p.id limit 1
    ) supplied on true
  ) seen on true
  where r.id = ${resellerId}
  order by seen.id`;

/** A reseller who sees no products still gets one row, with the revision. */
function toView<Row extends VisibleProductRow>(rows: ViewRow<Row>[]): CatalogView<Row> {
  const [first] = rows;
  if (!first) throw new Error("an active key's reseller does not exist");
  return {
    catalogRevision: first.catalogRevision,
    currency: first.walletCurrency,
    products: rows.filter((row) => row.id !== null),
  };
}
