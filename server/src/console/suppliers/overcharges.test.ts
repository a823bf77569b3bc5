import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { textOf } from "../../../testing/people/order-desk.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { getPriceGuard } from "../../suppliers/overcharges/price-limits.ts";
import { stopOvercharge } from "../../suppliers/overcharges/route-pauses.ts";

const desk = await openConsoleDesk();
const { db, clock } = desk;
after(() => desk.close());
const catalog = await desk.enter("catalog");
const viewer = await desk.enter("viewer");
await addProducts(db, [
  {
    id: "card",
    name: "Nimbus <10>",
    faceValue: { amount: "10", currency: "USD", unit: "USD", isMoney: true },
  },
  { id: "game", faceValue: { amount: "325", currency: "USD", unit: "UC", isMoney: false } },
]);
const supplier = await addSupplierRow(db, { kind: "reloadly", name: "Nimbus Wholesale" });
const other = await addSupplierRow(db, { kind: "scrip", name: "Another Scrip" });
const stock = await addSupplierRow(db, { name: "Warehouse" });
for (const productId of ["card", "game"])
  await addRouteRow(db, { productId, supplierId: supplier, costMinor: 975n, currency: "USD" });

const overcharge = (amountMinor: bigint, currency = "USD") =>
  stopOvercharge(db, clock, {
    ...{ productId: "card", supplierId: supplier, price: { amountMinor, currency } },
    purchase: { orderId: "ord_1", lineIndex: 0, unitIndex: 1, attempt: 1 },
    limit: { expectedMinor: 975n, maxMinor: 994n, currency: "USD" },
  });
const actions = async (id: string) =>
  (await listActivity(db, { kind: "staff" }, { object: { id } }, { limit: 10 })).data.map(
    ({ action, actor }) => `${action} ${actor.kind}`,
  );
const SAID = /paused Charged 10\.24 USD, expected 9\.75 USD: line 1, unit 2 of an order, .{1,60}\./;

test("a paused route says on both pages what was charged and for which order, and a person enables it there", async () => {
  await overcharge(1_024n);
  for (const page of ["/products/card", `/suppliers/${supplier}`]) {
    const read = await viewer.get(page);
    assert.match(textOf(read.body), SAID);
    assert.match(read.body, /href="\/orders\/ord_1"/);
    assert.doesNotMatch(read.body, /routes\/enable|Nimbus <10>/);
    assert.match((await catalog.get(page)).body, new RegExp(`action="${page}/routes/enable"`));
  }
  const saved = await catalog.post("/products/card/routes", {
    supplierId: supplier,
    priority: "1",
    cost: "10.24",
    value: "10",
  });
  assert.equal(saved.statusCode, 303, textOf(saved.body));
  assert.match(
    textOf((await viewer.get("/products/card")).body),
    /paused Charged .* 1 10\.24 USD/,
    "a new cost ends no pause",
  );
  const enabled = await catalog.post("/products/card/routes/enable", { id: supplier });
  assert.match(String(enabled.headers.location), /^\/products\/card/);
  assert.doesNotMatch(textOf((await viewer.get("/products/card")).body), /paused/);
  assert.deepEqual(await actions("card"), ["route.enabled staff", "route.set staff", "route.paused system"]);
  const none = await catalog.post(`/suppliers/${other}/routes/enable`, { id: "card" });
  assert.match(textOf(none.body), /There is no route of card/);

  await overcharge(1_024n);
  const back = await catalog.post(`/suppliers/${supplier}/routes/enable`, { id: "card" });
  assert.match(String(back.headers.location), new RegExp(`^/suppliers/${supplier}`));
});

test("the routes of a supplier have the name and the face value of their product, written alike", async () => {
  const { body } = await viewer.get(`/suppliers/${supplier}`);
  assert.match(textOf(body), /Nimbus &lt;10&gt; 10\.00 USD|Nimbus <10> 10\.00 USD/);
  assert.match(textOf(body), /325 UC/);
});

test("a supplier that was disabled by a price says why, since when and for which order, on its page and the overview", async () => {
  await overcharge(14_625n, "NGN");
  const page = textOf((await viewer.get(`/suppliers/${supplier}`)).body);
  assert.match(
    page,
    /It charged in another currency, .{1,60} Nimbus (?:<|&lt;)10(?:>|&gt;) was expected to cost 9\.75 USD and was charged 146\.25 NGN/,
  );
  assert.match(
    textOf((await viewer.get("/")).body),
    /It charged in another currency, and nothing is bought there/,
  );
  await catalog.post(`/suppliers/${supplier}/state`, { enabled: "yes" });
  await catalog.post(`/suppliers/${supplier}/state`, { enabled: "no" });
  assert.match(textOf((await viewer.get(`/suppliers/${supplier}`)).body), /A person switched it off, /);
  await catalog.post(`/suppliers/${supplier}/state`, { enabled: "yes" });
});

test("the price limits of a supplier are changed on its page, with fresh proof, and logged", async () => {
  const limits = { headroom: "3.5%", overchargeTimes: "5", overchargeAbove: "15" };
  const path = `/suppliers/${supplier}/price-limits`;
  const refused = await catalog.post(path, { ...limits, overchargeTimes: "0" });
  assert.equal(refused.statusCode, 422);
  assert.match(textOf(refused.body), /Overcharges in 24 hours must be a whole number from 1 to 100/);
  assert.match(refused.body, /value="3\.5%"/);
  assert.equal((await catalog.post(path, limits)).statusCode, 303);
  const { disabled: _, ...guard } = await getPriceGuard(db, supplier);
  assert.deepEqual(guard, { headroomBp: 350, overchargeTimes: 5, overchargeAboveBp: 1_500 });
  assert.equal((await actions(supplier))[0], "supplier.price_limits_set staff");
  assert.doesNotMatch((await viewer.get(`/suppliers/${stock}`)).body, /Price limits/);
  assert.match(textOf((await viewer.get(`/suppliers/${supplier}`)).body), /Headroom 3\.5%/);
  clock.advance(5 * 60_000 + 1);
  const rule = { notFoundTimes: "1", notFoundOver: "1m", resendAfter: "0s", notMadePerHour: "100000" };
  const before = await db.rows(sql`select * from suppliers where id = ${supplier}`);
  for (const [url, fields] of [
    [path, limits],
    ["/products/card/routes/enable", { id: supplier }],
    [`/suppliers/${supplier}/state`, { enabled: "yes" }],
    [`/suppliers/${supplier}/not-found`, rule],
  ] as const)
    assert.match((await catalog.post(url, fields)).body, /Confirm that it is you/, url);
  const late = await catalog.post(`/suppliers/${supplier}/not-found`, { ...rule, notFoundOver: "soon" });
  assert.deepEqual([late.statusCode, /is a duration/.test(late.body)], [422, true]);
  assert.deepEqual(await db.rows(sql`select * from suppliers where id = ${supplier}`), before);
  // What stops purchases waits for nothing.
  assert.equal((await catalog.post(`/suppliers/${supplier}/state`, { enabled: "no" })).statusCode, 303);
});

test("the hint of At most says what each kind of supplier does with a dearer purchase", async () => {
  const fresh = await desk.enter("catalog");
  const hint = async (id: string) => textOf((await fresh.get(`/products/card/routes?supplier=${id}`)).body);
  assert.match(
    await hint(supplier),
    /sells and charges its own price\. Scrip delivers that unit, then pauses this route\. Empty: the cost, and 3\.5% more/,
  );
  assert.match(await hint(other), /is told this limit and refuses a purchase above it\. Empty: the cost\./);
  assert.match(await hint(stock), /Stock has no price that could change/);
});
