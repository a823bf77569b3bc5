import { randomUUID } from "node:crypto";
import type { Db, Queryable } from "../../db/database.ts";
import { createLastRateTable } from "../../fx/choose-rate.ts";
import { listCurrentRates } from "../../fx/queries.ts";
import { chooseRoutes, type RouteChoice } from "../buy/choose-routes.ts";
import { planUnit, type UnitPlan } from "../buy/plan-unit.ts";
import type { FulfilmentLimits } from "../limits.ts";
import { claimDueOrders, listRoutes, readTakenOrders, upsertLossStops } from "./claim-queries.ts";
import type { DueUnit, TakenOrder } from "./order-work.ts";

export type PlannedUnit = { unit: DueUnit; plan: UnitPlan };
export type PlannedOrder = { order: TakenOrder; planned: PlannedUnit[] };
export type TakenBatch = { token: string; orders: PlannedOrder[] };

/** Leases due orders and decides the next step for each of their units. */
export async function takeOrders(
  db: Db,
  now: Date,
  limit: number,
  limits: FulfilmentLimits,
): Promise<TakenBatch> {
  const token = randomUUID();
  const leasedUntil = new Date(now.getTime() + limits.leaseMs);
  const ids = await claimDueOrders(db, { token, now, leasedUntil, limit, unitsMax: limits.batchUnitsMax });
  return { token, orders: await planOrders(db, ids, now, limits) };
}

/** Decides the next step for each unit of leased orders. */
export async function planOrders(
  db: Db,
  ids: readonly string[],
  now: Date,
  limits: FulfilmentLimits,
): Promise<PlannedOrder[]> {
  if (ids.length === 0) return [];
  const orders = await readTakenOrders(db, ids, now, limits.unitsMax);
  const bought = orders.map((order) => ({
    ...order,
    productIds: order.units.map(({ productId }) => productId),
  }));
  const choose = await readRoutes(db, bought, now, limits);
  const planned = orders.map((order) => {
    const units = order.units.map((unit) => ({
      unit,
      plan: planUnit({ ...order, unit, ...choose(unit, order.currency), now, limits }),
    }));
    const isFailing = order.allOrNothing && units.some(({ plan }) => plan.kind === "give-up");
    return isFailing
      ? { order: { ...order, isDoomed: true }, planned: holdPurchases(units, now) }
      : { order, planned: units };
  });
  await noteLosses(db, planned, now);
  return planned;
}

/** An order that is delivered whole or not at all buys nothing beside a unit that fails. Its next run knows that it has failed. */
const holdPurchases = (planned: readonly PlannedUnit[], now: Date): PlannedUnit[] =>
  planned.map(({ unit, plan }) => ({
    unit,
    plan: plan.kind === "buy" ? { kind: "wait", until: now } : plan,
  }));

/** For the alert: which products were not bought because that would have been a loss. */
async function noteLosses(db: Db, orders: readonly PlannedOrder[], now: Date): Promise<void> {
  const stopped = orders.flatMap(({ order, planned }) =>
    planned.flatMap(({ unit, plan }) =>
      plan.kind === "give-up" && "atLoss" in plan ? [{ productId: unit.productId, orderId: order.id }] : [],
    ),
  );
  const byProduct = new Map(stopped.map((one) => [one.productId, one]));
  if (byProduct.size > 0) await upsertLossStops(db, [...byProduct.values()], now);
}

const NONE: RouteChoice = { routes: [], atLoss: [] };

/** Chooses the routes of a unit. Rates are read only if a cost is in another currency than its order. */
export async function readRoutes(
  db: Queryable,
  orders: readonly (Pick<TakenOrder, "environment" | "currency"> & { productIds: readonly string[] })[],
  now: Date,
  { maxLoss, rateMaxAgeMs }: FulfilmentLimits,
) {
  const live = orders.filter((order) => order.environment === "live");
  const productIds = new Set(live.flatMap((order) => order.productIds));
  const routes = productIds.size === 0 ? [] : await listRoutes(db, [...productIds], now);
  const byProduct = Map.groupBy(routes, (route) => route.productId);
  const currencies = new Set(live.map(({ currency }) => currency));
  const isForeign = routes.some(({ costCurrency }) => costCurrency !== null && !currencies.has(costCurrency));
  const known = isForeign || currencies.size > 1 ? await listCurrentRates(db) : [];
  const rates = createLastRateTable(known, now, rateMaxAgeMs);
  const chosen = new Map<string, RouteChoice>();
  return (
    { productId, unitPriceMinor }: Pick<DueUnit, "productId" | "unitPriceMinor">,
    currency: string,
  ): RouteChoice => {
    const routesOf = byProduct.get(productId);
    if (!routesOf) return NONE;
    const key = `${productId} ${unitPriceMinor} ${currency}`;
    const choice = chosen.get(key) ?? chooseRoutes(routesOf, { unitPriceMinor, currency }, rates, maxLoss);
    chosen.set(key, choice);
    return choice;
  };
}
