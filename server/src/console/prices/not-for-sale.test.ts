import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { PRICING_DEFAULTS } from "../../lib/settings/pricing-config.ts";
import { followSale } from "../../pricing/follow-sale.ts";
import { recomputeAll } from "../../pricing/recompute-prices.ts";
import { refreshSupply } from "../../suppliers/refresh-supply.ts";

const desk = await openConsoleDesk();
const { db, clock } = desk;
const HOSTILE = `<script>alert("x")</script>`;
const settle = async () => {
  await refreshSupply(db, undefined, clock.now());
  await recomputeAll({ db, clock, settings: PRICING_DEFAULTS.pricing });
  await followSale({ db, clock, settings: PRICING_DEFAULTS.pricing });
};
let resellerId: string;

before(async () => {
  resellerId = (await desk.addReseller({ currency: "USD", name: HOSTILE })).id;
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  const faceValue = { amount: "10.00", currency: "USD", unit: "USD", isMoney: true };
  await addProducts(db, [
    { id: "dear", name: HOSTILE, faceValue },
    { id: "hid", name: "Hid", faceValue, hidden: true },
    { id: "wait", name: "Wait", faceValue },
    { id: "alone", name: "Alone", faceValue },
  ]);
  await addRouteRow(db, { productId: "dear", supplierId, costMinor: 990n });
  await addRouteRow(db, { productId: "wait", supplierId, costMinor: 900n });
  await db.rows(sql`insert into unlisted_products (reseller_id, product_id) values (${resellerId}, 'wait')`);
  await desk.addReseller({ currency: "USD" });
});
after(() => desk.close());

test("each row says its reason, since when and what to do; filters, groups and CSV have the same", async () => {
  const finance = await desk.enter("finance");
  const rule = { for: "all", forName: "", on: "all", onName: "", kind: "over_cost", value: "4.5%" };
  assert.equal((await finance.post("/prices/rules", rule)).statusCode, 303);
  assert.match((await finance.get("/not-for-sale")).body, /A worker has not looked yet/);
  await settle();
  const viewer = await desk.enter("viewer");
  const { body } = await viewer.get("/not-for-sale");
  const rows = [...body.matchAll(/<tr><td class="wraps">[\s\S]*?<\/tr>/g)].map(([row]) => row);
  assert.deepEqual(
    rows.map((row) => [/<code>(\w+)/.exec(row)?.[1], /title="(\w+)">([^<]+)/.exec(row)?.slice(1).join(" ")]),
    [
      ["hid", "hidden Hidden by you"],
      ["wait", "unlisted Not listed for this reseller"],
      ["alone", "no_route Nobody supplies it"],
      ["dear", "above_face_value Price would pass the face value"],
      ["wait", "withheld Waits for its first publication"],
    ],
  );
  assert.match(rows[0] ?? "", /href="\/products\/hid">Show it again/);
  assert.match(rows[4] ?? "", /href="\/prices">Publish it/);
  assert.equal([...body.matchAll(/<tr><th scope="rowgroup" colspan="4">/g)].length, 5);
  assert.match(body, /As of \d/);
  assert.doesNotMatch(body, /<script>alert/);
  const few = (await viewer.get("/not-for-sale?reason=withheld&list=standard&q=WAIT")).body;
  assert.match(few, /1 entry/);
  assert.match((await viewer.get("/not-for-sale?q=nothing")).body, /Nothing matches/);
  assert.match((await viewer.get(`/not-for-sale?reseller=${resellerId}`)).body, /4 entries/);
  const csv = await viewer.get("/not-for-sale.csv?reason=unlisted");
  const [head, line] = csv.body.split("\r\n");
  assert.equal(head, "productId,product,priceList,resellerId,currency,reason,why,since,next");
  assert.match(
    line ?? "",
    new RegExp(`^wait,Wait,,${resellerId},USD,unlisted,Not listed for this reseller,20`),
  );
});

test("the product says what Explain says; overview and prices lead to the list with the number", async () => {
  const viewer = await desk.enter("viewer");
  const dear = (await viewer.get("/products/dear")).body;
  assert.match(dear, /Price would pass the face value/);
  assert.match(
    dear,
    /dear for list standard in USD cannot be sold, because the price is above the face value: 4\.5% above/,
  );
  assert.doesNotMatch(dear, /Nobody can order it|scrip price set --help/);
  assert.match(
    (await viewer.get("/products/alone")).body,
    /It cannot be bought now, because nobody supplies it\./,
  );
  const explained = (await viewer.get(`/prices?product=hid&reseller=${resellerId}`)).body;
  assert.match(explained, /It cannot be bought now, because it is hidden or inactive\./);
  for (const path of ["/", "/prices"]) {
    const { body } = await viewer.get(path);
    assert.match(
      body,
      /href="\/not-for-sale\?reason=above_face_value">1 product: Price would pass the face value/,
    );
  }
  assert.doesNotMatch((await viewer.get("/?env=test")).body, /not-for-sale\?reason/);
});

test("a reseller without a rate or with a list that nothing names is stored, and named there and in the list", async () => {
  const admin = await desk.enter("admin");
  const form = { name: "Typo", currency: "CHF", email: "a@b.example", priceList: "glod" };
  const made = await admin.post("/resellers", form);
  assert.equal(made.statusCode, 303);
  const { body } = await admin.get(String(made.headers.location));
  assert.match(body, /It sees an empty shop/);
  assert.match(body, /No price and no rule names the price list &quot;glod&quot;/);
  assert.match(body, /There is no exchange rate USD\/CHF/);
  await settle();
  const list = (await admin.get("/not-for-sale")).body;
  assert.match(list, /Typo sees an empty shop/);
  assert.match(list, /No exchange rate<\/span><\/div><div class="quiet">list glod, CHF/);
  const path = String(made.headers.location);
  const limits = { orders: "", reads: "" };
  const saved = await admin.post(`${path}/edit`, { ...form, ...limits, priceList: "standard" });
  assert.equal(saved.statusCode, 303);
  const after = (await admin.get(path)).body;
  assert.doesNotMatch(after, /glod&quot;/);
  assert.match(after, /There is no exchange rate USD\/CHF/);
});
