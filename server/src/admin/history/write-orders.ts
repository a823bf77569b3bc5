import { type PricedProducts, readPricedProducts } from "../../catalog/prices/priced-products.ts";
import type { Db } from "../../db/database.ts";
import { instantOutcome } from "../../fulfilment/buy/instant-outcome.ts";
import { FULFILMENT_LIMITS } from "../../fulfilment/limits.ts";
import type { UnitOutcome } from "../../fulfilment/settle/decide-settlement.ts";
import { settleOrders } from "../../fulfilment/settle/settle-orders.ts";
import { type PlannedOrder as TakenOrder, takeOrders } from "../../fulfilment/take/take-orders.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf, timeOfId } from "../../lib/ids.ts";
import { toOrderRequest } from "../../orders/order-request.ts";
import type { Placement } from "../../orders/placing/decide-placements.ts";
import type { SubmitPlacement } from "../../orders/placing/placement-batch.ts";
import { priceOrder } from "../../orders/price-order.ts";
import { ORDINARY_FATE } from "../../sandbox/order-fate.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { type Burst, HISTORY_DAYS, type PlannedFailure, type PlannedOrder } from "./plan-history.ts";

export type HistoryDeps = { db: Db; codeVault: CodeVault; submit: SubmitPlacement };

/** One reseller, and the key that its live orders are placed with. */
export type Buyer = Tenant & { key: Actor };

export type WrittenOrder = PlannedOrder & { id: string; buyer: Buyer };

/** A burst and its reseller. */
export type BuyersBurst = Burst & { buyer: Buyer };

/** Settled at the same time: the database prepares one while another commits. */
const SETTLED_AT_ONCE = 6;
/**
 * No lease may end while the history is written, because its time passes faster than that of the clock. If the process is killed
 * meanwhile, a worker takes the orders over about when the history would have ended.
 */
const LIMITS = { ...FULFILMENT_LIMITS, leaseMs: (HISTORY_DAYS + 1) * 86_400_000 };
const REFUND_AFTER_MS = 900;

/** Places and fulfils bursts by the verbs of the product, each at its own time. They are given oldest first. */
export async function writeBursts(
  deps: HistoryDeps,
  bursts: readonly BuyersBurst[],
): Promise<WrittenOrder[]> {
  const written = await placeAll(deps, bursts);
  const settling = new Set<Promise<void>>();
  for (const burst of bursts) {
    const taken = await takeOrders(deps.db, burst.takenAt, burst.orders.length, LIMITS);
    const settled = settle(deps, taken, burst.endedAt, burst.failure);
    settling.add(settled);
    void settled.finally(() => settling.delete(settled)).catch(() => {});
    if (settling.size >= SETTLED_AT_ONCE) await Promise.race(settling);
  }
  await Promise.all(settling);
  return written;
}

/** An order of which nothing was delivered failed. Its refund is the second step, as in fulfilment. */
export async function refundFailed(deps: HistoryDeps, burst: BuyersBurst): Promise<void> {
  const at = new Date(burst.endedAt.getTime() + REFUND_AFTER_MS);
  const taken = await takeOrders(deps.db, at, burst.orders.length, LIMITS);
  if (taken.orders.length > 0) await settle(deps, taken, at, undefined);
}

async function placeAll(deps: HistoryDeps, bursts: readonly BuyersBurst[]): Promise<WrittenOrder[]> {
  const catalogs = new Map<string, PricedProducts>();
  for (const { resellerId } of new Set(bursts.map(({ buyer }) => buyer))) {
    const wanted = bursts.filter(({ buyer }) => buyer.resellerId === resellerId);
    const ids = new Set(wanted.flatMap(({ orders }) => orders.flatMap(({ lines }) => lines.map(productOf))));
    catalogs.set(resellerId, await readPricedProducts(deps.db, resellerId, [...ids]));
  }
  const placements = bursts.flatMap((burst) =>
    burst.orders.map((order) => {
      const catalog = catalogs.get(burst.buyer.resellerId) as PricedProducts;
      return { burst, order, placement: toPlacement(burst, order, catalog) };
    }),
  );
  return Promise.all(
    placements.map(async ({ burst, order, placement }) => {
      const decision = await deps.submit(placement);
      if (decision.kind !== "placed")
        throw new Error(`an order of the demo's history was not placed: ${JSON.stringify(decision)}`);
      return { ...order, id: decision.order.id, buyer: burst.buyer };
    }),
  );
}

const productOf = ({ productId }: { productId: string }): string => productId;

function toPlacement(burst: BuyersBurst, order: PlannedOrder, catalog: PricedProducts): Placement {
  const { resellerId, environment, key } = burst.buyer;
  const { lines, reference, idempotencyKey } = order;
  const request = toOrderRequest({ lines, reference });
  const orderId = idsOf(clockAt(order.at))("ord");
  return {
    orderId,
    resellerId,
    environment,
    actor: key,
    idempotencyKey,
    fingerprint: request.fingerprint,
    reference,
    fate: ORDINARY_FATE,
    catalogRevision: catalog.catalogRevision,
    priced: priceOrder(environment, request, catalog),
    createdAt: new Date(timeOfId(orderId)),
  };
}

async function settle(
  { db, codeVault }: HistoryDeps,
  { token, orders }: Awaited<ReturnType<typeof takeOrders>>,
  at: Date,
  failure: PlannedFailure | undefined,
): Promise<void> {
  const batch = orders.map((one) => ({ orderId: one.order.id, token, outcomes: outcomesOf(one, failure) }));
  const onDamaged = (codeId: string) => {
    throw new Error(`the demo's code ${codeId} does not open`);
  };
  await settleOrders({ db, clock: clockAt(at), codeVault, onDamaged }, batch, at);
}

/** What the planned step of each unit gives, unless the unit is to fail. */
function outcomesOf({ order, planned }: TakenOrder, failure: PlannedFailure | undefined): UnitOutcome[] {
  return planned.flatMap((one, index) => {
    const fails = failure && (failure.units === "all" || index === planned.length - 1);
    if (!fails) return instantOutcome(order, one.unit, one.plan);
    const { orderId, lineIndex, unitIndex, productId } = one.unit;
    const unit = { orderId, lineIndex, unitIndex };
    return [{ unit, productId, kind: "give-up", failureCode: failure.code }];
  });
}

/** A clock of its own for each moment, because ids of one clock never go back in time. */
export const clockAt = (at: Date): Clock => ({ now: () => at });
