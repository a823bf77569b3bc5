import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { checkPage } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { addEndpoint } from "../../../testing/builders/webhook-builders.ts";
import { openConsoleOn } from "../../../testing/people/console-desk.ts";

let scrip: TestApp;
let browser: TestBrowser;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let url: string;
let cookie: { name: string; value: string };

before(async () => {
  scrip = await createTestApp();
  desk = await openConsoleOn(scrip, { url: "http://127.0.0.1" });
  [browser] = await Promise.all([openBrowser(), desk.console.listen({ host: "127.0.0.1", port: 0 })]);
  url = `http://127.0.0.1:${(desk.console.server.address() as AddressInfo).port}`;
  cookie = { name: "scrip-console", value: (await desk.enter("finance")).cookie };
  await fill();
});
after(async () => {
  await Promise.all([browser?.close(), desk?.console.close()]);
  await scrip?.close();
});

/** A month of a busy business, and some things that need a person. */
async function fill(): Promise<void> {
  const { db } = scrip;
  const reseller = await scrip.addReseller();
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(sql`update suppliers set consecutive_failures = 7 where id = ${supplierId}`);
  await addProducts(db, [{ id: "steam-eu-25" }]);
  const endpointId = await addEndpoint(db, { resellerId: reseller.id, environment: "live" });
  await db.rows(
    sql`update webhook_endpoints set failing_since = now() - interval '26 h', failures = 9 where id = ${endpointId}`,
  );
  const hours = sql`generate_series(date_trunc('day', now()) - interval '29 days', now(), interval '1 hour') h`;
  await db.rows(sql`
    insert into report_orders (environment, hour, reseller_id, currency, orders, sold_minor, refunds, refunded_minor, completed, failed)
    select 'live', date_trunc('hour', h), ${reseller.id}, 'USD', 900 + 300 * sin(extract(hour from h) / 4), 2400000, 9, 24000, 880, 9
    from ${hours}`);
  await db.rows(sql`
    insert into report_slices (dimension, environment, at, member, currency, cost_currency, sold_units, sold_minor,
                               delivered_units, delivered_minor, bought_units, cost_minor)
    select d.dimension, 'live', date_trunc(d.unit, h), d.member, 'USD', 'USD', sum(1100), sum(2400000), sum(1090), sum(2380000),
           sum(1091), sum(2190000 + 90000 * sin(extract(hour from h) / 4))::bigint
    from ${hours}, (values ('reseller', ${reseller.id}, 'hour'), ('supplier', ${supplierId}, 'hour'),
                           ('product', 'steam-eu-25', 'day')) d (dimension, member, unit)
    group by 1, 3, 4`);
  await db.rows(sql`
    insert into report_times (dimension, environment, at, member, bucket, count)
    select 'reseller', 'live', date_trunc('hour', h), ${reseller.id}, b, 200 from ${hours}, generate_series(16, 20) b`);
  await db.rows(sql`update report_state set complete_until = now()`);
}

const PATHS = [
  "/",
  "/?by=hour",
  "/reports/margin",
  "/reports/fulfilment?by=reseller",
  "/reports/sales?env=test",
];

test("overview and reports are sound in a browser, light and wide, dark and narrow", async () => {
  const views = [
    { theme: "light", width: 1280 },
    { theme: "dark", width: 390 },
  ] as const;
  for (const path of PATHS)
    assert.deepEqual(await checkPage(browser.browser, { url: `${url}${path}`, cookie, views }), [], path);
});
