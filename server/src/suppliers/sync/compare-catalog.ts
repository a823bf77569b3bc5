import { type ProductFileRow, parseProductRow } from "../../catalog/files/product-file.ts";
import { BRAND_CHARACTERS_MAX } from "../../catalog/product-details.ts";
import { formatAmount } from "../../lib/money.ts";
import type { Json } from "../../lib/strict-json.ts";
import { oddRow } from "../calls/checked-reading.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import type { RouteRow } from "../route-queries.ts";
import { LEFT_OUT, type LeftOut, type OddRow, type OfferRow, type SupplierOffer } from "../supplier.ts";

export type SyncRoute = { productId: string; sku: string; value?: string; cost?: string; currency?: string };

/** One proposed change. Its id names it in `--only`: the supplier's id of the product, and the face value after an @. */
export type SyncItem =
  /** `isKnown`: the product came from this item before, and only its route is new. */
  | { id: string; change: "new"; product: ProductFileRow; route: SyncRoute; isKnown?: true }
  | { id: string; change: "gone"; route: SyncRoute }
  | { id: string; change: "repriced"; route: SyncRoute; was: { cost?: string; currency?: string } };

export type SyncProposal = {
  items: SyncItem[];
  unchanged: number;
  /** Products that are fine there and cannot be bought by us, by the reason. */
  leftOut: Partial<Record<LeftOut, number>>;
  /** Rows that could not be taken, at most `ODD_MAX` of them. */
  odd: OddRow[];
  oddCount: number;
};

type SupplierRoute = Pick<RouteRow, "productId" | "sku" | "value" | "costMinor" | "costCurrency">;

/** The id and the words of a product that is new. */
export type NameProduct = (
  itemId: string,
  offer: SupplierOffer,
) => { productId: string; isKnown: boolean; name: string; brand: string | undefined };

const NAME_MAX_CHARACTERS = 200;
/** As many odd rows are listed. The count has all. */
export const ODD_MAX = 1_000;

/** Holds the supplier's catalog against our routes to it. Pure: it decides nothing and writes nothing. */
export function compareCatalog(
  rows: readonly OfferRow[],
  routes: readonly SupplierRoute[],
  nameProduct: NameProduct,
): SyncProposal {
  const odd: OddRow[] = rows.flatMap((row) => ("odd" in row ? [row.odd] : []));
  const offers = new Map<string, SupplierOffer>();
  const leftOut: Partial<Record<LeftOut, number>> = {};
  const kept = new Set(odd.flatMap(({ number }) => number ?? []));
  for (const row of rows) {
    if ("left" in row) {
      leftOut[row.left] = (leftOut[row.left] ?? 0) + 1;
      kept.add(row.sku);
    } else if ("name" in row) {
      const id = itemId(row.sku, row.value);
      if (offers.has(id)) odd.push(oddRow(id, "id", "is listed twice; the first one counts").odd);
      else offers.set(id, row);
    }
  }
  // Of a row without a number nobody knows which product it is.
  const isWhole = odd.every(({ number }) => number !== undefined);
  const items: SyncItem[] = [];
  let unchanged = 0;
  for (const route of routes) {
    const item = compareRoute(route, offers);
    const isThere = kept.has(route.sku) || kept.has(itemIdOf(route));
    if (item && (item.change !== "gone" || (isWhole && !isThere))) items.push(item);
    else unchanged += 1;
    if (item?.change === "gone" && !isThere && !isWhole)
      odd.push(
        oddRow(item.id, "id", "was not found, but the list has rows without a number; its route stays").odd,
      );
  }
  const routed = new Set(routes.map(itemIdOf));
  for (const [id, offer] of offers) {
    if (routed.has(id)) continue;
    const item = proposeNew(id, offer, nameProduct);
    if ("change" in item) items.push(item);
    else odd.push(item.odd);
  }
  return { items, unchanged, leftOut, odd: odd.slice(0, ODD_MAX), oddCount: odd.length };
}

/** `4521@25`, or `77` without a value. */
export function itemId(sku: string, value: string | undefined): string {
  const plain = value === undefined ? undefined : plainDecimal(value);
  return plain === undefined ? sku : `${sku}@${plain}`;
}

export const itemIdOf = ({ sku, value }: Pick<SupplierRoute, "sku" | "value">): string =>
  itemId(sku, value ?? undefined);

/** `1 with a range of values, 2 that need data about the sender` */
export const sayLeftOut = (leftOut: SyncProposal["leftOut"]): string =>
  Object.entries(leftOut)
    .map(([reason, count]) => `${count.toLocaleString("en-US")} ${LEFT_OUT[reason as LeftOut] ?? reason}`)
    .join(", ");

/** `10.51 USD → 10.51 EUR` */
export function costText(item: SyncItem): string {
  const say = ({ cost, currency }: { cost?: string; currency?: string }): string =>
    cost === undefined ? "unknown" : `${cost} ${currency ?? ""}`.trim();
  return item.change === "repriced" ? `${say(item.was)} → ${say(item.route)}` : say(item.route);
}

function compareRoute(
  route: SupplierRoute,
  offersById: ReadonlyMap<string, SupplierOffer>,
): SyncItem | undefined {
  const { productId, sku } = route;
  const id = itemIdOf(route);
  const offer = offersById.get(id) ?? offersById.get(sku);
  const present = {
    productId,
    sku,
    ...(route.value === null ? {} : { value: route.value }),
  };
  if (!offer) return { id, change: "gone", route: { ...present, ...costOf(route) } };
  const { cost } = offer;
  if (cost.amountMinor === route.costMinor && cost.currency === route.costCurrency) return undefined;
  const next = { cost: formatAmount(cost.amountMinor, cost.currency), currency: cost.currency };
  return { id, change: "repriced", route: { ...present, ...next }, was: costOf(route) };
}

const costOf = ({ costMinor, costCurrency }: SupplierRoute): { cost?: string; currency?: string } =>
  costMinor === null || costCurrency === null
    ? {}
    : { cost: formatAmount(costMinor, costCurrency), currency: costCurrency };

function proposeNew(id: string, offer: SupplierOffer, nameProduct: NameProduct): SyncItem | { odd: OddRow } {
  const { face, cost, sku, value, country, fields = [] } = offer;
  const { productId, isKnown, name, brand } = nameProduct(id, offer);
  const title = value === undefined ? name : `${name} ${face.amount} ${face.currency}`;
  const product: ProductFileRow = {
    id: productId,
    name: title.slice(0, NAME_MAX_CHARACTERS),
    type: fields.length > 0 ? "top_up" : "gift_card",
    faceValue: { amount: face.amount, currency: face.currency },
    ...(fields.length > 0
      ? { inputFields: fields.map((key) => ({ key, type: "text" as const, required: true })) }
      : {}),
    ...(brand === undefined ? {} : { brand: brand.slice(0, BRAND_CHARACTERS_MAX) }),
    ...(country === undefined ? {} : { country }),
  };
  // What the catalog refuses must not spoil the rest when it is applied.
  const read = parseProductRow(product as Json);
  const [fault] = "faults" in read ? read.faults : [];
  if (fault) return oddRow(id, fault.path, fault.reason);
  const route = {
    ...{ productId, sku },
    ...(value === undefined ? {} : { value }),
    ...{ cost: formatAmount(cost.amountMinor, cost.currency), currency: cost.currency },
  };
  return { id, change: "new", product, route, ...(isKnown ? { isKnown } : {}) };
}
