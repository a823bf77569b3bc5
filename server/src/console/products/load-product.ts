import { listPriceRows, listUnlisted, type PriceRow } from "../../catalog/prices/price-queries.ts";
import { type CatalogFileProduct, findCatalogProduct } from "../../catalog/product-queries.ts";
import { notFound } from "../../lib/problem.ts";
import { explainPrice } from "../../pricing/explain-price.ts";
import { sayBlocked, sayPrice } from "../../pricing/explanation.ts";
import { listNotForSale, type NotForSale } from "../../pricing/not-for-sale.ts";
import { type CurrencyMargin, sumMargin } from "../../reports/sum-margin.ts";
import type { PurchaseHealth } from "../../suppliers/health-queries.ts";
import { type ListedRouteRow, listRouteRows } from "../../suppliers/route-queries.ts";
import { listStock, type StockedProduct } from "../../suppliers/stock/list-stock.ts";
import { getProductHealth } from "../../suppliers/supplier-health.ts";
import type { ConsoleDeps } from "../session.ts";

export type ProductData = {
  product: CatalogFileProduct;
  health: PurchaseHealth;
  routes: ListedRouteRow[];
  stock: StockedProduct[];
  prices: PriceRow[];
  unlisted: { resellerId: string; resellerName: string }[];
  /** Of live orders in the last 30 days. */
  margins: readonly CurrencyMargin[];
  /** For whom it cannot be bought, and why in a sentence. */
  unsold: (NotForSale & { sentence: string })[];
};

/** More lists and resellers are on the page of what is not for sale. */
const UNSOLD_MAX = 10;

const ROUTES_MAX = 100;
const MARGIN_DAYS = 30;
export const UNLISTED_MAX = 100;

export const productPath = (id: string): string => `/products/${encodeURIComponent(id)}`;

export async function loadProduct(deps: ConsoleDeps, id: string, now: Date): Promise<ProductData> {
  const { db } = deps;
  const product = await findCatalogProduct(db, id);
  if (!product) throw notFound();
  const routes = { productId: id, supplierId: undefined, after: undefined, limit: ROUTES_MAX };
  return {
    product,
    health: await getProductHealth(db, id, now),
    routes: await listRouteRows(db, routes),
    stock: (await listStock(db, { productId: id, after: "", limit: ROUTES_MAX, now })).data,
    prices: await listPriceRows(db, { productId: id, resellerId: null, priceList: null }),
    unlisted: await listUnlisted(db, id, UNLISTED_MAX),
    margins: await sumMargin(db, "live", { of: "product", id }, { now, days: MARGIN_DAYS }),
    unsold: await listUnsold(deps, id),
  };
}

async function listUnsold(
  { db, clock, pricing }: ConsoleDeps,
  productId: string,
): Promise<ProductData["unsold"]> {
  const { data } = await listNotForSale(db, { productId }, { limit: UNSOLD_MAX });
  const unsold: ProductData["unsold"] = [];
  for (const one of data) {
    const { resellerId, priceList, currency } = one;
    const asked = resellerId === "" ? { productId, priceList, currency } : { productId, resellerId };
    const explained = await explainPrice(db, clock, pricing, asked);
    const { blocked } = explained;
    unsold.push({ ...one, sentence: blocked === undefined ? sayPrice(explained) : sayBlocked(blocked) });
  }
  return unsold;
}
