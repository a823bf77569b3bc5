import type { Queryable } from "../db/database.ts";
import { getSupplier } from "./get-supplier.ts";
import {
  listRecentPurchases,
  type PurchaseHealth,
  type RecentPurchase,
  readProductHealth,
  readSupplierHealth,
  type SupplierHealth,
} from "./health-queries.ts";
import { getNotFoundRule, type NotFoundRule } from "./look-ups/not-found-rule.ts";
import { getPriceGuard, type PriceGuard } from "./overcharges/price-limits.ts";
import { findBreaker, type SupplierBreaker, type SupplierRow } from "./queries.ts";
import { type BalanceState, findBalance } from "./read-balances.ts";
import { type ListedRouteRow, listRouteRows } from "./route-queries.ts";

const HEALTH_DAYS = 7;
const DAY_MS = 86_400_000;
/** The newest purchases that are looked at. */
export const HEALTH_MAX = 1_000;
const RECENT_MAX = 50;
const ROUTES_SHOWN_MAX = 200;

export type SupplierDetails = SupplierRow &
  SupplierHealth & {
    breaker: SupplierBreaker;
    guard: PriceGuard;
    balance: BalanceState;
    /** Undefined for one with our own stock: nothing is looked up there. */
    notFound: NotFoundRule | undefined;
    recent: RecentPurchase[];
    routes: ListedRouteRow[];
    pausedRoutes: ListedRouteRow[];
  };

/** All that the operator sees of a supplier. It reads no more than the newest purchases of a week. */
export async function getSupplierDetails(db: Queryable, id: string, now: Date): Promise<SupplierDetails> {
  const supplier = await getSupplier(db, id);
  const since = new Date(now.getTime() - HEALTH_DAYS * DAY_MS);
  const routeFilter = { productId: undefined, supplierId: id, after: undefined, limit: ROUTES_SHOWN_MAX };
  return {
    ...supplier,
    breaker: (await findBreaker(db, id)) ?? { consecutiveFailures: 0, openUntil: null },
    guard: await getPriceGuard(db, id),
    balance: (await findBalance(db, id)) ?? NO_BALANCE,
    ...(await readSupplierHealth(db, id, since, HEALTH_MAX)),
    notFound: supplier.hasOwnStock ? undefined : await getNotFoundRule(db, id),
    recent: await listRecentPurchases(db, id, RECENT_MAX),
    routes: await listRouteRows(db, routeFilter),
    pausedRoutes: await listRouteRows(db, { ...routeFilter, paused: true }),
  };
}

const NO_BALANCE: BalanceState = { balanceMinor: null, currency: null, balanceAt: null, lowMinor: null };

/** How the purchases of a product went in the last week. */
export const getProductHealth = (db: Queryable, productId: string, now: Date): Promise<PurchaseHealth> =>
  readProductHealth(db, productId, new Date(now.getTime() - HEALTH_DAYS * DAY_MS), HEALTH_MAX);
