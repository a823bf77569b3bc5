import type { Tx } from "../../db/database.ts";
import { toEventRows } from "../../events/emit-events.ts";
import { idsOf } from "../../lib/ids.ts";
import { atBatchCost, groupPicked, type PickedCode, pickFree, sealForUnits } from "../buy/take-stock.ts";
import { orderFulfilled } from "../end/order-event.ts";
import type { FulfilmentLimits } from "../limits.ts";
import { stockText } from "../settle/decide-settlement.ts";
import { productsFromStock, type SettleDeps } from "../settle/settle-orders.ts";
import { stockNeeds } from "../settle/settle-outcomes.ts";
import { claimLocked } from "../take/claim-queries.ts";
import { readRoutes } from "../take/take-orders.ts";
import { completeNewOrders } from "./complete-queries.ts";
import { lockDueOrders, readNewOrders } from "./express-queries.ts";
import { chooseFilled, type ExpressOrder, planExpress, type StockOutcome } from "./plan-express.ts";

export type ExpressDeps = Pick<SettleDeps, "db" | "clock" | "codeVault"> & {
  limits: FulfilmentLimits;
  /** The batch is full, so that there may be more. */
  onMore?: (() => void) | undefined;
};

export type ExpressBatch = {
  /** More orders were due than this batch took, or may have been. */
  isMore: boolean;
  completed: Pick<ExpressOrder["order"], "id" | "environment" | "createdAt">[];
  /** Orders that need more than stock: they are leased under the token. */
  claimed: string[];
  /** Products whose stock was taken. */
  stockTaken: string[];
};

/**
 * Takes due orders. New ones that can be delivered from stock as a whole are completed in this transaction, without a lease and
 * without intermediate states; nothing of them is written if it fails. The others are leased.
 */
export function expressOrders(
  deps: ExpressDeps,
  token: string,
  limit: number,
  now: Date,
): Promise<ExpressBatch> {
  const { db, limits } = deps;
  return db.transaction(async (tx) => {
    const due = await lockDueOrders(tx, now, limit);
    if (due.length === limit) deps.onMore?.();
    const fresh = due.filter(({ claims }) => claims === 0).map(({ id }) => id);
    const { filled, later } = fresh.length === 0 ? NONE : await completeFromStock(deps, tx, fresh, now);
    const isDone = new Set([...filled.map(({ order }) => order.id), ...later]);
    const rest = due.flatMap(({ id }) => (isDone.has(id) ? [] : [id]));
    const leasedUntil = new Date(now.getTime() + limits.leaseMs);
    const claim = { token, now, leasedUntil, limit, unitsMax: limits.batchUnitsMax };
    const claimed = rest.length === 0 ? [] : await claimLocked(tx, rest, claim);
    const taken = filled.length + claimed.length;
    return {
      // Orders that are left without any being taken wait, and are not looked at without a pause.
      isMore: due.length === limit || (taken > 0 && taken < due.length),
      completed: filled.map(({ order }) => order),
      claimed,
      stockTaken: productsFromStock(filled.flatMap(({ outcomes }) => outcomes)),
    };
  });
}

type Completed = { filled: ExpressOrder[]; later: string[] };
const NONE: Completed = { filled: [], later: [] };

async function completeFromStock(
  { clock, codeVault, limits }: ExpressDeps,
  tx: Tx,
  fresh: readonly string[],
  now: Date,
): Promise<Completed> {
  const orders = await readNewOrders(tx, fresh);
  const sold = orders.map((order) => ({
    ...order,
    productIds: order.lines.map(({ productId }) => productId),
  }));
  const { express, later } = planExpress(orders, await readRoutes(tx, sold, now, limits), now, limits);
  const needs = stockNeeds(express.flatMap(({ outcomes }) => outcomes));
  const picked = needs.length === 0 ? [] : await pickFree(tx, needs, now);
  const stock = groupPicked(picked);
  const filled = chooseFilled(express, stock);
  if (filled.length === 0) return { filled, later };

  const taken = takeCodes(
    filled.flatMap((one) => one.outcomes),
    stock,
    new Map(picked.map((code) => [code.id, code])),
  );
  const completed = filled.map(({ order }) => order);
  const recipients = new Map(completed.flatMap(({ id, recipient }) => (recipient ? [[id, recipient]] : [])));
  const ids = idsOf(clock);
  const units = await sealForUnits(codeVault, picked, taken, recipients);
  const done = await completeNewOrders(
    tx,
    {
      orderIds: completed.map(({ id }) => id),
      units,
      events: toEventRows(completed.map(orderFulfilled), ids, now),
    },
    now,
  );
  if (done.orders !== completed.length || done.codes !== units.length)
    throw new Error("an order or a code changed while it was locked");
  return { filled, later };
}

/** A code for each unit, in the order in which they were picked, at its cost. */
const takeCodes = (
  outcomes: readonly StockOutcome[],
  stock: ReadonlyMap<string, string[]>,
  picked: ReadonlyMap<string, PickedCode>,
) =>
  outcomes.map(({ unit, productId, route, number }) => {
    const id = stock.get(stockText(productId, route.supplierId))?.shift();
    if (id === undefined) throw new Error("a unit was planned without a code");
    return { ...unit, id, productId, route: atBatchCost(route, picked.get(id)), number };
  });
