import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

/** How purchases went. Times are from the first call to the outcome. */
export type PurchaseHealth = {
  purchases: number;
  delivered: number;
  refused: number;
  quarantined: number;
  /** The supplier never took them. */
  notMade: number;
  open: number;
  /** Purchases of which an answer was lost. */
  doubtful: number;
  medianMs: number | null;
  p95Ms: number | null;
};

const SUPPLIERS_MAX = 500;

export type RefusalCount = { failureCode: string; count: number };

const summary = sql`
  count(*)::integer as purchases,
  (count(*) filter (where status = 'delivered'))::integer as delivered,
  (count(*) filter (where status = 'refused'))::integer as refused,
  (count(*) filter (where status = 'quarantined'))::integer as quarantined,
  (count(*) filter (where status = 'not_made'))::integer as "notMade",
  (count(*) filter (where status = 'open'))::integer as open,
  (count(*) filter (where doubtful))::integer as doubtful,
  round(extract(epoch from percentile_cont(0.5) within group (order by resolved_at - opened_at)
    filter (where status = 'delivered')) * 1000)::integer as "medianMs",
  round(extract(epoch from percentile_cont(0.95) within group (order by resolved_at - opened_at)
    filter (where status = 'delivered')) * 1000)::integer as "p95Ms"`;

const NOTHING: PurchaseHealth = {
  ...{ purchases: 0, delivered: 0, refused: 0, quarantined: 0, notMade: 0, open: 0, doubtful: 0 },
  ...{ medianMs: null, p95Ms: null },
};

export type LastError = { errorClass: string; at: Date };

export type SupplierHealth = {
  health: PurchaseHealth;
  /** The newest answer that proved nothing, such as `timeout`, as a class of our own. */
  lastError: LastError | undefined;
  /** Why purchases were refused. */
  refusals: RefusalCount[];
};

/** The newest purchases at a supplier since a time, read once, at most so many: the cost does not grow with the history. */
export const readSupplierHealth = async (
  db: Queryable,
  supplierId: string,
  since: Date,
  limit: number,
): Promise<SupplierHealth> => {
  const [row] = await db.rows<
    PurchaseHealth & { errorClass: string | null; errorAt: Date | null; refusals: RefusalCount[] }
  >(sql`
    with newest as materialized (
      select status, doubtful, opened_at, resolved_at, failure_code, send_answer, look_answer, looked_at, last_sent_at
      from supplier_attempts where supplier_id = ${supplierId} and opened_at >= ${since}
      order by opened_at desc limit ${limit}
    ), error as (
      select told.answer, told.at from newest
      cross join lateral (
        values (newest.send_answer, coalesce(newest.last_sent_at, newest.opened_at)), (newest.look_answer, newest.looked_at)
      ) as told (answer, at)
      where told.answer not in ('delivered', 'accepted', 'refused', 'not_found')
      order by told.at desc limit 1
    )
    select s.*, error.answer as "errorClass", error.at as "errorAt", coalesce((
      select json_agg(json_build_object('failureCode', failure_code, 'count', count) order by count desc, failure_code)
      from (select failure_code, count(*) from newest where failure_code is not null group by failure_code) r
    ), '[]') as refusals
    from (select ${summary} from newest) s left join error on true`);
  if (!row) return { health: NOTHING, lastError: undefined, refusals: [] };
  const { errorClass, errorAt, refusals, ...health } = row;
  const lastError = errorClass === null || errorAt === null ? undefined : { errorClass, at: errorAt };
  return { health, lastError, refusals };
};

export type SupplierVitals = {
  id: string;
  purchases: number;
  delivered: number;
  medianMs: number | null;
  p95Ms: number | null;
  isOpen: boolean;
};

/** How each supplier that is called does, by the newest purchases since a time. */
export const listSupplierVitals = (db: Queryable, since: Date, now: Date, limit: number) =>
  db.rows<SupplierVitals>(sql`
    select s.id, newest.purchases, newest.delivered, newest."medianMs", newest."p95Ms",
           coalesce(s.open_until > ${now}, false) as "isOpen"
    from suppliers s
    cross join lateral (
      select ${summary} from (
        select status, doubtful, opened_at, resolved_at from supplier_attempts
        where supplier_id = s.id and opened_at >= ${since}
        order by opened_at desc limit ${limit}
      ) purchases
    ) newest
    where not s.has_own_stock
    order by s.id limit ${SUPPLIERS_MAX}`);

/** The same for one product, among the newest purchases of each supplier that has a route for it. */
export const readProductHealth = async (
  db: Queryable,
  productId: string,
  since: Date,
  limit: number,
): Promise<PurchaseHealth> => {
  const [row] = await db.rows<PurchaseHealth>(sql`
    select ${summary} from supplier_routes r
    cross join lateral (
      select product_id, status, doubtful, opened_at, resolved_at from supplier_attempts a
      where a.supplier_id = r.supplier_id and a.opened_at >= ${since}
      order by a.opened_at desc limit ${limit}
    ) newest
    where r.product_id = ${productId} and newest.product_id = ${productId}`);
  return row ?? NOTHING;
};

export type RecentPurchase = {
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  productId: string;
  status: "open" | "delivered" | "refused" | "quarantined" | "not_made";
  failureCode: string | null;
  doubtful: boolean;
  sends: number;
  looks: number;
  openedAt: Date;
  resolvedAt: Date | null;
};

export const listRecentPurchases = (db: Queryable, supplierId: string, limit: number) =>
  db.rows<RecentPurchase>(sql`
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", product_id as "productId", status,
           failure_code as "failureCode", doubtful, sends, looks, opened_at as "openedAt", resolved_at as "resolvedAt"
    from supplier_attempts where supplier_id = ${supplierId}
    order by opened_at desc limit ${limit}`);

export type SupplierSummary = {
  id: string;
  kind: string;
  name: string;
  enabled: boolean;
  hasOwnStock: boolean;
  consecutiveFailures: number;
  openUntil: Date | null;
  routes: number;
  openPurchases: number;
  balanceMinor: bigint | null;
  balanceCurrency: string | null;
  balanceAt: Date | null;
  balanceLowMinor: bigint | null;
};

/** Every supplier in a line. It counts no stock: that of a large one takes long. */
export const listSupplierSummaries = (db: Queryable) =>
  db.rows<SupplierSummary>(sql`
    select s.id, s.kind, s.name, s.enabled, s.has_own_stock as "hasOwnStock",
           s.consecutive_failures as "consecutiveFailures", s.open_until as "openUntil",
           (select count(*) from supplier_routes r where r.supplier_id = s.id)::integer as routes,
           coalesce(waiting.count, 0)::integer as "openPurchases", s.balance_minor as "balanceMinor",
           s.balance_currency as "balanceCurrency", s.balance_at as "balanceAt", s.balance_low_minor as "balanceLowMinor"
    from suppliers s
    left join (
      select a.supplier_id, count(*) as count from supplier_attempts a where a.status = 'open' group by a.supplier_id
    ) waiting on waiting.supplier_id = s.id
    order by s.name limit ${SUPPLIERS_MAX}`);
