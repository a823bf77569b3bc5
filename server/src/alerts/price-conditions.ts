import sql, { type Sql } from "sql-template-tag";

export type AlertSettings = {
  /** More products than this that leave the shop within an hour raise an alert. */
  productsLeftMax: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Prices by rule that are withheld because an exchange rate is too old or missing: one alert for all of them. */
export const findStaleRates = (_now: Date, limit: number): Sql => sql`
  select 'rates' as subject, jsonb_build_object('products', products, 'since', since) as facts
  from (
    select count(distinct product_id)::integer as products, min(withheld_at) as since
    from withheld_prices where reason in ('rate_stale', 'rate_missing')
  ) stale
  where products > 0 limit ${limit}`;

/** Products whose price was raised to the floor: the rule alone would sell them below cost and margin. */
export const findFloorPrices = (_now: Date, limit: number): Sql => sql`
  select product_id as subject, jsonb_build_object('productId', product_id, 'productName', p.name) as facts
  from (
    select product_id from list_prices where at_floor
    union
    select product_id from reseller_prices where at_floor
  ) floored join products p on p.id = product_id
  order by product_id limit ${limit}`;

/** Products of which a unit was refunded within a day, because every supplier would have sold it at a loss. */
export const findLossStops = (now: Date, limit: number): Sql => sql`
  select product_id as subject,
         jsonb_build_object('productId', product_id, 'productName', p.name, 'orderId', order_id, 'stoppedAt', stopped_at) as facts
  from loss_stops join products p on p.id = product_id
  where stopped_at > ${new Date(now.getTime() - DAY_MS)}
  order by stopped_at, product_id limit ${limit}`;

/** Products that left the shop within an hour, for whatever cause, and have not come back: one alert for more than so many. */
export const findLeftProducts = (now: Date, limit: number, { productsLeftMax }: AlertSettings): Sql => sql`
  select 'sale' as subject, jsonb_build_object('products', products, 'since', since) as facts
  from (
    select count(distinct product_id)::integer as products, min(since) as since
    from not_for_sale where left_sale and since > ${new Date(now.getTime() - HOUR_MS)}
  ) gone
  where products > ${productsLeftMax} limit ${limit}`;
