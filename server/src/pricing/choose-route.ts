import type { RateTable } from "../fx/choose-rate.ts";
import { compare } from "../fx/fraction.ts";
import { landedCost } from "./work-out-price.ts";

/** How the route of a unit is chosen: the lowest priority first, or the lowest landed cost first. */
export const ROUTINGS = ["priority", "cheapest"] as const;
export type Routing = (typeof ROUTINGS)[number];

export type RankedRoute = {
  supplierId: string;
  priority: number;
  costMinor: bigint | null;
  costCurrency: string | null;
  /** Failures in a row: the health that decides between equal costs. */
  failures: number;
};

/**
 * The routes in the order in which they are tried. `cheapest` compares landed costs in one currency; equal ones go by health, then by
 * priority. A route without a cost, or whose cost cannot be converted, comes last.
 */
export function orderRoutes<Route extends RankedRoute>(
  routes: readonly Route[],
  routing: Routing,
  currency: string,
  rates: RateTable,
  bufferBp: number,
): Route[] {
  const byPriority = (a: Route, b: Route): number =>
    a.priority - b.priority || (a.supplierId < b.supplierId ? -1 : 1);
  if (routing === "priority") return [...routes].sort(byPriority);
  const landed = new Map(
    routes.map((route) => {
      const { costMinor, costCurrency } = route;
      if (costMinor === null || costCurrency === null) return [route, undefined];
      const cost = { amountMinor: costMinor, currency: costCurrency };
      const answer = landedCost({ cost, currency, rates, bufferBp });
      return [route, typeof answer === "string" ? undefined : answer.value];
    }),
  );
  return [...routes].sort((a, b) => {
    const [one, other] = [landed.get(a), landed.get(b)];
    if (one === undefined || other === undefined)
      return Number(one === undefined) - Number(other === undefined) || byPriority(a, b);
    return compare(one, other) || a.failures - b.failures || byPriority(a, b);
  });
}
