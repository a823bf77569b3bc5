import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { explain } from "../../testing/database/explain.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { Queryable } from "../db/database.ts";
import { findVisibleProducts, listVisibleProducts } from "./queries.ts";

const PRODUCTS = sizeFor("soak", { share: 10_000, full: 30_000 });
const PAGE = 100;
/** A product's row, listing, two prices and supply, each found through an index of two or three levels. */
const BUFFERS_PER_PRODUCT_MAX = 20;
/** With one reseller these tables have at most one page, so a sequential scan is the lookup. */
const SMALL_TABLES = ["resellers", "catalog_state", "unlisted_products", "reseller_prices"];

let scrip: TestApp;
let resellerId: string;

before(async () => {
  scrip = await createTestApp();
  resellerId = (await scrip.addReseller()).id;
  await addProducts(
    scrip.db,
    Array.from({ length: PRODUCTS }, (_, index) => ({ id: idOf(index) })),
  );
  await scrip.db.rows(sql`
    insert into list_prices (product_id, price_list, currency, amount_minor)
    select id, 'standard', 'USD', 2375 from products`);
});

after(() => scrip.close());

const idOf = (index: number): string => `p-${String(index).padStart(5, "0")}`;

const READS = {
  "the first page": (db) => listVisibleProducts(db, resellerId, { afterId: "", limit: PAGE }),
  "the last page": (db) =>
    listVisibleProducts(db, resellerId, { afterId: idOf(PRODUCTS - PAGE - 1), limit: PAGE }),
  "the products of an order": (db) =>
    findVisibleProducts(
      db,
      resellerId,
      Array.from({ length: PAGE }, (_, index) => idOf(index * 290)),
    ),
} satisfies Record<string, (db: Queryable) => Promise<unknown>>;

for (const isAnalyzed of [false, true]) {
  for (const [what, read] of Object.entries(READS)) {
    test(`${what} costs a few lookups per product, ${isAnalyzed ? "with" : "without"} statistics`, async () => {
      if (isAnalyzed) await scrip.db.rows(sql`analyze`);
      const { buffers, scanned, plan } = await explain(scrip.db, (db) =>
        // An explained statement returns no rows, and a catalog view always has one.
        assert.rejects(read(db), /does not exist/),
      );
      assert.deepEqual(
        scanned.filter((table) => !SMALL_TABLES.includes(table)),
        [],
        plan,
      );
      assert.ok(buffers < PAGE * BUFFERS_PER_PRODUCT_MAX, `${buffers} buffers${plan}`);
    });
  }
}
