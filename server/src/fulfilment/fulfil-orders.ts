import { randomUUID } from "node:crypto";
import { errorCodeOf, isDatabaseUnavailable } from "../db/database-errors.ts";
import type { Tenant } from "../http/caller.ts";
import { createBatcher } from "../lib/batch.ts";
import type { Log } from "../lib/log.ts";
import type { BuyDeps } from "./buy/ask-supplier.ts";
import { buyUnits } from "./buy/buy-units.ts";
import { instantOutcome } from "./buy/instant-outcome.ts";
import { expressOrders } from "./express/express-orders.ts";
import type { FulfilmentMetrics } from "./fulfilment-metrics.ts";
import type { UnitOutcome } from "./settle/decide-settlement.ts";
import { type SettleDeps, type SettledOrders, settleOrders } from "./settle/settle-orders.ts";
import type { Lease } from "./settle/settle-queries.ts";
import { renewLeases, returnLeases } from "./take/claim-queries.ts";
import { type PlannedOrder, planOrders, type TakenBatch, takeOrders } from "./take/take-orders.ts";

export type FulfilDeps = BuyDeps &
  SettleDeps & {
    log: Log;
    metrics: FulfilmentMetrics;
    /** Stock of these products was taken: check whether they are still available. */
    onStockTaken: (productIds: readonly string[]) => void;
    /** Orders ended: there are events to deliver. */
    onEnded: () => void;
    /** Orders returned to the queue, and some may be due at once. */
    onReturned: () => void;
  };

export type Fulfiller = {
  /**
   * Takes orders that are due; true when there may be more, which is told as soon as it is known. Orders that wait for suppliers
   * continue in the background.
   */
  step(onMore?: () => void): Promise<boolean>;
  /** Keeps the leases of orders that are still being worked on. */
  renew(): Promise<void>;
  /** Waits until nothing is under way. */
  idle(): Promise<void>;
};

const STATEMENT_TIMEOUT = "57014";

type Settling = Lease &
  Pick<Tenant, "environment"> & {
    createdAt: Date;
    outcomes: UnitOutcome[];
    /** Its completion may seal thousands of codes, so no other order waits in its transaction. */
    isAlone: boolean;
  };

/**
 * Works through due orders. Those that need no supplier are settled at once and together; each of the others asks its
 * suppliers on its own, and is settled with whichever others are ready at the same time.
 */
