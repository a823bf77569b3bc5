import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";

/** Beyond this a page says "more than", and counting ends. */
export const COUNTED_MAX = 1_000;
/** How many of a kind are listed by name. */
const LISTED_MAX = 20;

export type Waiting = { count: number; oldestAt: Date | null };

/** Purchases whose outcome has not been known since before that time, and that nobody has written off. */
export const countUnknown = async (db: Queryable, openedBefore: Date): Promise<Waiting> => {
  const [row] = await db.rows<Waiting>(sql`
    select count(*)::integer as count, min(opened_at) as "oldestAt"
    from (
      select opened_at from supplier_attempts
      where status = 'open' and opened_at < ${openedBefore} and written_off_at is null
      order by opened_at limit ${COUNTED_MAX + 1}
    ) a`);
  return row ?? { count: 0, oldestAt: null };
};

/** Orders whose refund waits for a person. */
export const countHeld = async (db: Queryable, environment: Tenant["environment"]): Promise<Waiting> => {
  const [row] = await db.rows<Waiting>(sql`
    select count(*)::integer as count, min(created_at) as "oldestAt"
    from (
      select created_at from orders
      where refund_held and environment = ${environment} and status in ('processing', 'failed')
      order by id limit ${COUNTED_MAX + 1}
    ) o`);
  return row ?? { count: 0, oldestAt: null };
};

/** What a shop needs before its first order, in the order in which it is set up. */
export type Missing = "supplier" | "product" | "price" | "reseller";

export const listMissing = async (db: Queryable): Promise<Missing[]> => {
  const [row] = await db.rows<Record<Missing, boolean>>(sql`
    select exists (select from suppliers) as supplier, exists (select from products) as product,
           exists (select from list_prices) or exists (select from reseller_prices) as price,
           exists (select from resellers) as reseller`);
  return (["supplier", "product", "price", "reseller"] as const).filter((one) => row?.[one] === false);
};

export type TroubledSupplier = {
  id: string;
  name: string;
  /** paused: its circuit is open. disabled: nothing is bought there, and products are routed to it. */
  state: "paused" | "failing" | "disabled";
  /** Why it is disabled, where that is known. */
  reason: string | null;
  openUntil: Date | null;
  failures: number;
};

export const listTroubledSuppliers = (db: Queryable, now: Date) =>
  db.rows<TroubledSupplier>(sql`
    select s.id, s.name, s.open_until as "openUntil", s.consecutive_failures as failures,
           case when not s.enabled then 'disabled' when s.open_until > ${now} then 'paused' else 'failing' end as state,
           case when not s.enabled then s.disabled_reason end as reason
    from suppliers s
    where s.enabled and (s.open_until > ${now} or s.consecutive_failures > 1)
      or not s.enabled and exists (select from supplier_routes r where r.supplier_id = s.id)
    order by s.enabled desc, s.consecutive_failures desc, s.id limit ${LISTED_MAX}`);

export type SoldOut = { id: string; name: string };

/** Products on sale that no supplier can deliver now. */
export const listSoldOut = (db: Queryable) =>
  db.rows<SoldOut>(sql`
    select p.id, p.name
    from product_supply s join products p on p.id = s.product_id
    where s.state = 'empty' and p.active and not p.hidden
      and exists (select from supplier_routes r where r.product_id = p.id)
    order by p.id limit ${LISTED_MAX}`);

export type RunningOut = { id: string; name: string; inStock: number; soldUnits: bigint };

/**
 * Products sold from stock that has less than so many days' worth of codes, at the rate at which units were delivered since a
 * day. Codes are counted only as far as the answer needs.
 */
export const listRunningOut = (
  db: Queryable,
  since: Date,
  { days, rateDays }: { days: number; rateDays: number },
) =>
  db.rows<RunningOut>(sql`
    select p.id, p.name, c.in_stock as "inStock", s.units as "soldUnits"
    from (
      select member as product_id, sum(delivered_units)::bigint as units from report_slices
      where dimension = 'product' and environment = 'live' and at >= ${since} group by member
    ) s
    join products p on p.id = s.product_id
    cross join lateral (
      select count(*)::integer as in_stock
      from (
        select from codes c where c.product_id = p.id and c.state = 'stock'
        -- The order of the index, as in suppliers/stock/stock-order.ts.
        order by c.product_id, c.supplier_id, c.expires_at, c.id limit s.units * ${days}::integer / ${rateDays}::integer + 1
      ) few
    ) c
    where s.units > 0 and p.active and not p.hidden and c.in_stock > 0
      and c.in_stock * ${rateDays}::integer < s.units * ${days}::integer
      and exists (
        select from supplier_routes r join suppliers u on u.id = r.supplier_id
        where r.product_id = p.id and u.has_own_stock and u.enabled
      )
    order by c.in_stock::numeric / s.units, p.id limit ${LISTED_MAX}`);

export type FailingEndpoint = {
  id: string;
  url: string;
  resellerId: string;
  reseller: string;
  active: boolean;
  failingSince: Date;
};

/** Endpoints of all resellers whose deliveries all fail, or that were disabled because of it. */
export const listFailingEndpoints = (db: Queryable, environment: Tenant["environment"]) =>
  db.rows<FailingEndpoint>(sql`
    select e.id, e.url, e.reseller_id as "resellerId", r.name as reseller, e.active, e.failing_since as "failingSince"
    from webhook_endpoints e join resellers r on r.id = e.reseller_id
    where e.failing_since is not null and e.deleted_at is null and e.environment = ${environment}
    order by e.active desc, e.failing_since limit ${LISTED_MAX}`);

export type QueueDepth = { dueOrders: number; oldestDueAt: Date | null; waitingDeliveries: number };

/** What the workers have before them, counted up to a limit. */
export const readQueues = async (db: Queryable, now: Date): Promise<QueueDepth> => {
  const [row] = await db.rows<QueueDepth>(sql`
    select (select count(*)::integer from (
             select from order_work where due_at <= ${now} limit ${COUNTED_MAX + 1}) w) as "dueOrders",
           (select min(due_at) from order_work where due_at <= ${now}) as "oldestDueAt",
           (select count(*)::integer from (
             select from deliveries where status = 'pending' limit ${COUNTED_MAX + 1}) d) as "waitingDeliveries"`);
  return row ?? { dueOrders: 0, oldestDueAt: null, waitingDeliveries: 0 };
};
