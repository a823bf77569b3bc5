import type { Tenant } from "../../http/caller.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import type { RouteChoice } from "../buy/choose-routes.ts";
import { instantOutcome } from "../buy/instant-outcome.ts";
import { planUnit } from "../buy/plan-unit.ts";
import type { FulfilmentLimits } from "../limits.ts";
import { stockText, type UnitOutcome } from "../settle/decide-settlement.ts";
import type { DueUnit } from "../take/order-work.ts";

/** An order that no worker has taken yet. */
export type NewOrder = Tenant & {
  id: string;
  idempotencyKey: string;
  scenario: OrderScenario | null;
  createdAt: Date;
  allOrNothing: boolean;
  currency: string;
  lines: NewLine[];
};

export type NewLine = Pick<DueUnit, "lineIndex" | "productId" | "productType" | "unitPriceMinor"> & {
  quantity: number;
};

/** An order whose units are all delivered at once, if there is enough stock. */
export type ExpressOrder = { order: NewOrder; outcomes: UnitOutcome[] };

export type ExpressPlan = {
  express: ExpressOrder[];
  /** Orders that come with the next batch, because this one has enough units. */
  later: string[];
};

type ChooseRoutes = (line: NewLine, currency: string) => RouteChoice;

/**
 * Finds live orders that need nothing but stock. Every other order is taken with a lease. The sandbox shows each status that an
 * order can have, so its orders are taken too.
 */
export function planExpress(
  orders: readonly NewOrder[],
  choose: ChooseRoutes,
  now: Date,
  limits: FulfilmentLimits,
): ExpressPlan {
  const plan: ExpressPlan = { express: [], later: [] };
  let units = 0;
  for (const order of orders) {
    const wanted = order.lines.reduce((sum, line) => sum + line.quantity, 0);
    if (order.environment !== "live" || wanted > limits.unitsMax) continue;
    const outcomes = planOrder(order, choose, now, limits);
    if (!outcomes) continue;
    if (units + wanted > limits.settleUnitsMax) {
      plan.later.push(order.id);
      continue;
    }
    units += wanted;
    plan.express.push({ order, outcomes });
  }
  return plan;
}

/** Undefined if a unit needs more than stock. All units of a line are alike, because nothing was tried for them yet. */
function planOrder(
  order: NewOrder,
  choose: ChooseRoutes,
  now: Date,
  limits: FulfilmentLimits,
): UnitOutcome[] | undefined {
  const outcomes: UnitOutcome[] = [];
  for (const line of order.lines) {
    const unit = { attempts: [], isLast: false };
    const plan = planUnit({
      ...order,
      isDoomed: false,
      unit,
      ...choose(line, order.currency),
      now,
      limits,
    });
    if (plan.kind !== "take-stock") return undefined;
    for (let unitIndex = 0; unitIndex < line.quantity; unitIndex += 1)
      outcomes.push(...instantOutcome(order, { ...line, orderId: order.id, unitIndex }, plan));
  }
  return outcomes;
}

/**
 * Those for which there are enough codes, in the order of their acceptance. Once a product is short, no later order gets
 * it here: the first one gets what is left, with a lease.
 */
export function chooseFilled(
  orders: readonly ExpressOrder[],
  picked: ReadonlyMap<string, readonly string[]>,
): ExpressOrder[] {
  const left = new Map([...picked].map(([key, ids]) => [key, ids.length]));
  return orders.filter(({ outcomes }) => {
    const wanted = countStock(outcomes);
    const isFilled = [...wanted].every(([key, count]) => (left.get(key) ?? 0) >= count);
    for (const [key, count] of wanted) left.set(key, isFilled ? (left.get(key) ?? 0) - count : 0);
    return isFilled;
  });
}

function countStock(outcomes: readonly UnitOutcome[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of outcomes) {
    if (one.kind !== "take-stock") continue;
    const key = stockText(one.productId, one.route.supplierId);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
