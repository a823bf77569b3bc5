import sql from "sql-template-tag";
import type { TestApp } from "../app/test-app.ts";
import { addProducts } from "../builders/builders.ts";
import { addSupplierRow } from "../builders/supply-builders.ts";
import { addEndpoint } from "../builders/webhook-builders.ts";

/** A month of a busy business in the roll-ups, without its orders, and some things that need a person. */
export async function fillMonth({ db }: Pick<TestApp, "db">, resellerId: string): Promise<void> {
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(sql`update suppliers set consecutive_failures = 7 where id = ${supplierId}`);
  await addProducts(db, [{ id: "steam-eu-25" }]);
  const endpointId = await addEndpoint(db, { resellerId, environment: "live" });
  await db.rows(
    sql`update webhook_endpoints set failing_since = now() - interval '26 h', failures = 9 where id = ${endpointId}`,
  );
  const hours = sql`generate_series(date_trunc('day', now()) - interval '29 days', now(), interval '1 hour') h`;
  await db.rows(sql`
    insert into report_orders (environment, hour, reseller_id, currency, orders, sold_minor, refunds, refunded_minor, completed, failed)
    select 'live', date_trunc('hour', h), ${resellerId}, 'USD', 900 + 300 * sin(extract(hour from h) / 4), 2400000, 9, 24000, 880, 9
    from ${hours}`);
  await db.rows(sql`
    insert into report_slices (dimension, environment, at, member, currency, cost_currency, sold_units, sold_minor,
                               delivered_units, delivered_minor, bought_units, cost_minor, converted_minor, costed_units)
    select d.dimension, 'live', date_trunc(d.unit, h), d.member, 'USD', 'USD', sum(1100), sum(2400000), sum(1090), sum(2380000),
           sum(1091), sum(2190000 + 90000 * sin(extract(hour from h) / 4))::bigint,
           sum(2190000 + 90000 * sin(extract(hour from h) / 4))::bigint, sum(1091)
    from ${hours}, (values ('reseller', ${resellerId}, 'hour'), ('supplier', ${supplierId}, 'hour'),
                           ('product', 'steam-eu-25', 'day')) d (dimension, member, unit)
    group by 1, 3, 4`);
  await db.rows(sql`
    insert into report_times (dimension, environment, at, member, bucket, count)
    select 'reseller', 'live', date_trunc('hour', h), ${resellerId}, b, 200 from ${hours}, generate_series(16, 20) b`);
  await db.rows(sql`update report_state set complete_until = now()`);
}
