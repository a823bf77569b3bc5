import sql, { empty } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

export type RouteRow = {
  productId: string;
  supplierId: string;
  priority: number;
  costMinor: bigint | null;
  costCurrency: string | null;
  /** The maximum price of a unit from a supplier that is called. Null means the cost is the maximum. */
  maxCostMinor: bigint | null;
  sku: string;
  /** The face value that is bought, where the supplier lets the buyer choose. */
  value: string | null;
  /** Our names of input fields, and what the supplier calls them. Others keep their names. */
  fieldMap: Readonly<Record<string, string>> | null;
};

const routeColumns = sql`
  product_id as "productId", supplier_id as "supplierId", priority, cost_minor as "costMinor",
  cost_currency as "costCurrency", max_cost_minor as "maxCostMinor", sku, buy_value as value,
  field_map as "fieldMap"`;

export type RouteKey = Pick<RouteRow, "productId" | "supplierId">;

export const findRoute = async (db: Queryable, key: RouteKey): Promise<RouteRow | undefined> => {
  const [row] = await db.rows<RouteRow>(sql`
    select ${routeColumns} from supplier_routes
    where product_id = ${key.productId} and supplier_id = ${key.supplierId}`);
  return row;
};

export const upsertRoute = (db: Queryable, route: RouteRow, now: Date) =>
  db.rows(sql`
    insert into supplier_routes as r (product_id, supplier_id, priority, cost_minor, cost_currency, max_cost_minor, sku,
                                 buy_value, field_map, updated_at)
    values (${route.productId}, ${route.supplierId}, ${route.priority}, ${route.costMinor}, ${route.costCurrency},
            ${route.maxCostMinor}, ${route.sku}, ${route.value}, ${mapText(route)}::jsonb, ${now})
    on conflict (product_id, supplier_id) do update
      set priority = excluded.priority, cost_minor = excluded.cost_minor, cost_currency = excluded.cost_currency,
          max_cost_minor = excluded.max_cost_minor, sku = excluded.sku, buy_value = excluded.buy_value,
          field_map = excluded.field_map, updated_at = excluded.updated_at,
          synced = r.synced and (r.cost_minor, r.cost_currency) is not distinct from (excluded.cost_minor, excluded.cost_currency)`);

const mapText = ({ fieldMap }: RouteRow): string | null =>
  fieldMap === null ? null : JSON.stringify(fieldMap);

export const deleteRoute = async (db: Queryable, key: RouteKey): Promise<RouteRow | undefined> => {
  const [row] = await db.rows<RouteRow>(sql`
    delete from supplier_routes where product_id = ${key.productId} and supplier_id = ${key.supplierId}
    returning ${routeColumns}`);
  return row;
};

export type RouteFilter = {
  productId: string | undefined;
  supplierId: string | undefined;
  /** Only those that are paused. */
  paused?: boolean;
  after: RouteKey | undefined;
  limit: number;
};

/** A unit of the route cost more than its limit. Nothing is bought by the route until a person enables it. */
export type RoutePause = {
  pausedAt: Date;
  expectedMinor: bigint;
  chargedMinor: bigint;
  currency: string;
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  attempt: number;
};

export type ListedRouteRow = RouteRow & {
  productName: string;
  faceValue: { amount: string; currency: string; unit: string; isMoney: boolean };
  supplierName: string;
  supplierEnabled: boolean;
  /** The supplier's headroom, where the cost comes from its catalog. */
  headroomBp: number | null;
  pause: RoutePause | null;
};

type PausedRow = Omit<ListedRouteRow, "pause"> & { [Name in keyof RoutePause]: RoutePause[Name] | null };

/** Routes by product, within one by supplier. */
export const listRouteRows = async (db: Queryable, filter: RouteFilter): Promise<ListedRouteRow[]> => {
  const rows = await db.rows<PausedRow>(sql`
    select ${routeColumns}, p.name as "productName",
           json_build_object('amount', p.face_value_amount, 'currency', p.face_value_currency,
                             'unit', p.face_value_unit, 'isMoney', p.face_value_is_money) as "faceValue",
           s.name as "supplierName", s.enabled as "supplierEnabled",
           case when r.synced then s.headroom_bp end as "headroomBp", r.paused_at as "pausedAt",
           r.paused_expected_minor as "expectedMinor", r.paused_charged_minor as "chargedMinor",
           r.paused_currency as currency, r.paused_order_id as "orderId", r.paused_line_index as "lineIndex",
           r.paused_unit_index as "unitIndex", r.paused_attempt as attempt
    from supplier_routes r join suppliers s on s.id = r.supplier_id join products p on p.id = r.product_id
    where (r.product_id, r.supplier_id) > (${filter.after?.productId ?? ""}, ${filter.after?.supplierId ?? ""})
      ${filter.productId === undefined ? empty : sql`and r.product_id = ${filter.productId}`}
      ${filter.supplierId === undefined ? empty : sql`and r.supplier_id = ${filter.supplierId}`}
      ${filter.paused ? sql`and r.paused_at is not null` : empty}
    order by r.product_id, r.supplier_id limit ${filter.limit}`);
  return rows.map(toListed);
};

