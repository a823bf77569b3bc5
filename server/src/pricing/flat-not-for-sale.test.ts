import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addUnsuppliedProducts } from "../../testing/builders/supply-builders.ts";
import { explain } from "../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "../db/database.ts";
import { countNotForSale, listNotForSale, type SaleFilter } from "./not-for-sale.ts";

const PRODUCTS = 5_000;
const LISTS = 4;
const PAGE = 50;
/** A later page can lie on some more pages of an index than the first. */
const MORE_BUFFERS_MAX = 30;

let database: TestDatabase;
let db: Db;

before(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  await addUnsuppliedProducts(
    db,
    Array.from({ length: PRODUCTS }, (_, index) => `p-${String(index).padStart(5, "0")}`),
  );
  await db.rows(sql`
    insert into not_for_sale (product_id, price_list, currency, reason, since, left_sale)
    select id, 'list-' || n, 'USD', case when id < 'p-02500' then 'no_rate' else 'withheld' end, now(), false
    from products, generate_series(1, ${LISTS}) n`);
  await db.rows(sql`analyze`);
});
after(() => database.drop());

/** The cursor of the page before the last. */
async function findLastPage(filter: SaleFilter): Promise<string> {
  let after: string | undefined;
  for (;;) {
    const { next } = await listNotForSale(db, filter, { after, limit: 1_000 });
    if (next === undefined) break;
    after = next;
  }
  assert.ok(after);
  return after;
}

const FILTERS: readonly SaleFilter[] = [
  {},
  { reason: "withheld" },
  { priceList: "list-2" },
  { priceList: "list-2", reason: "withheld" },
];

for (const filter of FILTERS)
  test(`a page of what is not for sale costs the same at any depth: ${JSON.stringify(filter)}`, async () => {
    /** What the entries cost; how their products are joined is another matter. */
    const buffersOf = async (after?: string): Promise<number> => {
      const { plan } = await explain(db, (reader) => listNotForSale(reader, filter, { after, limit: PAGE }));
      const [, buffers] = /Index.* not_for_sale\w*: \d+ rows, (\d+) buffers/.exec(plan) ?? [];
      assert.ok(buffers, plan);
      return Number(buffers);
    };
    const [first, last] = [await buffersOf(), await buffersOf(await findLastPage(filter))];
    assert.ok(last <= first + MORE_BUFFERS_MAX, `${first} and ${last} buffers`);
  });

test("the numbers beside the reasons are those of products, and counting ends", async () => {
  assert.deepEqual(await countNotForSale(db, { priceList: "list-1" }), [
    { reason: "no_rate", products: 2_500, isCut: false },
    { reason: "withheld", products: 2_500, isCut: false },
  ]);
  const [cut] = await countNotForSale(db, { reason: "no_rate" });
  assert.deepEqual(cut, { reason: "no_rate", products: 2_500, isCut: true });
});
