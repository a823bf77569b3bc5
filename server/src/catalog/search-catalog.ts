import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { parseAmount } from "../lib/money.ts";
import { notFound } from "../lib/problem.ts";
import { type CatalogFilters, hasFilters } from "./filters/catalog-filters.ts";
import type { CatalogFinder } from "./filters/catalog-finder.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";
import { listPage } from "./list-products.ts";
import { type NotPurchasable, purchasePrice } from "./prices/purchase-price.ts";
import { type ProductDetails, toDetails } from "./product-details.ts";
import { type CatalogRow, findVisibleProduct, type ProductType } from "./queries.ts";

/** A product as its reseller looks at it, in exact amounts. */
export type CatalogEntry = {
  id: string;
  name: string;
  type: ProductType;
  faceValue: { amount: string; currency: string; unit: string; isMoney: boolean };
  currency: string;
  priceMinor: bigint | undefined;
  strikeMinor: bigint | undefined;
  /** How far the price is below the face value, else below the strike price, in tenths of a percent. */
  discountPermille: number | undefined;
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  inputFields: readonly InputFieldSpec[];
  availability: "purchasable" | NotPurchasable;
  details: ProductDetails;
  deliverySeconds: number | undefined;
};

export type CatalogPage = { data: CatalogEntry[]; nextAfterId: string | undefined };

export type SearchDeps = { db: Db; finder: CatalogFinder };

/** The products that the reseller can see and that match all filters, in the order of their ids. */
export async function searchCatalog(
  deps: SearchDeps,
  tenant: Tenant,
  filters: CatalogFilters,
  page: { afterId?: string | undefined; limit: number },
): Promise<CatalogPage> {
  const wanted = { afterId: page.afterId ?? "", limit: page.limit };
  const found = hasFilters(filters)
    ? await deps.finder.find(tenant, filters, wanted)
    : await listPage(deps.db, tenant, wanted);
  return {
    data: found.products.map((row) => toEntry(row, { ...tenant, currency: found.currency })),
    nextAfterId: found.hasMore ? found.lastId : undefined,
  };
}

const EXPORTED_AT_ONCE = 500;

/** Everything that a search finds, a few hundred products at a time. */
export async function* exportCatalogEntries(
  deps: SearchDeps,
  tenant: Tenant,
  filters: CatalogFilters,
): AsyncGenerator<CatalogEntry> {
  let afterId: string | undefined;
  do {
    const page = await searchCatalog(deps, tenant, filters, { afterId, limit: EXPORTED_AT_ONCE });
    yield* page.data;
    afterId = page.nextAfterId;
  } while (afterId !== undefined);
}

/** One product of the reseller's catalog. One that it cannot see is not found. */
export async function getCatalogEntry(db: Db, tenant: Tenant, productId: string): Promise<CatalogEntry> {
  if (productId.includes("\0")) throw notFound();
  const { currency, products } = await findVisibleProduct(db, tenant.resellerId, productId);
  const [row] = products;
  if (!row) throw notFound();
  return toEntry(row, { ...tenant, currency });
}

function toEntry(row: CatalogRow, { environment, currency }: Tenant & { currency: string }): CatalogEntry {
  const price = purchasePrice(row, environment);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    faceValue: {
      amount: row.faceValueAmount,
      currency: row.faceValueCurrency,
      unit: row.faceValueUnit,
      isMoney: row.faceValueIsMoney,
    },
    currency,
    priceMinor: row.amountMinor ?? undefined,
    strikeMinor: row.amountMinor === null ? undefined : (row.strikeMinor ?? undefined),
    discountPermille: discountOf(row, currency),
    bonus: row.bonus,
    minQuantity: row.minQuantity,
    maxQuantity: row.maxQuantity,
    inputFields: row.inputFields,
    availability: typeof price === "bigint" ? "purchasable" : price,
    details: toDetails(row),
    deliverySeconds: row.deliverySeconds ?? undefined,
  };
}

/** A face value in another currency says nothing about the discount. */
function discountOf(row: CatalogRow, currency: string): number | undefined {
  if (row.amountMinor === null) return undefined;
  const isComparable = row.faceValueIsMoney && row.faceValueCurrency === currency;
  const fullMinor = isComparable ? readFace(row.faceValueAmount, currency) : row.strikeMinor;
  if (!fullMinor || fullMinor <= row.amountMinor) return undefined;
  return Number(((fullMinor - row.amountMinor) * 1_000n) / fullMinor);
}

/** A face value can have more decimals than its currency. */
function readFace(amount: string, currency: string): bigint | null {
  try {
    return parseAmount(amount, currency);
  } catch {
    return null;
  }
}
