import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { addEndpoint } from "../../../testing/builders/webhook-builders.ts";
import { type ConsoleVisit, openConsoleOn } from "../../../testing/people/console-desk.ts";
import { createScriptedSupplier, lost, refused, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { evaluateAlerts } from "../../alerts/evaluate-alerts.ts";
import { holdOrder } from "../../fulfilment/operate/hold-order.ts";
import { countFacts } from "../../reports/count-facts.ts";

const DAY_MS = 86_400_000;
let shop: Shop;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let viewer: ConsoleVisit;
let stocked: string;

before(async () => {
  shop = await openShop();
  // Noon, so that what happens in ten minutes happens on one day.
  shop.clock.advance(DAY_MS + DAY_MS / 2 - (shop.clock.now().getTime() % DAY_MS));
  desk = await openConsoleOn(shop.scrip);
  viewer = await desk.enter("viewer");
});
after(async () => {
  await desk?.console.close();
  await shop?.close();
});

const page = async (path: string): Promise<string> => {
  const { statusCode, body } = await viewer.get(path);
  assert.equal(statusCode, 200, `${path}: ${body.slice(0, 400)}`);
  return body;
};

test("before anything is sold, the pages say so", async () => {
  const overview = await page("/");
  assert.match(
    overview,
    /2 things need you\. Nothing has been counted yet[\s\S]*No product yet[\s\S]*No price yet/,
  );
  assert.match(overview, /no sales yet/);
  for (const name of ["sales", "margin", "refunds", "fulfilment"])
    assert.match(await page(`/reports/${name}?by=product`), /Nothing in these days/);
  assert.equal((await viewer.get("/reports/secrets")).statusCode, 404);
});

/** A night in which most things go wrong: see what needs a person. */
async function haveBadNight(): Promise<void> {
  const { db } = shop.scrip;
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(sql`update suppliers set name = '<b>Upstream</b>' where id = ${supplierId}`);
  const supplier = createScriptedSupplier();
  const worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
  stocked = await shop.addStocked(4);
  await db.rows(sql`update products set name = '=1+1 <i>card</i>' where id = ${stocked}`);
  const bought = await shop.addBought(supplierId);
  supplier.answers = [sold("A"), refused("rejected_by_issuer"), lost];
  await shop.order([stocked, 3], [bought, 1]);
  await worker.drain();
  const failing = await shop.order([bought, 1]);
  await holdOrder(db, shop.clock, failing, true);
  await worker.drain();
  await shop.order([bought, 1]);
  await worker.drain();
  await db.rows(sql`
    update suppliers set consecutive_failures = 5, open_until = ${new Date(shop.clock.now().getTime() + 3_600_000)}
    where id = ${supplierId}`);
  const id = await addEndpoint(db, shop.buyer);
  await db.rows(
    sql`update webhook_endpoints set failing_since = ${shop.clock.now()}, failures = 9 where id = ${id}`,
  );
  await db.rows(sql`update order_lines set basis = 'hand|70|70|USD|sup_1||' where product_id = ${stocked}`);
  await db.rows(sql`update products set brand = '<b>Acme</b>' where id = ${stocked}`);
  await countFacts({ db, clock: shop.clock });
  shop.clock.advance(10 * 60_000);
  viewer = await desk.enter("viewer");
}

test("the overview shows how it goes, and leads to each thing that needs a person", async () => {
  await haveBadNight();
  const body = await page("/");
  assert.match(body, /5 things need you\. Numbers are complete up to /);
  assert.match(body, /href="\/unknown">1 unknown outcome<[\s\S]*has waited for 10 min/);
  assert.match(body, /href="\/stuck">1 held refund</);
  assert.match(body, /&lt;b&gt;Upstream&lt;\/b&gt;[\s\S]*5 failures in a row/);
  assert.match(
    body,
    new RegExp(`href="/products/${stocked}">=1\\+1 &lt;i&gt;card[\\s\\S]*1 in stock: 2\\.3 days`),
  );
  assert.match(
    body,
    new RegExp(
      `href="/resellers/${shop.buyer.resellerId}">[\\s\\S]*Every delivery failed, since [^<]* UTC\\. No delivery has succeeded for 10 min`,
    ),
  );
  assert.match(body, /Orders today<\/a><\/dt><dd><b>3<\/b>/);
  assert.match(body, /Revenue today<\/a><\/dt><dd><b>6\.00<\/b> <small>USD/);
  assert.match(
    body,
    /Margin today<\/a><\/dt><dd><b>0\.80<\/b> <small>USD<\/small><\/dd><dd class="note">20\.0 % of what/,
  );
  assert.match(body, /Margin by day, USD/);
  const reseller = await page(`/resellers/${shop.buyer.resellerId}`);
  assert.match(reseller, /Margin, 30 days<\/dt><dd><a[^>]*reports\/margin\?reseller=rsl_\w+">0\.80 USD/);
  assert.match(body, /href="\/stuck">\d orders? due[^<]*deliver(y waits|ies wait)<\/a>/);
  // What waits is counted in the navigation, as the pages list it.
  assert.match(body, /Unknown outcomes<\/span> <b>1</);
  assert.match(body, /Stuck<\/span> <b>1</);
  assert.match(await page("/?by=hour"), /Orders by hour/);
  assert.match(await page("/?env=test"), /Nothing needs you[\s\S]*no sales yet/);
});

test("an alert that no other line tells is on the overview, and others are there once", async () => {
  const { db, clock } = shop.scrip;
  const [supplier] = await db.rows<{ id: string }>(
    sql`select id from suppliers where name = '<b>Upstream</b>'`,
  );
  await db.rows(sql`
    update suppliers set balance_minor = 1, balance_currency = 'USD', balance_at = now(), balance_low_minor = 500
    where id = ${supplier?.id}`);
  await evaluateAlerts({ db, clock, consoleUrl: "http://localhost:8081" });
  const body = await page("/");
  const needs = /id="needs"[\s\S]*?<\/table>/.exec(body)?.[0] ?? "";
  assert.match(needs, /The balance at supplier &lt;b&gt;Upstream&lt;\/b&gt; is low/);
  assert.equal(needs.match(/held refund/g)?.length, 1);
  assert.doesNotMatch(needs, /keeps failing|the refund is on hold|runs out of stock within/);
  assert.match(body, /Alerts<\/span> <b>\d</);
});

test("reports show the days, products, resellers and suppliers of the address", async () => {
  const byDay = await page("/reports/sales");
  assert.match(byDay, /Complete up to [\s\S]*Sold by day, USD/);
  const day = shop.clock.now().toISOString().slice(0, 10);
  assert.match(
    await page(`/reports/sales?by=product&from=${day}&to=${day}`),
    /=1\+1 &lt;i&gt;card[\s\S]*3\.00 USD/,
  );
  assert.match(
    await page("/reports/margin?by=supplier"),
    /&lt;b&gt;Upstream&lt;\/b&gt;[\s\S]*0\.20 USD[\s\S]*20\.0 %/,
  );
  assert.match(
    await page("/reports/sales?by=product"),
    /<b>Total<\/b> <span class="quiet">USD<\/span><\/td><td class="num">6<\/td>[^\n]*6\.00 USD/,
  );
  assert.match(
    await page("/reports/margin"),
    /Landed cost[\s\S]*Margin at acceptance[\s\S]*>2\.10 USD[\s\S]*>0\.90 USD/,
  );
  assert.doesNotMatch(await page("/reports/margin?by=supplier"), /Margin at acceptance<\/th/);
  for (const name of ["sales", "margin", "fulfilment"]) {
    const byBrand = await page(`/reports/${name}?by=brand`);
    assert.match(byBrand, /&lt;b&gt;Acme&lt;\/b&gt;<\/td>/, name);
    assert.match(
      byBrand,
      />–<\/td>(?:<td class="num">.*?<\/td>){0,2}<td class="num">\d</,
      `${name}: a product without a brand`,
    );
  }
  assert.match(await page("/reports/fulfilment?by=reseller"), /Success[\s\S]*50\.0 %/);
  const one = await page(`/reports/margin?by=hour&product=${stocked}`);
  assert.match(
    one,
    /<h1>Margin of =1\+1 &lt;i&gt;card&lt;\/i&gt;<\/h1>[\s\S]*Margin by day, USD[\s\S]*0\.60 USD/,
  );
  assert.match(
    await page("/reports/sales?supplier=%3Cb%3E"),
    /Sales of &lt;b&gt;[\s\S]*Nothing in these days/,
  );
  assert.match(await page("/reports/fulfilment?by=hour&from=1999-01-01"), /Completed by hour/);
  for (const from of ["2020-02-31", "x", "-1"])
    assert.match(await page(`/reports/refunds?from=${from}`), /Nothing in/);
});

test("a file has every row, with amounts in figures and names that are no formulas", async () => {
  const { headers, body } = await viewer.get("/reports/margin/report.csv?by=product");
  assert.equal(headers["content-type"], "text/csv; charset=utf-8");
  assert.match(String(headers["content-disposition"]), /margin-by-product-[\d-]+\.csv/);
  const [head, ...lines] = body.trim().split("\r\n");
  assert.equal(
    head,
    "product,name,units_delivered,units_bought,delivered,delivered_currency,refunded_later,refunded_later_currency,charged,cost_converted,cost_converted_currency,lost_converted,lost_converted_currency,margin,margin_currency,share,cost_not_known,cost_not_known_currency,landed_cost,landed_cost_currency,margin_at_acceptance,margin_at_acceptance_currency,without_landed_cost,without_landed_cost_currency",
  );
  assert.ok(
    lines.includes(
      `${stocked},'=1+1 <i>card</i>,3,3,3.00,USD,0.00,USD,2.40 USD,2.40,USD,0.00,USD,0.60,USD,20.0,0.00,USD,2.10,USD,0.90,USD,0.00,USD`,
    ),
    body,
  );
});
