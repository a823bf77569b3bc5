import type { Tx } from "../../db/database.ts";
import type { Ids } from "../../lib/ids.ts";
import { formatAmount } from "../../lib/money.ts";
import { getProductCurrency, getSupplier } from "../get-supplier.ts";
import { listStockSupplierIds, type SupplierRow } from "../queries.ts";
import { findRoute, type RouteRow, upsertRoute } from "../route-queries.ts";
import { parseCost } from "../set-route.ts";
import { RATE_PER_SECOND_DEFAULT, storeSupplier } from "../store-supplier.ts";
import { stockKind } from "./stock-kind.ts";

const SUPPLIER_NAME = "Stock";
const ROUTE_PRIORITY = 100;

/** Where imported codes go. A missing supplier or route is created with the first code. */
export type StockTarget = {
  productId: string;
  supplierId: string | undefined;
  route: RouteRow | undefined;
  cost: Cost;
};

type Cost = { costMinor: bigint; costCurrency: string } | { costMinor: null; costCurrency: null };

export type StockTargetInput = {
  productId: string;
  supplierId?: string | undefined;
  cost?: string | undefined;
};

/** Finds the supplier for codes of a product: the named one, or the only possible one. */
export async function findStockTarget(tx: Tx, input: StockTargetInput): Promise<StockTarget> {
  const { productId } = input;
  const currency = await getProductCurrency(tx, productId);
  const supplierId =
    input.supplierId === undefined
      ? await findOnlySupplier(tx, productId)
      : await checkSupplier(tx, input.supplierId);
  const route = supplierId === undefined ? undefined : await findRoute(tx, { productId, supplierId });
  const cost = input.cost === undefined ? NO_COST : parseCost(input.cost, route?.costCurrency ?? currency);
  if (route && input.cost !== undefined && route.costMinor !== cost.costMinor) throw otherCost(route);
  return { productId, supplierId, route, cost };
}

const NO_COST: Cost = { costMinor: null, costCurrency: null };

async function checkSupplier(tx: Tx, id: string): Promise<string> {
  const { hasOwnStock } = await getSupplier(tx, id);
  if (!hasOwnStock)
    throw new RangeError(`${id} has no stock; codes can only be imported for a stock supplier`);
  return id;
}

async function findOnlySupplier(tx: Tx, productId: string): Promise<string | undefined> {
  const routed = await listStockSupplierIds(tx, productId);
  const [only, another] = routed.length > 0 ? routed : await listStockSupplierIds(tx);
  if (another === undefined) return only;
  const where = routed.length > 0 ? `${productId} has routes to several` : "there are several";
  throw new RangeError(`${where} stock suppliers; say which with --supplier (see: scrip supplier list)`);
}

/** A cost belongs to the route and all of its stock, so an import does not change it silently. */
function otherCost({ productId, supplierId, costMinor, costCurrency }: RouteRow): RangeError {
  const has =
    costMinor === null || costCurrency === null
      ? "has no cost"
      : `costs ${formatAmount(costMinor, costCurrency)} ${costCurrency}`;
  return new RangeError(
    `the route of ${productId} to ${supplierId} ${has}; change it with: scrip supplier route`,
  );
}

export type OpenedStockTarget = { supplierId: string; supplierMade?: string; routeMade?: RouteRow };

/** Creates the supplier and the route if they are missing. */
export async function openStockTarget(
  tx: Tx,
  target: StockTarget,
  ids: Ids,
  now: Date,
): Promise<OpenedStockTarget> {
  const { productId, cost } = target;
  const made = target.supplierId === undefined ? await makeSupplier(tx, ids, now) : undefined;
  const supplierId = made?.id ?? target.supplierId ?? "";
  const opened = { supplierId, ...(made ? { supplierMade: made.name } : {}) };
  if (target.route) return opened;
  const routeMade = {
    productId,
    supplierId,
    priority: ROUTE_PRIORITY,
    ...cost,
    maxCostMinor: null,
    sku: productId,
    value: null,
    fieldMap: null,
  };
  await upsertRoute(tx, routeMade, now);
  return { ...opened, routeMade };
}

const makeSupplier = (tx: Tx, ids: Ids, now: Date): Promise<SupplierRow> =>
  storeSupplier(tx, {
    id: ids("sup"),
    kind: stockKind.kind,
    name: SUPPLIER_NAME,
    ratePerSecond: RATE_PER_SECOND_DEFAULT,
    sealedConfig: null,
    createdAt: now,
  });
