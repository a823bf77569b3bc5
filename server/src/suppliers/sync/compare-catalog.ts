import type { ProductFileRow } from "../../catalog/files/product-file.ts";
import { formatAmount } from "../../lib/money.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import type { RouteRow } from "../route-queries.ts";
import type { SupplierOffer } from "../supplier.ts";

export type SyncRoute = { productId: string; sku: string; value?: string; cost?: string; currency?: string };

/** One proposed change. Its id names it in `--only`: the supplier's id of the product, and the face value after an @. */
export type SyncItem =
  | { id: string; change: "new"; product: ProductFileRow; route: SyncRoute }
  | { id: string; change: "gone"; route: SyncRoute }
  | { id: string; change: "repriced"; route: SyncRoute; was: { cost?: string; currency?: string } };

export type SyncProposal = {
  items: SyncItem[];
  unchanged: number;
  /** Offers that cannot be sold by themselves: without a fixed face value or a cost. */
  left: number;
};

type SupplierRoute = Pick<RouteRow, "productId" | "sku" | "value" | "costMinor" | "costCurrency">;

const ID_PATTERN = /[^A-Za-z0-9._:-]+/g;
const NAME_MAX_CHARACTERS = 200;

/** Holds the supplier's catalog against our routes to it. Pure: it decides nothing and writes nothing. */
export function compareCatalog(
  kind: string,
  offers: readonly SupplierOffer[],
  routes: readonly SupplierRoute[],
): SyncProposal {
  const offersById = new Map(offers.map((offer) => [itemId(offer.sku, offer.value), offer]));
  const routed = new Set(routes.map(({ sku, value }) => itemId(sku, value ?? undefined)));
  const items: SyncItem[] = [];
  let unchanged = 0;
  for (const route of routes) {
    const item = compareRoute(route, offersById);
    if (item) items.push(item);
    else unchanged += 1;
  }
  let left = 0;
  for (const [id, offer] of offersById) {
    if (routed.has(id)) continue;
    const item = proposeNew(kind, id, offer);
    if (item) items.push(item);
    else left += 1;
  }
  return { items, unchanged, left };
}

/** `4521@25`, or `77` without a value. */
export function itemId(sku: string, value: string | undefined): string {
  const plain = value === undefined ? undefined : plainDecimal(value);
  return plain === undefined ? sku : `${sku}@${plain}`;
}

function compareRoute(
  route: SupplierRoute,
  offers: ReadonlyMap<string, SupplierOffer>,
): SyncItem | undefined {
  const { productId, sku } = route;
  const id = itemId(sku, route.value ?? undefined);
  const offer = offers.get(id) ?? offers.get(sku);
  const present = {
    productId,
    sku,
    ...(route.value === null ? {} : { value: route.value }),
  };
  if (!offer) return { id, change: "gone", route: { ...present, ...costOf(route) } };
  const { cost } = offer;
  if (!cost || (cost.amountMinor === route.costMinor && cost.currency === route.costCurrency))
    return undefined;
  const next = { cost: formatAmount(cost.amountMinor, cost.currency), currency: cost.currency };
  return { id, change: "repriced", route: { ...present, ...next }, was: costOf(route) };
}

const costOf = ({ costMinor, costCurrency }: SupplierRoute): { cost?: string; currency?: string } =>
  costMinor === null || costCurrency === null
    ? {}
    : { cost: formatAmount(costMinor, costCurrency), currency: costCurrency };

function proposeNew(kind: string, id: string, offer: SupplierOffer): SyncItem | undefined {
  const { face, cost, sku, value, name, brand, country, fields = [] } = offer;
  if (!face || !cost) return undefined;
  const productId = `${kind}-${id.replace("@", "-")}`.replace(ID_PATTERN, "-").slice(0, 64);
  const title = value === undefined ? name : `${name} ${face.amount} ${face.currency}`;
  return {
    id,
    change: "new",
    product: {
      id: productId,
      name: title.slice(0, NAME_MAX_CHARACTERS),
      type: fields.length > 0 ? "top_up" : "gift_card",
      faceValue: { amount: face.amount, currency: face.currency },
      ...(fields.length > 0
        ? { inputFields: fields.map((key) => ({ key, type: "text" as const, required: true })) }
        : {}),
      ...(brand === undefined ? {} : { brand }),
      ...(country === undefined ? {} : { country }),
    },
    route: {
      productId,
      sku,
      ...(value === undefined ? {} : { value }),
      cost: formatAmount(cost.amountMinor, cost.currency),
      currency: cost.currency,
    },
  };
}
