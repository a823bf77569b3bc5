import sql, { type Sql } from "sql-template-tag";

const HOUR_MS = 3_600_000;
/** How long a purchase can go without an outcome before someone must look. */
const UNKNOWN_MS = HOUR_MS;

/** One subject for each order, the oldest first. What was written off is settled for the operator. */
export const findUnknownPurchases = (now: Date, limit: number): Sql => sql`
  select order_id as subject,
         jsonb_build_object('orderId', order_id, 'purchases', count(*), 'since', min(opened_at),
                            'sold', count(*) filter (where told_state = 'sold'),
                            'pending', count(*) filter (where told_state = 'pending'),
                            'productId', min(product_id), 'productName', min(p.name)) as facts
  from supplier_attempts join products p on p.id = product_id
  where status = 'open' and written_off_at is null and opened_at <= ${new Date(now.getTime() - UNKNOWN_MS)}
  group by order_id
  order by min(opened_at), order_id limit ${limit}`;

/** Purchases that their supplier does not find and that are not decided by themselves, by supplier. */
export const findNotFoundPurchases = (_now: Date, limit: number): Sql => sql`
  select supplier_id as subject,
         jsonb_build_object('supplierId', supplier_id, 'purchases', count(*), 'since', min(opened_at)) as facts
  from supplier_attempts
  where status = 'open' and written_off_at is null and not_found_state in ('books_differ', 'too_many')
  group by supplier_id
  order by supplier_id limit ${limit}`;

/**
 * Orders whose units have all ended and whose refund waits for the operator. An order of the sandbox rests there when a test
 * asks for it.
 */
export const findHeldRefunds = (_now: Date, limit: number): Sql => sql`
  select id as subject,
         jsonb_build_object('orderId', id, 'resellerId', reseller_id, 'since', updated_at, 'totalMinor', total_minor,
                            'currency', currency, 'resellerName', (select name from resellers where id = reseller_id)) as facts
  from orders
  where refund_held and environment = 'live' and (status = 'failed' or (status = 'processing' and open_units = 0))
  order by id limit ${limit}`;

/** Disabled because it failed for days. One that its owner switched off is none. */
export const findDisabledEndpoints = (_now: Date, limit: number): Sql => sql`
  select id as subject, jsonb_build_object('endpointId', id, 'resellerId', reseller_id, 'since', updated_at,
         'resellerName', (select r.name from resellers r where r.id = reseller_id)) as facts
  from webhook_endpoints
  where notified = 'disabled' and deleted_at is null and not active and environment = 'live'
  order by id limit ${limit}`;

/** Frozen because it spent far more than usual. A key that has been revoked since is settled. */
export const findFrozenKeys = (now: Date, limit: number): Sql => sql`
  select id as subject, jsonb_build_object('keyId', id, 'keyName', name, 'resellerId', reseller_id, 'since', frozen_at,
         'resellerName', (select r.name from resellers r where r.id = reseller_id)) as facts
  from api_keys
  where frozen_at is not null and revoked_at is null and (expires_at is null or expires_at > ${now}) and environment = 'live'
  order by frozen_at, id limit ${limit}`;
