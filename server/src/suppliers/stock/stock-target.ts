import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Ids } from "../../lib/ids.ts";
import { getProductCurrency, getSupplier } from "../get-supplier.ts";
import { listStockSupplierIds, type SupplierRow } from "../queries.ts";
import { findRoute, type RouteRow, upsertRoute } from "../route-queries.ts";
import { parseCost } from "../set-route.ts";
import { RATE_PER_SECOND_DEFAULT, storeSupplier } from "../store-supplier.ts";
import { stockKind } from "./stock-kind.ts";

const SUPPLIER_NAME = "Stock";
/** Of the route of a product that has no other. What is paid for is sold before anything is bought. */
const ROUTE_PRIORITY = 100;

/** Where imported codes go, and what one of them cost. A missing supplier or route is created with the first code. */
export type StockTarget = {
  productId: string;
  supplierId: string | undefined;
  route: RouteRow | undefined;
  cost: Cost;
  /** The cost was given: from now on the route has it too, so that prices follow. */
  isCostGiven: boolean;
};

type Cost = Pick<RouteRow, "costMinor" | "costCurrency">;

export type StockTargetInput = {
  productId: string;
  supplierId?: string | undefined;
  /** What one code cost. By default what the route says. */
  cost?: string | undefined;
  /** Of the cost. By default the currency of the route's cost, or the product's. */
  currency?: string | undefined;
};

/** Finds the supplier for codes of a product: the named one, or the only possible one. */
export async function findStockTarget(tx: Queryable, input: StockTargetInput): Promise<StockTarget> {
  const { productId } = input;
  if (input.cost === undefined && input.currency !== undefined)
    throw new RangeError("--currency is the currency of --cost; give both");
  const productCurrency = await getProductCurrency(tx, productId);
  const supplierId =
    input.supplierId === undefined
      ? await findOnlySupplier(tx, productId)
      : await checkSupplier(tx, input.supplierId);
  const route = supplierId === undefined ? undefined : await findRoute(tx, { productId, supplierId });
  const currency = input.currency ?? route?.costCurrency ?? productCurrency;
  const cost = input.cost === undefined ? (route ?? NO_COST) : parseCost(input.cost, currency);
  const { costMinor, costCurrency } = cost;
  const isCostGiven = input.cost !== undefined;
  return { productId, supplierId, route, cost: { costMinor, costCurrency }, isCostGiven };
}

const NO_COST: Cost = { costMinor: null, costCurrency: null };

async function checkSupplier(tx: Queryable, id: string): Promise<string> {
  const { hasOwnStock } = await getSupplier(tx, id);
  if (!hasOwnStock)
    throw new RangeError(`${id} has no stock; codes can only be imported for a stock supplier`);
  return id;
}

async function findOnlySupplier(tx: Queryable, productId: string): Promise<string | undefined> {
  const routed = await listStockSupplierIds(tx, productId);
  const [only, another] = routed.length > 0 ? routed : await listStockSupplierIds(tx);
  if (another === undefined) return only;
  const where = routed.length > 0 ? `${productId} has routes to several` : "there are several";
  throw new RangeError(`${where} stock suppliers; say which with --supplier (see: scrip supplier list)`);
}

export type OpenedStockTarget = { supplierId: string; supplierMade?: string; routeMade?: RouteRow };

/** Creates the supplier and the route if they are missing, and gives the route a cost that was given. */
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
  if (target.route) {
    if (target.isCostGiven) await upsertRoute(tx, { ...target.route, ...cost }, now);
    return opened;
  }
  const routeMade = {
    productId,
    supplierId,
    priority: Math.max(0, Math.min(ROUTE_PRIORITY, (await findFirstPriority(tx, productId)) - 1)),
    ...cost,
    maxCostMinor: null,
    sku: productId,
    value: null,
    fieldMap: null,
  };
  await upsertRoute(tx, routeMade, now);
  return { ...opened, routeMade };
}

async function findFirstPriority(tx: Tx, productId: string): Promise<number> {
  const [row] = await tx.rows<{ priority: number | null }>(
    sql`select min(priority) as priority from supplier_routes where product_id = ${productId}`,
  );
  return row?.priority ?? Number.POSITIVE_INFINITY;
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
