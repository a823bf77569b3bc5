import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { KnownRoute } from "../buy/choose-routes.ts";
import type { Lease } from "../settle/settle-queries.ts";
import type { Attempt, DueUnit, TakenOrder } from "./order-work.ts";

export type Claim = {
  token: string;
  now: Date;
  leasedUntil: Date;
  limit: number;
  /** No further order is taken once those before it have so many units. */
  unitsMax: number;
};

/** Takes orders that are due. Rows that another worker has locked are skipped. */
export const claimDueOrders = (db: Queryable, claim: Claim): Promise<string[]> =>
  claimOrders(
    db,
    claim,
    "claim-due-orders",
    sql`
    select order_id, due_at from order_work where due_at <= ${claim.now} order by due_at limit ${claim.limit}
    for update skip locked`,
  );

/** Takes orders that this transaction has locked. */
export const claimLocked = (tx: Tx, ids: readonly string[], claim: Claim): Promise<string[]> =>
  claimOrders(
    tx,
    claim,
    "claim-locked-orders",
    sql`
    select order_id, due_at from order_work where order_id = any(${ids})`,
  );

/** Writes the lease and, for new orders, the status and the units. */
async function claimOrders(db: Queryable, claim: Claim, name: string, locked: Sql): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`
      with locked as materialized (${locked}
      ), due as materialized (
        select order_id from (
          select l.order_id, sum(o.total) over (order by l.due_at, l.order_id) - o.total as before
          from locked l
          cross join lateral (
            select sum(quantity) as total from order_lines where order_id = l.order_id
          ) o
        ) counted
        where before < ${claim.unitsMax}
      ), leased as (
        update order_work w set due_at = ${claim.leasedUntil}, lease_token = ${claim.token}::uuid, claims = w.claims + 1
        from due where w.order_id = due.order_id
        returning w.order_id
      ), begun as (
        update orders o
        set status = 'processing', processing_at = ${claim.now}, updated_at = greatest(o.updated_at, ${claim.now}),
            open_units = (select sum(l.quantity) from order_lines l where l.order_id = o.id)
        from leased where o.id = leased.order_id and o.status = 'pending'
        returning o.id, o.environment
      ), made as (
        insert into order_units (order_id, line_index, unit_index, environment, due_at)
        select o.id, l.line_index, unit_index, o.environment, ${claim.now}
        from begun o
        join order_lines l on l.order_id = o.id
        cross join generate_series(0, l.quantity - 1) as unit_index
      )
      select order_id as id from leased`,
    { name },
  );
  return rows.map((row) => row.id);
}

type UnitRow = Omit<TakenOrder, "units"> & {
  unit:
    | (Omit<DueUnit, "orderId" | "attempts" | "unitPriceMinor"> & {
        attempts: AttemptRow[] | null;
        unitPriceMinor: number;
      })
    | null;
};
type JsonAmounts = { costMinor: number | null; maxCostMinor: number | null; priceMinor: number | null };
type JsonTimes = { lastSentAt: string | null; notFoundSince: string | null };
type AttemptRow = Omit<Attempt, keyof JsonTimes | keyof JsonAmounts> & JsonAmounts & JsonTimes;

/** The orders with those of their units that are due, at most so many of each. */
export async function readTakenOrders(
  db: Queryable,
  ids: readonly string[],
  now: Date,
  unitsMax: number,
): Promise<TakenOrder[]> {
  const rows = await db.rows<UnitRow>(
    sql`
      select o.id, o.reseller_id as "resellerId", o.environment, o.status, o.idempotency_key as "idempotencyKey",
             o.currency, o.test_scenario as scenario, o.created_at as "createdAt", o.all_or_nothing as "allOrNothing",
             o.all_or_nothing and exists (
               select from order_units f where f.order_id = o.id and f.status in ('failed', 'refunded')
             ) as "isDoomed", u.unit
      from unnest(${ids}::text[]) as asked (id)
      join orders o on o.id = asked.id
      left join lateral (
        select json_build_object(
          'lineIndex', due.line_index, 'unitIndex', due.unit_index, 'productId', l.product_id,
          'unitPriceMinor', l.unit_price_minor, 'productType', p.type, 'inputFields', l.input_fields,
          'isLast', case when o.test_scenario is not null then
              (due.line_index, due.unit_index) = (select line_index, quantity - 1 from order_lines
                where order_id = o.id order by line_index desc limit 1)
            else false end,
          'attempts', (
            select json_agg(json_build_object(
              'number', a.number, 'supplierId', a.supplier_id, 'sku', a.sku, 'value', a.buy_value,
              'fieldMap', a.field_map, 'status', a.status,
              'failureCode', a.failure_code, 'upstreamId', a.upstream_id, 'doubtful', a.doubtful,
              'doubtedFailureCode', a.doubted_failure_code, 'sends', a.sends, 'looks', a.looks,
              'notFoundLooks', a.not_found_looks, 'notFoundSince', a.not_found_since, 'notFoundState', a.not_found_state,
              'toldState', a.told_state,
              'lastSentAt', a.last_sent_at, 'costMinor', a.cost_minor, 'maxCostMinor', a.max_cost_minor,
              'costCurrency', a.cost_currency, 'priceMinor', a.supplier_price_minor,
              'priceCurrency', a.supplier_price_currency) order by a.number)
            from supplier_attempts a
            where a.order_id = due.order_id and a.line_index = due.line_index and a.unit_index = due.unit_index
          )) as unit
        from (
          select order_id, line_index, unit_index from order_units
          where order_id = o.id and status = 'waiting' and due_at <= ${now}
          order by due_at, line_index, unit_index limit ${unitsMax}
        ) due
        join order_lines l on l.order_id = due.order_id and l.line_index = due.line_index
        join products p on p.id = l.product_id
      ) u on true`,
    { name: "read-taken-orders" },
  );
  const orders = new Map<string, TakenOrder>();
  for (const { unit, ...order } of rows) {
    const taken = orders.get(order.id) ?? { ...order, units: [] };
    orders.set(order.id, taken);
    if (unit)
      taken.units.push({
        ...unit,
        orderId: order.id,
        unitPriceMinor: BigInt(unit.unitPriceMinor),
        attempts: (unit.attempts ?? []).map(toAttempt),
      });
  }
  for (const { units } of orders.values()) {
    units.sort((a, b) => a.lineIndex - b.lineIndex || a.unitIndex - b.unitIndex);
  }
  return [...orders.values()];
}

