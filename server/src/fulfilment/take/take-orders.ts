import { randomUUID } from "node:crypto";
import type { Db } from "../../db/database.ts";
import { planUnit, type UnitPlan } from "../buy/plan-unit.ts";
import type { FulfilmentLimits } from "../limits.ts";
import { claimDueOrders, listRoutes, readTakenOrders } from "./claim-queries.ts";
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
  if (ids.length === 0) return { token, orders: [] };
  const orders = await readTakenOrders(db, ids, now, limits.unitsMax);
  const routesOf = await readRoutes(db, orders, now);
  return {
    token,
    orders: orders.map((order) => ({
      order,
      planned: order.units.map((unit) => ({
        unit,
        plan: planUnit({ ...order, unit, routes: routesOf(unit.productId), now, limits }),
      })),
    })),
  };
}

async function readRoutes(db: Db, orders: readonly TakenOrder[], now: Date) {
  const live = orders.filter((order) => order.environment === "live");
  const productIds = new Set(live.flatMap((order) => order.units.map((unit) => unit.productId)));
  const routes = productIds.size === 0 ? [] : await listRoutes(db, [...productIds], now);
  const byProduct = Map.groupBy(routes, (route) => route.productId);
  return (productId: string) => byProduct.get(productId) ?? [];
}
