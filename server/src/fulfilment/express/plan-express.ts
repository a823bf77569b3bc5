import type { Tenant } from "../../http/caller.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import type { RouteChoice } from "../buy/choose-routes.ts";
import { planUnit } from "../buy/plan-unit.ts";
import type { FulfilmentLimits } from "../limits.ts";
import type { RecipientKey } from "../sealing/seal-to-reseller.ts";
import { stockText, type UnitOutcome } from "../settle/decide-settlement.ts";
import type { DueUnit } from "../take/order-work.ts";

/** A live order that no worker has taken yet. */
export type NewOrder = Tenant & {
  id: string;
  reference: string | null;
  scenario: OrderScenario | null;
  createdAt: Date;
  allOrNothing: boolean;
  currency: string;
  lines: NewLine[];
  /** The key that its codes are sealed to. */
  recipient: RecipientKey | undefined;
};

export type NewLine = Pick<DueUnit, "lineIndex" | "productId" | "unitPriceMinor"> & { quantity: number };

/** An order whose units are all delivered at once, if there is enough stock. */
export type ExpressOrder = { order: NewOrder; outcomes: StockOutcome[] };
export type StockOutcome = UnitOutcome & { kind: "take-stock" };

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
): StockOutcome[] | undefined {
  const outcomes: StockOutcome[] = [];
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
      outcomes.push({
        unit: { orderId: order.id, lineIndex: line.lineIndex, unitIndex },
        productId: line.productId,
        ...plan,
      });
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

function countStock(outcomes: readonly StockOutcome[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of outcomes) {
    const key = stockText(one.productId, one.route.supplierId);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
