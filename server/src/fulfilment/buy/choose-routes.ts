import type { RateTable } from "../../fx/choose-rate.ts";
import { compare, fraction, over, times } from "../../fx/fraction.ts";
import { type AmountLimits, limitIn } from "../../lib/money.ts";
import { orderRoutes, type Routing } from "../../pricing/choose-route.ts";
import { landedCost } from "../../pricing/work-out-price.ts";
import type { Route } from "../take/order-work.ts";

/** A route as it is stored, with what decides when it is used. */
export type KnownRoute = Route & {
  routing: Routing;
  priority: number;
  failures: number;
  /** What the operator has at the supplier, if that was read lately. */
  balanceMinor: bigint | null;
  balanceCurrency: string | null;
  /** How far above its cost a unit may be charged, where the route has no maximum of its own. Null for none. */
  headroomBp: number | null;
};

export type RouteChoice = {
  /** In the order in which they are tried, each with why it comes there. */
  routes: Route[];
  /** Suppliers that would sell the unit at a loss that the operator does not accept. */
  atLoss: string[];
};

/** What was paid for a unit. */
export type Paid = { unitPriceMinor: bigint; currency: string };

/**
 * Which routes can be used for a unit (CONTRACT 8). A route whose current cost exceeds what was paid for the unit by more than `maxLoss` is
 * left out. A supplier whose balance cannot pay rests, like one whose circuit breaker is open. A cost that cannot be converted is not
 * held against the price.
 */
export function chooseRoutes(
  known: readonly KnownRoute[],
  paid: Paid,
  rates: RateTable,
  maxLoss: AmountLimits,
): RouteChoice {
  const routing = known[0]?.routing ?? "priority";
  const limitMinor = paid.unitPriceMinor + limitIn(maxLoss, paid.currency);
  const routes: Route[] = [];
  const atLoss: string[] = [];
  const passed = { loss: 0, paused: 0, funds: 0 };
  for (const route of orderRoutes(known, routing, paid.currency, rates, 0)) {
    const { most, isLoss } = mostFor(route, limitMinor, paid.currency, rates);
    if (isLoss) {
      atLoss.push(route.supplierId);
      passed.loss += 1;
      continue;
    }
    const isPoor = cannotPay(route);
    routes.push({
      productId: route.productId,
      supplierId: route.supplierId,
      hasOwnStock: route.hasOwnStock,
      sku: route.sku,
      value: route.value,
      fieldMap: route.fieldMap,
      costMinor: route.costMinor,
      maxCostMinor: capped(route.maxCostMinor ?? withHeadroom(route, most), most),
      costCurrency: route.costCurrency,
      paused: route.paused || isPoor,
      chosen: say(routing, passed),
    });
    if (route.paused) passed.paused += 1;
    else if (isPoor) passed.funds += 1;
  }
  return { routes, atLoss };
}

/** The most that a unit may cost in the currency of its route, so that the loss stays within the limit. */
function mostFor(
  { costMinor, costCurrency }: KnownRoute,
  limitMinor: bigint,
  currency: string,
  rates: RateTable,
): { most: bigint | null; isLoss: boolean } {
  if (costMinor === null || costCurrency === null) return { most: null, isLoss: false };
  const one = { amountMinor: 1n, currency: costCurrency };
  const landed = landedCost({ cost: one, currency, rates, bufferBp: 0 });
  if (typeof landed === "string") return { most: null, isLoss: false };
  const isLoss = compare(times(landed.value, fraction(costMinor)), fraction(limitMinor)) > 0;
  const { num, den } = over(fraction(limitMinor), landed.value);
  return { most: num / den, isLoss };
}

/** Where nobody knows what a sale earns, nothing above the cost is accepted. */
const withHeadroom = ({ costMinor, headroomBp }: KnownRoute, most: bigint | null): bigint | null =>
  costMinor === null || headroomBp === null || most === null
    ? null
    : costMinor + (costMinor * BigInt(headroomBp)) / 10_000n;

/** An upstream that may charge more than the cost must not charge more than was paid either. */
const capped = (maxCostMinor: bigint | null, most: bigint | null): bigint | null =>
  maxCostMinor !== null && most !== null && most < maxCostMinor ? most : maxCostMinor;

const cannotPay = ({ costMinor, costCurrency, balanceMinor, balanceCurrency }: KnownRoute): boolean =>
  costMinor !== null && balanceMinor !== null && costCurrency === balanceCurrency && balanceMinor < costMinor;

/** Why a route was chosen, in words of our own: neither a name nor an amount. */
function say(routing: Routing, passed: { loss: number; paused: number; funds: number }): string {
  const skipped = [
    passed.loss > 0 ? `${passed.loss} at a loss` : "",
    passed.paused > 0 ? `${passed.paused} paused` : "",
    passed.funds > 0 ? `${passed.funds} without funds` : "",
  ].filter((part) => part !== "");
  return skipped.length === 0 ? routing : `${routing}; passed over: ${skipped.join(", ")}`;
}
