import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Actor } from "../../lib/actor.ts";
import { notFound } from "../../lib/problem.ts";
import { getTimeline } from "../../orders/get-timeline.ts";
import { toOrderView } from "../../orders/order-view.ts";
import { findAnyOrder } from "../../orders/queries.ts";
import type { OrderView, TimelineEntryView } from "../../orders/schemas.ts";
import { referenceOf } from "../buy/reference.ts";
import {
  listOrderEntries,
  listOrderRoutes,
  listPurchaseRows,
  listUnitRows,
  type OrderEntryRow,
  type PurchaseRow,
  type RouteRow,
  sumCosts,
  type UnitRow,
} from "./describe-queries.ts";
import { type OrderState, readOrderStates } from "./order-state.ts";

/** How many purchases and units of an order are described. */
export const DESCRIBED_MAX = 200;

export type DescribedPurchase = PurchaseRow & { reference: string };

/** What is left of an order: what was paid and not paid back, less what it cost. */
export type Margin = {
  netMinor: bigint;
  costs: { amountMinor: bigint; currency: string }[];
  /** Undefined where a cost is not known or in another currency. */
  marginMinor: bigint | undefined;
  /** Units that were bought and whose cost is not known. */
  unpriced: number;
};

/** Everything about an order of any reseller, for the operator. Never a code. */
export type DescribedOrder = Tenant & {
  order: OrderView;
  idempotencyKey: string;
  placedBy: Actor;
  state: OrderState;
  purchases: DescribedPurchase[];
  units: UnitRow[];
  routes: RouteRow[];
  entries: OrderEntryRow[];
  margin: Margin;
  timeline: TimelineEntryView[];
};

export async function describeOrder(db: Db, id: string, now: Date): Promise<DescribedOrder> {
  const row = id.includes("\0") ? undefined : await findAnyOrder(db, id);
  if (!row) throw notFound();
  const { resellerId, environment, idempotencyKey, placedBy } = row;
  const tenant = { resellerId, environment };
  const [[state], purchases, units, routes, entries, costs, timeline] = await Promise.all([
    readOrderStates(db, [id], now),
    listPurchaseRows(db, id, DESCRIBED_MAX, now),
    listUnitRows(db, id, DESCRIBED_MAX),
    environment === "live" ? listOrderRoutes(db, id, now) : [],
    listOrderEntries(db, id),
    sumCosts(db, id),
    getTimeline(db, tenant, id),
  ]);
  if (!state) throw notFound();
  const known = costs.flatMap(({ currency, amountMinor }) =>
    currency === null || amountMinor === null ? [] : [{ currency, amountMinor }],
  );
  const unpriced = costs
    .filter(({ currency }) => currency === null)
    .reduce((sum, { units: count }) => sum + count, 0);
  const netMinor = row.totalMinor - row.refundedMinor;
  const isComparable = unpriced === 0 && known.every(({ currency }) => currency === row.currency);
  const costMinor = known.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return {
    ...tenant,
    order: toOrderView(row),
    idempotencyKey,
    placedBy,
    state,
    purchases: purchases.map((one) => ({
      ...one,
      reference: referenceOf({ orderId: id, ...one }, one.number),
    })),
    units,
    routes,
    entries,
    margin: {
      netMinor,
      costs: known,
      marginMinor: isComparable ? netMinor - costMinor : undefined,
      unpriced,
    },
    timeline,
  };
}