export function createFulfiller(deps: FulfilDeps): Fulfiller {
  const { db, clock, limits } = deps;
  // By lease: an order whose lease has expired can be in progress twice, and each run ends separately.
  const underWay = new Map<Lease, Promise<void>>();
  const settleWithOthers = createBatcher<Settling, void>({
    run: async (batch) => {
      for (const part of partsOf(batch, limits.settleUnitsMax)) await settleTogether(deps, part);
      return [];
    },
    maxSize: limits.batchMax,
    maxRunning: 2,
  });

  const buyApart = (token: string, { order, planned }: PlannedOrder) => {
    const lease = { orderId: order.id, token };
    const work = async () => {
      const bought = await buyUnits(deps, token, order, planned);
      await settleWithOthers(toSettling(token, { order, planned }, bought));
    };
    const done = work()
      .catch((error) => giveBack(deps, [lease], error))
      .finally(() => underWay.delete(lease));
    underWay.set(lease, done);
  };

  return {
    async step(onMore) {
      const limit = Math.min(limits.batchMax, limits.inFlightMax - underWay.size);
      if (limit <= 0) return false;
      const { token, orders, isMore } = await take(deps, limit, onMore);
      const [apart, together] = partition(orders, needsSupplier);
      for (const order of apart) buyApart(token, order);
      const batch = together.map((order) => toSettling(token, order, []));
      for (const part of partsOf(batch, limits.settleUnitsMax)) await settleTogether(deps, part);
      return isMore;
    },
    async renew() {
      const leases = [...underWay.keys()];
      if (leases.length === 0) return;
      await renewLeases(db, leases, new Date(clock.now().getTime() + limits.leaseMs));
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

/**
 * Completes what can be delivered from stock at once, and leases the other orders. If that fails, all are leased: then an error
 * of one order does not concern the others.
 */
async function take(
  deps: FulfilDeps,
  limit: number,
  onMore: (() => void) | undefined,
): Promise<TakenBatch & { isMore: boolean }> {
  const { db, clock, limits } = deps;
  const now = clock.now();
  const token = randomUUID();
  const batch = await expressOrders({ ...deps, onMore }, token, limit, now).catch((error: unknown) => {
    if (isDatabaseUnavailable(error) && errorCodeOf(error) !== STATEMENT_TIMEOUT) throw error;
    deps.log.warn({ err: error }, "orders could not be completed at once; they are taken one by one");
  });
  if (!batch) {
    const taken = await takeOrders(db, now, limit, limits);
    return { ...taken, isMore: taken.orders.length === limit };
  }
  const endings = batch.completed.map(({ id }) => ({ id, ending: "completed" as const }));
  noteSettled(deps, batch.completed.map(toEnded), { endings, stockTaken: batch.stockTaken }, now);
  return { token, orders: await planOrders(db, batch.claimed, now, limits), isMore: batch.isMore };
}

const toEnded = ({ id, ...rest }: { id: string; environment: Tenant["environment"]; createdAt: Date }) => ({
  orderId: id,
  ...rest,
});

/** Parts of a batch with at most so many units each, or with one order. */
function* partsOf(batch: readonly Settling[], unitsMax: number): Generator<Settling[]> {
  let part: Settling[] = [];
  let units = 0;
  const [alone, others] = partition(batch, ({ isAlone }) => isAlone);
  yield* alone.map((one) => [one]);
  for (const one of others) {
    if (part.length > 0 && units + one.outcomes.length > unitsMax) {
      yield part;
      [part, units] = [[], 0];
    }
    part.push(one);
    units += one.outcomes.length;
  }
  if (part.length > 0) yield part;
}

const toSettling = (
  token: string,
  { order, planned }: PlannedOrder,
  bought: readonly UnitOutcome[],
): Settling => ({
  orderId: order.id,
  token,
  environment: order.environment,
  createdAt: order.createdAt,
  isAlone: order.allOrNothing,
  outcomes: [...planned.flatMap((one) => instantOutcome(order, one.unit, one.plan)), ...bought],
});

const needsSupplier = ({ planned }: PlannedOrder): boolean =>
  planned.some(({ plan }) => plan.kind === "buy" || plan.kind === "look-up");

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** All in one transaction. If that fails or takes too long, each order in a separate one. */
async function settleTogether(deps: FulfilDeps, batch: readonly Settling[]): Promise<void> {
  try {
    await settle(deps, batch);
  } catch (error) {
    const isSlow = errorCodeOf(error) === STATEMENT_TIMEOUT && batch.length > 1;
    if (isDatabaseUnavailable(error) && !isSlow) {
      await giveBack(deps, batch, error);
      throw error;
    }
    for (const one of batch) await settle(deps, [one]).catch((cause) => giveBack(deps, [one], cause));
  }
}

async function settle(deps: FulfilDeps, batch: readonly Settling[]): Promise<void> {
  const now = deps.clock.now();
  noteSettled(deps, batch, await settleOrders(deps, batch, now), now);
}

/** After the commit: tells those that wait for it, and counts it. */
function noteSettled(
  deps: FulfilDeps,
  batch: readonly Pick<Settling, "orderId" | "environment" | "createdAt">[],
  settled: SettledOrders,
  now: Date,
): void {
  if (settled.stockTaken.length > 0) deps.onStockTaken(settled.stockTaken);
  if (settled.endings.some(({ ending }) => ending === "open" || ending === "failed")) deps.onReturned();
  if (settled.endings.some(({ ending }) => ending !== "open")) deps.onEnded();
  // Sandbox orders fail and wait on request, so they do not measure the service.
  const live = batch.filter(({ environment }) => environment === "live");
  const createdAt = new Map(live.map((one) => [one.orderId, one.createdAt.getTime()]));
  for (const { id, ending } of settled.endings) {
    const createdAtMs = createdAt.get(id);
    if (createdAtMs !== undefined) deps.metrics.count(ending, now.getTime() - createdAtMs);
  }
}

/** After an error an order is retried when its lease expires, so that the error does not repeat at once. */
async function giveBack(deps: FulfilDeps, leases: readonly Lease[], error: unknown): Promise<void> {
  const orderIds = leases.map((one) => one.orderId);
  deps.log.error({ err: error, orderIds }, "orders could not be settled; retrying later");
  if (!isDatabaseUnavailable(error) || errorCodeOf(error) === STATEMENT_TIMEOUT) return;
  await returnLeases(deps.db, leases, deps.clock.now()).catch(() => {});
}
