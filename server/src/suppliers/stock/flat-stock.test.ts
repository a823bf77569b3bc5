import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { explain } from "../../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { findLowStock } from "../../alerts/supply-conditions.ts";
import type { Queryable } from "../../db/database.ts";
import { listRunningOut } from "../../reports/needs-queries.ts";
import { countDeliverable, countStaleSupply } from "../supply-queries.ts";
import { listStock } from "./list-stock.ts";

/** Two products have all codes. The others are sold from the same stock and have none, as in most catalogs. */
const PRODUCTS = Array.from({ length: 60 }, (_, number) => `card-${number}`);
const CODES = 40_000;
const NOW = new Date("2030-01-08T00:00:00Z");
/** Of all products together. A page of the table of codes has about 30 of them. */
const PAGES_MAX = 2_500;

let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addProducts(
    db,
    PRODUCTS.map((id) => ({ id })),
  );
  const supplierId = await addSupplierRow(db, { name: "Warehouse" });
  await db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, cost_minor, cost_currency, sku)
    select id, ${supplierId}, 1, 800, 'USD', id from products`);
  await db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest)
    select 'cod_' || lpad(n::text, 8, '0'), 'live', 'card-' || n % 2, ${supplierId}, 'stock', 'code',
           decode(repeat('00', 120), 'hex'), sha256(int4send(n))
    from generate_series(1, ${CODES}::integer) n`);
  await db.rows(sql`
    insert into report_slices (dimension, member, environment, currency, cost_currency, at, delivered_units)
    select 'product', id, 'live', 'USD', 'USD', ${NOW}, 100 from products`);
});
after(() => database.drop());

const READS: Record<string, (db: Queryable) => Promise<unknown>> = {
  "the alert about low stock": (db) => db.rows(findLowStock(NOW, 1_000)),
  "what runs out, on the console's home": (db) => listRunningOut(db, new Date(0), { days: 3, rateDays: 7 }),
  "what can be delivered": (db) =>
    countDeliverable(
      db,
      PRODUCTS.map((productId) => ({ productId, quantity: 10 })),
      NOW,
    ),
  "supply and routes in stock, after a sale": (db) =>
    countStaleSupply(db, { productIds: PRODUCTS, now: NOW }),
  "supply and routes in stock, of everything": (db) =>
    countStaleSupply(db, { productIds: undefined, now: NOW }),
  "the list of stock": (db) => listStock(db, { after: "", limit: 100, now: NOW }),
};

for (const state of ["new to PostgreSQL", "known to PostgreSQL"])
  test(`stock of few products among many is found by its index, ${state}`, async () => {
    if (state.startsWith("known")) await database.db.rows(sql`analyze`);
    for (const [name, read] of Object.entries(READS)) {
      const { scanned, buffers, plan } = await explain(database.db, read);
      assert.ok(!scanned.includes("codes"), `${name} reads every code:${plan}`);
      assert.ok(buffers < PAGES_MAX, `${name}: ${buffers} pages${plan}`);
    }
  });
