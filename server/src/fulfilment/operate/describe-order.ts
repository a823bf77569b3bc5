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
  type CostSumRow,
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
  /** The cost in the currency of the order, at the rates of its acceptance, less what suppliers gave back. */
  convertedMinor: bigint;
  isConverted: boolean;
  lostMinor: bigint;
  returned: { amountMinor: bigint; currency: string }[];
  /** Undefined where a cost is not known in the currency of the order. */
  marginMinor: bigint | undefined;
  /** Units that were bought and whose cost is not known. */
  unpriced: number;
};

function marginOf(netMinor: bigint, currency: string, sums: readonly CostSumRow[]): Margin {
  const total = (of: (row: CostSumRow) => bigint): bigint => sums.reduce((sum, row) => sum + of(row), 0n);
  const known = sums.flatMap((row) =>
    row.currency === null || row.amountMinor === null
      ? []
      : [{ ...row, currency: row.currency, amountMinor: row.amountMinor }],
  );
  const convertedMinor = total((row) => row.convertedMinor);
  return {
    netMinor,
    costs: known.map((row) => ({ currency: row.currency, amountMinor: row.amountMinor })),
    convertedMinor,
    isConverted: known.some((row) => row.currency !== currency),
    lostMinor: total((row) => row.lostMinor),
    returned: known.flatMap((row) =>
      row.returnedMinor === 0n ? [] : [{ currency: row.currency, amountMinor: row.returnedMinor }],
    ),
    marginMinor: sums.every(({ units, costed }) => costed === units) ? netMinor - convertedMinor : undefined,
    unpriced: sums.reduce((sum, row) => sum + (row.currency === null ? row.units : 0), 0),
  };
}

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
    margin: marginOf(row.totalMinor - row.refundedMinor, row.currency, costs),
    timeline,
  };
}
