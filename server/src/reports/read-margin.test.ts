import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { addStock, createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { audit } from "../audit/audit.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import { countFacts } from "./count-facts.ts";
import { type MarginRow, readMargin } from "./read-margin.ts";

let scrip: TestApp;
let buyer: Buyer;
let supplierId: string;
const from = new Date(Date.now() - 86_400_000);
const to = new Date(Date.now() + 86_400_000);

before(async () => {
  scrip = await createTestApp({ findShortage: async () => undefined });
  buyer = await addBuyer(scrip);
  supplierId = await addSupplierRow(scrip.db);
  await addProducts(scrip.db, [{ id: "card" }, { id: "odd" }]);
  await scrip.db.rows(sql`update products set brand = 'Nimbus' where id = 'card'`);
  for (const productId of ["card", "odd"]) {
    await addListPrice(scrip.db, { productId, amountMinor: 1_000n });
    await addRouteRow(scrip.db, { productId, supplierId, costMinor: 810n });
  }
  const basis = `rul_1|820|810|USD|${supplierId}||`;
  await scrip.db.rows(sql`update list_prices set basis = ${basis} where product_id = 'card'`);
  const goods = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ type: "code" as const, code: `${name}-${index}` }));
  await addStock(scrip, { productId: "card", supplierId, goods: goods("card", 4) });
  await addStock(scrip, { productId: "odd", supplierId, goods: goods("odd", 1) });
});
after(() => scrip.close());

const say = ({
  keys,
  soldMinor,
  refundedMinor,
  netMinor,
  landedMinor,
  unlandedMinor,
  acceptedMarginMinor,
  marginMinor,
}: MarginRow) =>
  `${keys.join("/")}: ${soldMinor} - ${refundedMinor} = ${netMinor}, landed ${landedMinor}, without ${unlandedMinor}, at acceptance ${acceptedMarginMinor}, margin ${marginMinor}`;

test("the margin is what was kept less what was paid, beside what it was at acceptance, and totals are the ledger's", async () => {
  const worker = createTestFulfiller(scrip);
  const lines = [
    { productId: "card", quantity: 3 },
    { productId: "odd", quantity: 2 },
  ];
  const placed = await postOrder(scrip, buyer, "first", { lines });
  assert.equal(placed.statusCode, 202, placed.body);
  // What a unit costs when it is bought is another matter.
  await scrip.db.rows(sql`update supplier_routes set cost_minor = 500`);
  await worker.drain();
  await refundOrder(scrip.db, scrip.clock, {
    orderId: placed.json().order.id,
    lines: undefined,
    units: [{ lineIndex: 0, unitIndex: 0 }],
    reason: "the customer returned it",
  });
  while (await countFacts(scrip));
  const report = await readMargin(scrip.db, { environment: "live", from, to, by: ["brand", "product"] });
  assert.deepEqual(report.rows.map(say), [
    // One of two was not there. What it would cost was not known when it was accepted.
    "/odd: 2000 - 1000 = 1000, landed 0, without 1000, at acceptance 0, margin 500",
    "Nimbus/card: 3000 - 1000 = 2000, landed 2460, without 0, at acceptance -460, margin 500",
  ]);
  assert.deepEqual(report.totals.map(say), [
    ": 5000 - 2000 = 3000, landed 2460, without 1000, at acceptance -460, margin 1000",
  ]);
  const bySupplier = await readMargin(scrip.db, { environment: "live", from, to, by: ["supplier"] });
  const bought = bySupplier.rows.find(({ keys }) => keys[0] === supplierId);
  assert.deepEqual(
    [bought?.boughtUnits, bought?.charged],
    [4n, [{ currency: "USD", costMinor: 2_000n, lostMinor: 0n }]],
  );
  assert.deepEqual(
    (await audit(scrip.db)).invariants.filter(({ ok }) => !ok),
    [],
  );
});

test("a worker of the version before, which knows no landed cost, counts nothing", async () => {
  const old = sql`
    insert into report_lines (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, sold_units,
                              sold_minor, refunded_units, refunded_minor, returned_units, returned_minor, delivered_units,
                              delivered_minor, bought_units, cost_minor)
    values ('live', ${buyer.resellerId}, date_trunc('hour', now()), 'card', '', 'USD', '', 1, 1000, 0, 0, 0, 0, 0, 0, 0, 0)
    on conflict (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency) do update set sold_units = 0`;
  await assert.rejects(scrip.db.rows(old), /null value in column "landed_minor"/);
});
