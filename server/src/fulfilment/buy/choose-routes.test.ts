import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, postOrder } from "../../../testing/builders/buyers.ts";
import { addStock, createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { audit } from "../../audit/audit.ts";
import { createRateTable } from "../../fx/choose-rate.ts";
import { insertRates } from "../../fx/queries.ts";
import { parseAmountLimits } from "../../lib/money.ts";
import { chooseRoutes, type KnownRoute } from "./choose-routes.ts";

const NOW = new Date("2030-01-15T12:00:00Z");
const NONE = parseAmountLimits("0");
const euro = {
  id: 1n,
  base: "EUR",
  quote: "USD",
  rate: "1.25",
  source: "pin",
  supplierId: null,
  at: NOW,
  until: null,
} as const;
const rates = createRateTable([euro], NOW, 1_000);

const known = (
  supplierId: string,
  costMinor: bigint | null,
  changes: Partial<KnownRoute> = {},
): KnownRoute => ({
  productId: "card",
  supplierId,
  hasOwnStock: false,
  sku: "card",
  value: null,
  fieldMap: null,
  costMinor,
  maxCostMinor: null,
  costCurrency: costMinor === null ? null : "USD",
  paused: false,
  chosen: "",
  routing: "priority",
  priority: 100,
  failures: 0,
  balanceMinor: null,
  balanceCurrency: null,
  headroomBp: null,
  ...changes,
});
const choose = (routes: KnownRoute[], unitPriceMinor = 1_000n, maxLoss = NONE) => {
  const { routes: chosen, atLoss } = chooseRoutes(
    routes,
    { unitPriceMinor, currency: "USD" },
    rates,
    maxLoss,
  );
  return [
    ...chosen.map((one) => `${one.supplierId}${one.paused ? " rests" : ""}: ${one.chosen}`),
    ...atLoss.map((id) => `${id} loses`),
  ];
};

test("by priority the lowest comes first; by cost the cheapest landed one, then the healthier, then the priority", () => {
  const routes = [known("a", 900n, { priority: 1 }), known("b", 700n, { priority: 2 })];
  assert.deepEqual(choose(routes), ["a: priority", "b: priority"]);
  const cheapest = (one: KnownRoute): KnownRoute => ({ ...one, routing: "cheapest" });
  assert.deepEqual(choose(routes.map(cheapest)), ["b: cheapest", "a: cheapest"]);
  const foreign = known("c", 550n, { costCurrency: "EUR", priority: 9 });
  const sick = known("d", 700n, { failures: 2, priority: 1 });
  const unknown = known("e", null, { priority: 0 });
  assert.deepEqual(choose([...routes, foreign, sick, unknown].map(cheapest)), [
    "c: cheapest",
    "b: cheapest",
    "d: cheapest",
    "a: cheapest",
    "e: cheapest",
  ]);
});

test("a route at a loss is left out, in any currency; what may be lost is added; nothing is held against an unknown cost", () => {
  const routes = [
    known("a", 1_001n),
    known("b", 801n, { costCurrency: "EUR" }),
    known("c", 1_000n),
    known("d", null),
  ];
  assert.deepEqual(choose(routes), [
    "c: priority; passed over: 2 at a loss",
    "d: priority; passed over: 2 at a loss",
    "a loses",
    "b loses",
  ]);
  assert.deepEqual(choose(routes, 1_000n, parseAmountLimits("USD:0.01")).at(-1), "b loses");
  const yen = known("y", 5n, { costCurrency: "JPY" });
  assert.deepEqual(choose([yen], 1n), ["y: priority"], "there is no rate for yen");
});

test("an upstream that may charge more than its cost must not charge more than was paid", () => {
  const route = known("a", 800n, { maxCostMinor: 1_500n });
  const paid = { unitPriceMinor: 1_000n, currency: "USD" };
  assert.equal(chooseRoutes([route], paid, rates, NONE).routes[0]?.maxCostMinor, 1_000n);
  const foreign = { ...route, costMinor: 500n, costCurrency: "EUR" };
  assert.equal(chooseRoutes([foreign], paid, rates, NONE).routes[0]?.maxCostMinor, 800n);
});

test("the headroom of a synced route ends at what was paid and may be lost, and needs a rate to be known", () => {
  const route = known("a", 975n, { headroomBp: 200 });
  const most = (one: KnownRoute, unitPriceMinor: bigint, maxLoss = NONE) =>
    chooseRoutes([one], { unitPriceMinor, currency: "USD" }, rates, maxLoss).routes[0]?.maxCostMinor;
  assert.equal(most(route, 2_000n), 994n, "2 % above the cost, rounded down");
  assert.equal(most(route, 980n), 980n);
  assert.equal(most(route, 980n, parseAmountLimits("USD:0.10")), 990n);
  assert.equal(most({ ...route, maxCostMinor: 1_200n }, 2_000n), 1_200n, "a maximum by hand is stronger");
  assert.equal(most({ ...route, costCurrency: "JPY" }, 2_000n), null, "there is no rate for yen");
});

test("a supplier whose balance cannot pay rests, like one whose circuit is open", () => {
  const poor = known("a", 900n, { balanceMinor: 899n, balanceCurrency: "USD" });
  assert.deepEqual(choose([poor, known("b", 900n, { paused: true }), known("c", 900n)]), [
    "a rests: priority",
    "b rests: priority; passed over: 1 without funds",
    "c: priority; passed over: 1 paused, 1 without funds",
  ]);
  assert.deepEqual(choose([{ ...poor, balanceCurrency: "EUR" }]), ["a: priority"]);
});

let scrip: TestApp;
let buyer: Buyer;
before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip);
});
after(() => scrip.close());

