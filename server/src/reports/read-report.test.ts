import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createScriptedSupplier, refused, sold } from "../../testing/upstream/scripted-supplier.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import { formatAmount } from "../lib/money.ts";
import { countFacts } from "./count-facts.ts";
import { type ReportName, readReport } from "./read-report.ts";
import type { ReportBy, ReportScope } from "./report-queries.ts";
import { permilleOf, type ReportCell } from "./report-tables.ts";
import { percentileMs } from "./time-classes.ts";

const HOUR_MS = 3_600_000;
let shop: Shop;
let supplierId: string;
let stocked: string;
let bought: string;
let abroad: string;

before(async () => {
  shop = await openShop();
  const { db } = shop.scrip;
  shop.clock.advance(24 * HOUR_MS - (shop.clock.now().getTime() % (24 * HOUR_MS)));
  supplierId = await addSupplierRow(db, { kind: "scrip" });
  stocked = await shop.addStocked(3);
  bought = await shop.addBought(supplierId);
  abroad = await shop.addBought(supplierId);
  await db.rows(
    sql`update supplier_routes set cost_minor = 70, cost_currency = 'EUR' where product_id = ${abroad}`,
  );
  const supplier = createScriptedSupplier();
  supplier.answers = [sold("A"), refused("rejected_by_issuer"), sold("B")];
  const worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
  const first = await shop.order([stocked, 2], [bought, 1]);
  shop.clock.advance(630);
  await worker.drain();
  shop.clock.advance(2 * HOUR_MS);
  await shop.order([bought, 1]);
  await worker.drain();
  await shop.order([abroad, 1]);
  shop.clock.advance(2_001);
  await worker.drain();
  shop.clock.advance(24 * HOUR_MS);
  await refundOrder(db, shop.clock, { orderId: first, lines: [0], reason: "returned" });
  await countFacts({ db, clock: shop.clock });
});
after(() => shop?.close());

const say = (cell: ReportCell): string => {
  switch (cell?.kind) {
    case "count":
      return String(cell.value);
    case "money":
      return `${cell.minor} ${cell.currency}`;
    case "share":
      return permilleOf(cell) === undefined ? "–" : `${permilleOf(cell)} ‰`;
    case "time":
      return `${cell.ms} ms`;
    case "amounts":
      return cell.amounts
        .map(({ minor, currency }) => `${formatAmount(minor, currency)} ${currency}`)
        .join(" + ");
    default:
      return "–";
  }
};

async function read(name: ReportName, by: ReportBy): Promise<string[]> {
  const day = shop.clock.now().getTime() - (shop.clock.now().getTime() % (24 * HOUR_MS));
  const scope = {
    environment: "live",
    by,
    from: new Date(day - 48 * HOUR_MS),
    to: new Date(day + 24 * HOUR_MS),
  } as const;
  const { columns, rows } = await readReport(shop.scrip.db, name, scope);
  for (const { cells } of rows) assert.equal(cells.length, columns.length);
  return rows.map(({ key, cells }) =>
    [by === "day" || by === "hour" ? "" : `${key}: `, cells.map(say).join(", ")].join(""),
  );
}

test("sales by day and hour, product, reseller and supplier", async () => {
  assert.deepEqual(await read("sales", "day"), [
    "0, 0, 0 USD, 200 USD, -200 USD",
    "3, 5, 500 USD, 100 USD, 400 USD",
  ]);
  assert.deepEqual(await read("sales", "hour"), [
    "0, 0, 0 USD, 200 USD, -200 USD",
    "2, 2, 200 USD, 100 USD, 100 USD",
    "1, 3, 300 USD, 0 USD, 300 USD",
  ]);
  assert.deepEqual(await read("sales", "product"), [
    `${stocked}: 2, 200 USD, 200 USD, 0 USD`,
    `${bought}: 2, 200 USD, 100 USD, 100 USD`,
    `${abroad}: 1, 100 USD, 0 USD, 100 USD`,
  ]);
  assert.deepEqual(await read("sales", "reseller"), [
    `${shop.buyer.resellerId}: 3, 5, 500 USD, 300 USD, 200 USD`,
  ]);
  assert.deepEqual(
    (await read("sales", "supplier")).sort(),
    [
      `${supplierId}: 2, 200 USD, 0 USD, 200 USD`,
      `${shop.stockSupplierId}: 2, 200 USD, 200 USD, 0 USD`,
    ].sort(),
  );
});

