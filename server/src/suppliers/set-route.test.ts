import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import {
  addStockRow,
  addSupplierRow,
  addUnsuppliedProducts,
} from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "../db/database.ts";
import { setEnabled } from "./enable-supplier.ts";
import { findRoute } from "./route-queries.ts";
import { removeRoute, type SetRouteInput, setRoute } from "./set-route.ts";

const clock = { now: () => new Date("2030-06-01T12:00:00.000Z") };
let database: TestDatabase;
let db: Db;
let supplierId: string;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  await addUnsuppliedProducts(db, ["card", "game", "third"]);
  supplierId = await addSupplierRow(db);
});

after(() => database.drop());

const route = (changes: Partial<SetRouteInput> = {}) =>
  setRoute(db, clock, {
    productId: "card",
    supplierId,
    priority: 10,
    cost: "8.10",
    currency: undefined,
    sku: undefined,
    ...changes,
  });

const supplyOf = async (productId: string) =>
  (await db.rows<{ state: string }>(sql`select state from product_supply where product_id = ${productId}`))[0]
    ?.state;

test("a route costs what the product's currency says and is named after the product unless said otherwise", async () => {
  const expected = {
    productId: "card",
    supplierId,
    priority: 10,
    costMinor: 810n,
    costCurrency: "USD",
    maxCostMinor: null,
    sku: "card",
    value: null,
    fieldMap: null,
  };
  assert.deepEqual(await route(), expected);
  assert.deepEqual(await findRoute(db, { productId: "card", supplierId }), expected);
  assert.equal(await supplyOf("card"), "empty");
});

test("given again it changes, and what is not given stays: a new cost does not buy something else", async () => {
  await route({ productId: "game", currency: "KWD", cost: "2.125", sku: "UP-7" });
  const changed = await route({ productId: "game", priority: 0, cost: "2.25" });
  assert.deepEqual(
    [changed.priority, changed.costMinor, changed.costCurrency, changed.sku],
    [0, 2_250n, "KWD", "UP-7"],
  );
  const moved = await route({ productId: "game", cost: "0", currency: "JPY", sku: "game" });
  assert.deepEqual([moved.costMinor, moved.costCurrency, moved.sku], [0n, "JPY", "game"]);
});

test("the most that a unit may cost stays until it or the currency changes, and is never below the cost", async () => {
  const scripId = await addSupplierRow(db, { kind: "scrip" });
  const ofScrip = (changes: Partial<SetRouteInput>) => route({ supplierId: scripId, ...changes });
  assert.equal((await ofScrip({ maxCost: "9.00" })).maxCostMinor, 900n);
  assert.equal((await ofScrip({ cost: "9.00" })).maxCostMinor, 900n);
  await assert.rejects(ofScrip({ cost: "9.01" }), /the maximum cost 9\.00 is below the cost 9\.01/);
  await assert.rejects(ofScrip({ cost: "8.00", maxCost: "7.99" }), /set --max-cost to the cost or more/);
  await assert.rejects(ofScrip({ maxCost: "9.001" }), /too many decimals: USD has/);
  assert.equal((await findRoute(db, { productId: "card", supplierId: scripId }))?.costMinor, 900n);
  assert.equal((await ofScrip({ cost: "800", currency: "JPY" })).maxCostMinor, null);
  await assert.rejects(route({ maxCost: "9.00" }), /--max-cost is for a supplier that is called/);
});

const REFUSED: [string, Partial<SetRouteInput>, RegExp][] = [
  ["an unknown product", { productId: "none" }, /there is no product none/],
  ["an unknown supplier", { supplierId: "sup_none" }, /there is no supplier sup_none/],
  ["a priority below zero", { priority: -1 }, /a priority is a whole number from 0 to 1000000/],
  ["a broken priority", { priority: 1.5 }, /a priority is a whole number/],
  ["a priority beyond all", { priority: 1_000_001 }, /a priority is a whole number/],
  ["a cost that is none", { cost: "8,10" }, /is not an amount/],
  ["a cost finer than the currency", { cost: "8.101" }, /too many decimals: USD has/],
  ["a currency that is none", { currency: "Euro" }, /"Euro" is not an ISO-4217 currency/],
  ["a SKU with a space", { sku: "a b" }, /a SKU has 1 to 64 printable characters/],
  ["a SKU that is too long", { sku: "x".repeat(65) }, /a SKU has 1 to 64/],
  ["a value for stock", { value: "25.00" }, /a stock supplier takes no --value/],
  ["names of fields for stock", { fieldMap: { a: "b" } }, /--map is for a supplier that is called/],
  ["a SKU of nothing", { sku: "" }, /a SKU has 1 to 64/],
];

for (const [what, changes, reason] of REFUSED) {
  test(`${what} is refused and changes nothing`, async () => {
    const before = await db.rows(sql`select * from supplier_routes order by product_id`);
    await assert.rejects(route({ cost: "9.99", priority: 99, ...changes }), reason);
    assert.deepEqual(await db.rows(sql`select * from supplier_routes order by product_id`), before);
  });
}

test("a route to a supplier that sells any face value names it, and what the supplier calls the fields; both stay", async () => {
  const bamboo = await addSupplierRow(db, { kind: "bamboo" });
  const dtone = await addSupplierRow(db, { kind: "dtone" });
  await assert.rejects(route({ supplierId: bamboo }), /needs the face value to buy: --value 25.00/);
  for (const value of ["25,00", "0.00", "-1", "1e2", ""])
    await assert.rejects(route({ supplierId: bamboo, value }), /is not a face value/);
  assert.equal((await route({ supplierId: bamboo, value: "25.00" })).value, "25.00");
  assert.equal((await route({ supplierId: bamboo, cost: "7.00" })).value, "25.00");
  await assert.rejects(route({ supplierId: dtone, value: "1" }), /a dtone supplier takes no --value/);
  const twice = { a: "account_number", b: "account_number" };
  await assert.rejects(route({ supplierId: dtone, fieldMap: twice }), /two fields the same name/);
  const fieldMap = { playerId: "account_number" };
  assert.deepEqual((await route({ supplierId: dtone, fieldMap })).fieldMap, fieldMap);
  assert.deepEqual((await route({ supplierId: dtone, cost: "7.00" })).fieldMap, fieldMap);
  assert.deepEqual((await findRoute(db, { productId: "card", supplierId: dtone }))?.fieldMap, fieldMap);
  assert.equal((await route({ supplierId: dtone, fieldMap: {} })).fieldMap, null);
});

test("a product follows its routes and whether their suppliers are enabled", async () => {
  await addStockRow(db, { productId: "third", supplierId });
  await route({ productId: "third" });
  assert.equal(await supplyOf("third"), "available");
  assert.equal((await setEnabled(db, clock, supplierId, false)).enabled, false);
  assert.equal(await supplyOf("third"), undefined);
  assert.equal((await setEnabled(db, clock, supplierId, true)).enabled, true);
  assert.equal(await supplyOf("third"), "available");
  const removed = await removeRoute(db, clock, { productId: "third", supplierId });
  assert.equal(removed.sku, "third");
  assert.equal(await supplyOf("third"), undefined);
  await assert.rejects(
    removeRoute(db, clock, { productId: "third", supplierId }),
    /there is no route of third/,
  );
  await assert.rejects(setEnabled(db, clock, "sup_none", true), /there is no supplier sup_none/);
});