test("when the cost has risen above the price, the next route is used; without one the unit is refunded and noted", async () => {
  const worker = createTestFulfiller(scrip);
  const [dear, fair] = [await addSupplierRow(scrip.db), await addSupplierRow(scrip.db)];
  await addProducts(scrip.db, [{ id: "card" }]);
  await addListPrice(scrip.db, { productId: "card", amountMinor: 1_000n });
  await addRouteRow(scrip.db, { productId: "card", supplierId: dear, costMinor: 1_001n, priority: 1 });
  await addRouteRow(scrip.db, { productId: "card", supplierId: fair, costMinor: 1_000n, priority: 2 });
  const goods = (name: string) =>
    [1, 2].map((index) => ({ type: "code" as const, code: `${name}-${index}` }));
  await addStock(scrip, { productId: "card", supplierId: dear, goods: goods("dear") });
  await addStock(scrip, { productId: "card", supplierId: fair, goods: goods("fair") });
  const order = async (key: string) => {
    const reply = await postOrder(scrip, buyer, key, { lines: [{ productId: "card", quantity: 1 }] });
    assert.equal(reply.statusCode, 202, reply.body);
    await worker.drain();
    const { id } = reply.json().order;
    return (await scrip.call("GET", `/v1/orders/${id}`, { key: buyer.key })).json().order;
  };
  assert.equal((await order("first")).status, "completed");
  const attempts = await scrip.db.rows<{ supplierId: string; chosen: string }>(
    sql`select supplier_id as "supplierId", chosen from supplier_attempts`,
  );
  assert.deepEqual(attempts, [{ supplierId: fair, chosen: "priority; passed over: 1 at a loss" }]);

  await scrip.db.rows(sql`update supplier_routes set cost_minor = 1200`);
  await scrip.db.rows(sql`delete from price_changes`);
  const balance = await balanceOf(scrip.db, buyer);
  const failed = await order("second");
  assert.equal(failed.status, "refunded");
  assert.equal(failed.lines[0].failureCode, "temporarily_unavailable");
  assert.equal(await balanceOf(scrip.db, buyer), balance);
  const stops = await scrip.db.rows<{ productId: string; orderId: string }>(
    sql`select product_id as "productId", order_id as "orderId" from loss_stops`,
  );
  assert.deepEqual(stops, [{ productId: "card", orderId: failed.id }]);
  const changes = await scrip.db.rows(sql`select product_id as "productId" from price_changes`);
  assert.deepEqual(changes, [{ productId: "card" }], "its price is worked out again");

  const bold = createTestFulfiller(scrip, { limits: { maxLoss: parseAmountLimits("2.00") } });
  const reply = await postOrder(scrip, buyer, "third", { lines: [{ productId: "card", quantity: 1 }] });
  await bold.drain();
  const { status } = (
    await scrip.call("GET", `/v1/orders/${reply.json().order.id}`, { key: buyer.key })
  ).json().order;
  assert.equal(status, "completed", "a loss of 2.00 is accepted");
  const broken = (await audit(scrip.db)).invariants.filter(({ ok }) => !ok);
  assert.deepEqual(broken, []);
});

test("a loss is judged by the rate that is in force, not by an old pin; the newest of old ones is better than none", async () => {
  const worker = createTestFulfiller(scrip);
  const supplierId = await addSupplierRow(scrip.db);
  await addProducts(scrip.db, [{ id: "euro" }]);
  await addListPrice(scrip.db, { productId: "euro", amountMinor: 1_000n });
  await addRouteRow(scrip.db, { productId: "euro", supplierId, costMinor: 800n, currency: "EUR" });
  const goods = [1, 2].map((index) => ({ type: "code" as const, code: `euro-${index}` }));
  await addStock(scrip, { productId: "euro", supplierId, goods });
  const setRate = (source: "pin" | "reference", rate: string, daysAgo: number) => {
    const now = scrip.clock.now();
    const at = new Date(now.getTime() - daysAgo * 86_400_000);
    const one = { base: "EUR", quote: "USD", rate, source, supplierId: null, at, until: null };
    return scrip.db.transaction((tx) => insertRates(tx, [one], now));
  };
  const order = async (key: string) => {
    const reply = await postOrder(scrip, buyer, key, { lines: [{ productId: "euro", quantity: 1 }] });
    await worker.drain();
    const { id } = reply.json().order;
    return (await scrip.call("GET", `/v1/orders/${id}`, { key: buyer.key })).json().order.status;
  };
  await setRate("pin", "2.00", 30);
  await setRate("reference", "1.10", 3);
  assert.equal(await order("both are old"), "completed");
  await setRate("reference", "1.20", 0);
  assert.equal(await order("one is in force"), "completed");
});