test("the margin is in the currency of the sale, and without a rate a cost in another is not known", async () => {
  assert.deepEqual(
    (await read("margin", "product")).sort(),
    [
      `${stocked}: 2, 2, 200 USD, 200 USD, 1.60 USD, 160 USD, 0 USD, -160 USD, –, 0 USD, –, –, 0 USD`,
      `${bought}: 1, 1, 100 USD, 0 USD, 0.80 USD, 80 USD, 0 USD, 20 USD, 200 ‰, 0 USD, –, –, 100 USD`,
      `${abroad}: 1, 1, 100 USD, 0 USD, 0.70 EUR, –, –, –, –, 100 USD, –, –, 100 USD`,
    ].sort(),
  );
  assert.deepEqual(await read("margin", "reseller"), [
    `${shop.buyer.resellerId}: 4, 4, 400 USD, 200 USD, 0.70 EUR + 2.40 USD, 240 USD, 0 USD, -140 USD, -1400 ‰, 100 USD, –, –, 200 USD`,
  ]);
});

test("refunds tell what was not delivered from what came back, and fulfilment how long it took", async () => {
  assert.deepEqual(await read("refunds", "day"), [
    "1, 2, 200 USD, 0 USD, 200 USD, –",
    "1, 1, 100 USD, 100 USD, 0 USD, 200 ‰",
  ]);
  assert.deepEqual(await read("refunds", "supplier"), [
    `${shop.stockSupplierId}: 2, 200 USD, 0 USD, 200 USD, 1000 ‰`,
  ]);
  assert.deepEqual(await read("fulfilment", "reseller"), [
    `${shop.buyer.resellerId}: 2, 0, 1, 666 ‰, 630 ms, 2500 ms, 2500 ms`,
  ]);
  assert.deepEqual(await read("fulfilment", "product"), [
    `${stocked}: 2, 630 ms, 630 ms, 630 ms`,
    `${bought}: 1, 630 ms, 630 ms, 630 ms`,
    `${abroad}: 1, 2500 ms, 2500 ms, 2500 ms`,
  ]);
});

test("one product, reseller or supplier by time", async () => {
  const of = async (name: ReportName, by: "hour" | "day", member: ReportScope["member"]) => {
    const scope = {
      environment: "live",
      by,
      from: new Date(0),
      to: new Date(shop.clock.now().getTime() + 1),
    } as const;
    const { rows, names } = await readReport(shop.scrip.db, name, { ...scope, member });
    assert.equal(names.size, 1);
    return rows.map(({ cells }) => cells.map(say).join(", "));
  };
  assert.deepEqual(await of("sales", "day", { of: "product", id: bought }), ["2, 200 USD, 100 USD, 100 USD"]);
  assert.deepEqual(await of("margin", "hour", { of: "supplier", id: shop.stockSupplierId }), [
    "0, 0, 0 USD, 200 USD, –, 0 USD, 0 USD, -200 USD, –, 0 USD",
    "2, 2, 200 USD, 0 USD, 1.60 USD, 160 USD, 0 USD, 40 USD, 200 ‰, 0 USD",
  ]);
  assert.equal((await of("fulfilment", "day", { of: "reseller", id: shop.buyer.resellerId })).length, 1);
});

test("a report says up to when it is complete, and names what it is about", async () => {
  const scope = { environment: "test", by: "product", from: new Date(0), to: shop.clock.now() } as const;
  const none = await readReport(shop.scrip.db, "sales", scope);
  assert.deepEqual([none.rows, none.completeUntil], [[], shop.clock.now()]);
  const live = await readReport(shop.scrip.db, "margin", { ...scope, environment: "live", by: "supplier" });
  assert.equal(live.names.size, 2);
});

test("a sale without a landed cost is in the margin before it is delivered", async () => {
  const waiting = await shop.addBought(supplierId);
  await shop.order([waiting, 1]);
  await countFacts({ db: shop.scrip.db, clock: shop.clock });
  assert.ok(
    (await read("margin", "product")).includes(
      `${waiting}: 0, 0, 0 USD, 0 USD, –, –, –, –, –, 0 USD, –, –, 100 USD`,
    ),
  );
});

test("a percentile is the bound that so many stayed within, and unknown beyond the last one", () => {
  assert.equal(percentileMs([], 50), undefined);
  const counts = [
    { bucket: 20, count: 1n },
    { bucket: 3, count: 94n },
    { bucket: 71, count: 5n },
  ];
  assert.deepEqual(
    [50, 94, 95, 96].map((percent) => percentileMs(counts, percent)),
    [20, 20, 1_000, Number.POSITIVE_INFINITY],
  );
});