function toListed(row: PausedRow): ListedRouteRow {
  const {
    pausedAt,
    expectedMinor,
    chargedMinor,
    currency,
    orderId,
    lineIndex,
    unitIndex,
    attempt,
    ...route
  } = row;
  const pause = { pausedAt, expectedMinor, chargedMinor, currency, orderId, lineIndex, unitIndex, attempt };
  // All or none are set: a constraint says so.
  return { ...route, pause: pausedAt === null ? null : (pause as RoutePause) };
}

export async function listProductCurrencies(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ id: string; currency: string }>(sql`
    select id, face_value_currency as currency from products where id = any(${ids}::text[])`);
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}

/** Every supplier's id and kind. */
export async function listKinds(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ id: string; kind: string }>(sql`select id, kind from suppliers`);
  return new Map(rows.map(({ id, kind }) => [id, kind]));
}

/** Routes of products by "product supplier". */
export async function listPresentRoutes(
  db: Queryable,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, RouteRow>> {
  const rows = await db.rows<RouteRow>(sql`
    select ${routeColumns} from supplier_routes where product_id = any(${productIds}::text[])`);
  return new Map(rows.map((row) => [`${row.productId} ${row.supplierId}`, row]));
}

/**
 * Writes what differs in one statement. `isSynced`: the costs come from the supplier's catalog, and get its headroom. Rows are written in the order of their key, so that two
 * imports do not deadlock.
 */
export async function mergeRoutes(
  tx: Queryable,
  routes: readonly RouteRow[],
  now: Date,
  isSynced = false,
): Promise<{ created: number; updated: number; unchanged: number }> {
  const merged = await tx.rows<{ isNew: boolean }>(sql`
    insert into supplier_routes as r
      (product_id, supplier_id, priority, cost_minor, cost_currency, max_cost_minor, sku, buy_value, field_map, updated_at,
       synced)
    select product_id, supplier_id, priority, cost_minor, cost_currency, max_cost_minor, sku, buy_value, field_map::jsonb,
           ${now}, ${isSynced}::boolean
    from unnest(
      ${routes.map((one) => one.productId)}::text[], ${routes.map((one) => one.supplierId)}::text[],
      ${routes.map((one) => one.priority)}::integer[], ${routes.map((one) => one.costMinor)}::bigint[],
      ${routes.map((one) => one.costCurrency)}::text[], ${routes.map((one) => one.maxCostMinor)}::bigint[],
      ${routes.map((one) => one.sku)}::text[], ${routes.map((one) => one.value)}::text[], ${routes.map(mapText)}::text[]
    ) as route (product_id, supplier_id, priority, cost_minor, cost_currency, max_cost_minor, sku, buy_value, field_map)
    order by product_id, supplier_id
    on conflict (product_id, supplier_id) do update
      set priority = excluded.priority, cost_minor = excluded.cost_minor, cost_currency = excluded.cost_currency,
          max_cost_minor = excluded.max_cost_minor, sku = excluded.sku, buy_value = excluded.buy_value,
          field_map = excluded.field_map, updated_at = excluded.updated_at, synced = excluded.synced
      where (r.priority, r.cost_minor, r.cost_currency, r.max_cost_minor, r.sku, r.buy_value, r.field_map)
        is distinct from (excluded.priority, excluded.cost_minor, excluded.cost_currency, excluded.max_cost_minor,
                          excluded.sku, excluded.buy_value, excluded.field_map)
    returning (xmax = 0) as "isNew"`);
  const created = merged.filter(({ isNew }) => isNew).length;
  return { created, updated: merged.length - created, unchanged: routes.length - merged.length };
}

export const listRoutedProductIds = async (db: Queryable, supplierId: string): Promise<string[]> => {
  const rows = await db.rows<{ productId: string }>(sql`
    select product_id as "productId" from supplier_routes where supplier_id = ${supplierId} order by product_id`);
  return rows.map(({ productId }) => productId);
};
