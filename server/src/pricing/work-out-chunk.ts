import type { RateTable } from "../fx/choose-rate.ts";
import { orderRoutes } from "./choose-route.ts";
import type { PriceFor, RuleBook } from "./choose-rule.ts";
import type { WorkedPrice } from "./judge-queries.ts";
import { writeBasis } from "./price-basis.ts";
import type { PricedProductRow, PricedRoute } from "./recompute-queries.ts";
import { applyRuleTo, faceIn, landedCost } from "./work-out-price.ts";

export type Worth = { rates: RateTable; bufferBp: number };
export type RouteCost = { amountMinor: bigint; currency: string; supplierId: string; learntAt: Date };

/** A target, and for one reseller the products that it has an own price for. */
export type ChunkTarget = PriceFor & { productIds?: readonly string[] };

/** The cost of the route that would be used now. Where everything is out of stock, of the one that would be used then. */
export function chooseCost(
  { routing }: PricedProductRow,
  routes: readonly PricedRoute[],
  currency: string,
  { rates, bufferBp }: Worth,
): RouteCost | undefined {
  const stocked = routes.filter(({ hasGoods }) => hasGoods);
  const usable = stocked.length > 0 ? stocked : routes;
  const [route] = orderRoutes(usable, routing, currency, rates, bufferBp);
  if (!route || route.costMinor === null || route.costCurrency === null) return undefined;
  const { costMinor, costCurrency, supplierId, learntAt } = route;
  return { amountMinor: costMinor, currency: costCurrency, supplierId, learntAt };
}

/** The prices of some products for all targets. Costs are converted once for each product and currency. */
export function workOutChunk(
  products: readonly PricedProductRow[],
  routes: readonly PricedRoute[],
  targets: readonly ChunkTarget[],
  book: RuleBook,
  worth: Worth,
): WorkedPrice[] {
  const routesOf = Map.groupBy(routes, ({ productId }) => productId);
  const currencies = [...new Set(targets.map(({ currency }) => currency))];
  const own = targets.map((target) => ({ target, has: new Set(target.productIds ?? []) }));
  const worked: WorkedPrice[] = [];
  for (const product of products) {
    const known = routesOf.get(product.id) ?? [];
    const costs = new Map(currencies.map((currency) => [currency, costIn(product, known, currency, worth)]));
    for (const { target, has } of own) {
      const cost = costs.get(target.currency);
      const price = cost && workOut(product, target, has.has(product.id), cost, book);
      if (price) worked.push(price);
    }
  }
  return worked;
}

type CostIn = ReturnType<typeof costIn>;

function costIn(product: PricedProductRow, routes: readonly PricedRoute[], currency: string, worth: Worth) {
  const cost = chooseCost(product, routes, currency, worth);
  const landed = cost && landedCost({ cost, currency, ...worth });
  const basis = writeBasis("", cost, typeof landed === "string" ? undefined : landed);
  const { faceAmount, faceCurrency } = product;
  const face = product.faceIsMoney
    ? faceIn({ amount: faceAmount, currency: faceCurrency }, currency, worth.rates)
    : undefined;
  return { landed, face, rest: basis.slice(1), landedMinor: landedOf(basis) };
}

const landedOf = (basis: string): bigint | null => {
  const [, landed] = basis.split("|");
  return landed ? BigInt(landed) : null;
};

/** Undefined where there is nothing to decide: no rule of this reseller, and no own price. */
function workOut(
  product: PricedProductRow,
  target: ChunkTarget,
  hasOwnPrice: boolean,
  { landed, face, rest, landedMinor }: CostIn,
  book: RuleBook,
): WorkedPrice | undefined {
  const { resellerId, priceList, currency } = target;
  const rule = book.find(product, target);
  const isRuled = rule !== undefined && (resellerId === null || rule.who === "reseller");
  if (resellerId !== null && !isRuled && !hasOwnPrice) return undefined;
  const about = {
    productId: product.id,
    priceList: resellerId === null ? priceList : "",
    resellerId: resellerId ?? "",
    currency,
    rest,
    landedMinor,
  };
  if (!isRuled) {
    // While a reseller's own price is withheld it gets no price of its list either, so without a rule this one is never withheld.
    const reason = resellerId === null ? whyUnusable(landed, face) : "";
    return { ...about, newMinor: null, rule: "", atFloor: false, reason };
  }
  const price = applyRuleTo({ rule, currency, landed, face });
  return price.kind === "price"
    ? { ...about, newMinor: price.amountMinor, rule: rule.id, atFloor: price.floorReached, reason: "" }
    : { ...about, newMinor: null, rule: rule.id, atFloor: false, reason: price.reason };
}

/** A price whose rule has ended is on sale until a person publishes its removal, but no longer than its rates hold (CONTRACT 8). */
function whyUnusable(landed: CostIn["landed"], face: CostIn["face"]): WorkedPrice["reason"] {
  if (typeof landed === "string") return landed;
  return face === "rate_stale" ? face : "";
}