const toAttempt = (row: AttemptRow): Attempt => ({
  ...row,
  lastSentAt: toDate(row.lastSentAt),
  notFoundSince: toDate(row.notFoundSince),
  costMinor: toBigInt(row.costMinor),
  maxCostMinor: toBigInt(row.maxCostMinor),
  priceMinor: toBigInt(row.priceMinor),
});

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Amounts are safe integers, as constraints of their columns say. */
const toBigInt = (amount: number | null): bigint | null => (amount === null ? null : BigInt(amount));

/** A balance that was read longer ago says nothing about now. */
const BALANCE_MAX_AGE_MS = 15 * 60_000;

/** The routes of these products that are not paused. A synced one may cost more by the supplier's headroom. */
export const listRoutes = (db: Queryable, productIds: readonly string[], now: Date) =>
  db.rows<KnownRoute>(
    sql`
      select r.product_id as "productId", r.supplier_id as "supplierId", s.has_own_stock as "hasOwnStock", r.sku,
             r.buy_value as value, r.field_map as "fieldMap", r.cost_minor as "costMinor",
             r.max_cost_minor as "maxCostMinor", case when r.synced then s.headroom_bp end as "headroomBp",
             r.cost_currency as "costCurrency", coalesce(s.open_until > ${now}, false) as paused,
             p.routing, r.priority, s.consecutive_failures as failures, s.balance_currency as "balanceCurrency",
             case when s.balance_at > ${new Date(now.getTime() - BALANCE_MAX_AGE_MS)} then s.balance_minor end as "balanceMinor"
      from supplier_routes r
      join suppliers s on s.id = r.supplier_id
      join products p on p.id = r.product_id
      where r.product_id = any(${productIds}) and s.enabled and r.paused_at is null
      order by r.product_id, r.priority, r.supplier_id`,
    { name: "list-routes" },
  );

/** The price is worked out again too. Stock that was sold and is still marked notes the product once more when its mark is changed. */
export const upsertLossStops = (
  db: Queryable,
  stops: readonly { productId: string; orderId: string }[],
  now: Date,
) =>
  db.rows(sql`
    with stops as (
      select product_id, order_id from unnest(
        ${stops.map((one) => one.productId)}::text[], ${stops.map((one) => one.orderId)}::text[]
      ) as one (product_id, order_id)
    ), noted as (
      insert into price_changes (product_id) select product_id from stops
    )
    insert into loss_stops (product_id, order_id, stopped_at)
    select product_id, order_id, ${now} from stops
    order by product_id
    on conflict (product_id) do update set order_id = excluded.order_id, stopped_at = excluded.stopped_at`);

/**
 * Moves the leases of orders that are still being worked on ahead. Orders that another worker has taken stay as they are;
 * those that are being settled at this moment are passed over, because whoever waited for one while holding another could
 * meet a settlement that waits the other way round.
 */
export const renewLeases = (db: Queryable, leases: readonly Lease[], leasedUntil: Date) =>
  db.rows(sql`
    update order_work w set due_at = ${leasedUntil} from (${lockLeased(leases)}) mine where w.order_id = mine.order_id`);

/** Gives orders back that were taken and not worked on: they are due at once. */
export const returnLeases = (db: Queryable, leases: readonly Lease[], now: Date) =>
  db.rows(sql`
    update order_work w set due_at = ${now}, lease_token = null
    from (${lockLeased(leases)}) mine where w.order_id = mine.order_id`);

const lockLeased = (leases: readonly Lease[]): Sql => sql`
  select w.order_id
  from unnest(${leases.map((one) => one.orderId)}::text[], ${leases.map((one) => one.token)}::uuid[])
    as mine (order_id, token)
  join order_work w on w.order_id = mine.order_id and w.lease_token = mine.token
  order by w.order_id
  for update of w skip locked`;
