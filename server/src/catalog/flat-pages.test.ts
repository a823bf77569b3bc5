import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { explain } from "../../testing/database/explain.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { Db, Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { listChangesAfter } from "./changes/change-queries.ts";
import type { CatalogFilters } from "./filters/catalog-filters.ts";
import { createCatalogFinder } from "./filters/catalog-finder.ts";
import { findScopeHeads, listIndexedSince, listListFlags, listOwnFlags } from "./filters/index-queries.ts";
import { findVisibleProducts, listVisibleProducts } from "./queries.ts";

const PRODUCTS = sizeFor("soak", { share: 10_000, full: 30_000 });
const PAGE = 100;
/** A product's row, listing, two prices and supply, each found through an index of two or three levels. */
const BUFFERS_PER_PRODUCT_MAX = 20;
/** With one reseller these tables have at most one page, so a sequential scan is the lookup. */
const SMALL_TABLES = [
  "resellers",
  "catalog_state",
  "unlisted_products",
  "reseller_prices",
  "unpriced_products",
  "product_delivery_times",
];

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
  "the first page of changes": (db) => listChangesAfter(db, resellerId, { change: -1n, productId: "" }, PAGE),
  "a late page of changes": (db) =>
    listChangesAfter(db, resellerId, { change: 0n, productId: idOf(PRODUCTS - PAGE) }, PAGE),
  "where the scopes of a reseller are": (db) => findScopeHeads(db, resellerId),
  "products for the index": (db) => listIndexedSince(db, { change: 0n, id: idOf(PRODUCTS / 2) }, PAGE),
  "prices of a list for the index": (db) =>
    listListFlags(
      db,
      { currency: "USD", priceList: "standard" },
      { change: 0n, id: idOf(PRODUCTS / 2) },
      PAGE,
    ),
  "own prices for the index": (db) => listOwnFlags(db, resellerId, { change: 0n, id: "" }, PAGE),
} satisfies Record<string, (db: Queryable) => Promise<unknown>>;

for (const statistics of ["without", "with"]) {
  suite(`${statistics} statistics`, () => {
    before(async () => {
      if (statistics === "with") await scrip.db.rows(sql`analyze`);
    });

    for (const [what, read] of Object.entries(READS)) {
      test(`${what} costs a few lookups per product`, async () => {
        const { buffers, scanned, plan } = await explain(scrip.db, (db) =>
          // An explained statement returns no rows, and a catalog view always has one.
          read(db).catch((error: Error) => assert.match(error.message, /does not exist/)),
        );
        assert.deepEqual(
          scanned.filter((table) => !SMALL_TABLES.includes(table)),
          [],
          plan,
        );
        assert.ok(buffers < PAGE * BUFFERS_PER_PRODUCT_MAX, `${buffers} buffers${plan}`);
      });
    }
  });
}

test("a filtered page reads its own products and nothing else, wherever it is and however few match", async () => {
  const read: number[] = [];
  const counting: Db = {
    ...scrip.db,
    async rows(statement, options) {
      const rows = await scrip.db.rows<never>(statement, options);
      read.push(rows.length);
      return rows;
    },
  };
  const finder = createCatalogFinder(counting);
  const tenant: Tenant = { resellerId, environment: "live" };
  const find = async (filters: CatalogFilters, afterId = "") => {
    read.length = 0;
    const { products, hasMore } = await finder.find(tenant, filters, { afterId, limit: PAGE });
    return { ids: products.map(({ id }) => id), hasMore, read: [...read] };
  };
  await find({ q: "product" });
  const late = idOf(PRODUCTS - PAGE - 1);
  for (const filters of [{ q: "product" }, { purchasable: true }, { type: "gift_card" }] as const) {
    assert.deepEqual((await find(filters)).read, [1, PAGE], JSON.stringify(filters));
    const last = await find(filters, late);
    assert.deepEqual([last.ids[0], last.hasMore, last.read], [idOf(PRODUCTS - PAGE), false, [1, PAGE]]);
  }
  const rare = idOf(PRODUCTS - 1);
  assert.deepEqual(await find({ q: rare }), { ids: [rare], hasMore: false, read: [1, 1] });
  await scrip.db.rows(sql`update products set brand = 'Rare' where id = ${rare}`);
  assert.deepEqual(await find({ brand: "Rare" }), { ids: [rare], hasMore: false, read: [1, 1, 1] });
  assert.deepEqual(await find({ brand: "Nothing" }), { ids: [], hasMore: false, read: [1, 1] });
});
