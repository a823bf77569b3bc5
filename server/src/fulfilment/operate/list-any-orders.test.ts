import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { explain } from "../../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { type AnyOrderSelection, listAnyOrderRows } from "./any-order-queries.ts";
import { findOrders } from "./find-orders.ts";
import { exportAnyOrders } from "./list-any-orders.ts";

const ORDERS = sizeFor("soak", { share: 24_000, full: 400_000 });
const RESELLERS = 40;
const RARE_EVERY = 4_000;
const SHOWN = 20;
/** A merge of 40 lists reads at most 120 orders of each. */
const ROWS_MAX = 5_000;
const BUFFERS_MAX = 12_000;
/** Small, so a scan of it is no worse than a walk through its index. */
const SMALL_TABLES = new Set(["resellers"]);

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
  await fill();
});
after(() => database.drop());

/** Test orders are the newest half. Reseller 0 has had no order since the first day; every 7th order was bought at sup_a. */
async function fill(): Promise<void> {
  const { db } = database;
  await db.rows(sql`
    insert into resellers (id, name, currency, email)
    select 'rsl_' || n, 'Reseller ' || n, 'USD', 'a@b.example' from generate_series(0, ${RESELLERS - 1}::integer) n`);
  await db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, status, total_minor,
                        refunded_minor, currency, key_id, created_at, updated_at)
    select 'ord_' || lpad(n::text, 26, '0'),
           'rsl_' || case when n <= 100 then 0 else 1 + n % ${RESELLERS - 1} end,
           case when n > ${ORDERS / 2} then 'test' else 'live' end, 'key-' || n, sha256(''),
           case when n % 3 = 0 then 'shared' else 'ref-' || n end,
           case when n % ${RARE_EVERY} = 0 then 'refunded' else 'completed' end, 100,
           case when n % ${RARE_EVERY} = 0 then 100 else 0 end, 'USD', 'key', now(), now()
    from generate_series(1, ${ORDERS}::integer) n`);
  await db.rows(sql`
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                             quantity, line_total_minor)
    select id, 0, reseller_id, environment, case when idempotency_key in ('key-7', 'key-700') then 'once' else 'common' end,
           'Card', 100, 1, 100
    from orders`);
  await db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   cost_minor, cost_currency, status, opened_at, resolved_at)
    select id, 0, 0, 1, 'live', 'common', case when substr(id, 5)::bigint % 7 = 0 then 'sup_a' else 'sup_b' end, 'sku',
           80, 'USD', 'delivered', now(), now()
    from orders where environment = 'live'`);
  await db.rows(sql`analyze resellers, orders, order_lines, supplier_attempts`);
}

type Search = Partial<AnyOrderSelection>;
const list = async (search: Search) => {
  const selection = {
    environment: "live",
    filters: {},
    beforeId: undefined,
    limit: SHOWN,
    ...search,
  } as const;
  const { rows, nextBeforeId } = await listAnyOrderRows(database.db, selection);
  return { ids: rows.map(({ id }) => Number(id.slice(4))), rows, nextBeforeId };
};
const idOf = (n: number): string => `ord_${String(n).padStart(26, "0")}`;
const range = (from: number, step = 1): number[] =>
  Array.from({ length: SHOWN }, (_, index) => from - index * step);
const NEWEST_LIVE = ORDERS / 2;
const byA = NEWEST_LIVE - (NEWEST_LIVE % 7);

test("orders of all resellers are listed newest first, each filter by itself and combined, without a gap between pages", async () => {
  assert.deepEqual((await list({})).ids, range(NEWEST_LIVE));
  assert.deepEqual((await list({ environment: "test" })).ids, range(ORDERS));
  // Of the newest orders of all only a few are of this environment.
  const beforeId = idOf(NEWEST_LIVE + 290);
  assert.deepEqual((await list({ beforeId })).ids, range(NEWEST_LIVE));
  assert.deepEqual((await list({ beforeId: idOf(15) })).ids, range(14).slice(0, 14));
  const second = await list({ beforeId: (await list({})).nextBeforeId });
  assert.deepEqual(second.ids, range(NEWEST_LIVE - SHOWN));
  assert.deepEqual((await list({ filters: { status: ["refunded"] } })).ids.slice(0, 2), [
    NEWEST_LIVE,
    NEWEST_LIVE - RARE_EVERY,
  ]);
  assert.deepEqual((await list({ filters: { productId: "once" } })).ids, [700, 7]);
  assert.deepEqual((await list({ supplierId: "sup_a" })).ids, range(byA, 7));
  assert.deepEqual((await list({ supplierId: "sup_a", resellerId: "rsl_0" })).rows.length > 0, false);
  assert.deepEqual((await list({ supplierId: "sup_a", environment: "test" })).ids, []);
  assert.deepEqual((await list({ resellerId: "rsl_0", filters: { productId: "once" } })).ids, [7]);
  assert.deepEqual((await list({ search: "ref-700" })).ids, [700]);
  assert.deepEqual((await list({ search: "key-700" })).ids, [700]);
  assert.deepEqual((await list({ search: idOf(700) })).ids, [700]);
  assert.deepEqual((await list({ search: "key-700", environment: "test" })).ids, []);
  const [row] = (await list({ search: "key-700" })).rows;
  assert.deepEqual(
    [row?.resellerName, row?.idempotencyKey, row?.costs],
    [`Reseller ${1 + (700 % (RESELLERS - 1))}`, "key-700", [{ amountMinor: "80", currency: "USD" }]],
  );
});

test("an export has every order of the filter once", async () => {
  const found = [];
  const asked = { query: { productId: "once" }, url: "" };
  for await (const { id } of exportAnyOrders(database.db, { environment: "live" }, asked)) found.push(id);
  assert.deepEqual(found.sort(), [idOf(7), idOf(700)]);
  let refunded = 0;
  const rare = { query: { status: ["refunded"] }, url: "" };
  for await (const _ of exportAnyOrders(database.db, { environment: "live" }, rare)) refunded += 1;
  assert.equal(refunded, Math.floor(NEWEST_LIVE / RARE_EVERY));
  assert.throws(() =>
    exportAnyOrders(database.db, { environment: "live" }, { query: { status: "odd" }, url: "" }),
  );
});

const FLAT: Record<string, Search> = {
  "no filter": {},
  "another environment": { environment: "test" },
  "a reseller": { resellerId: "rsl_5" },
  "a reseller without new orders": { resellerId: "rsl_0" },
  "a rare status": { filters: { status: ["refunded"] } },
  "a status of no order": { filters: { status: ["failed"] } },
  "a reference of a third of all": { filters: { reference: "shared" } },
  "a reference of one order": { filters: { reference: "ref-700" } },
  "a key": { filters: { idempotencyKey: "key-700" } },
  "a rare product": { filters: { productId: "once" } },
  "a common product": { filters: { productId: "common" } },
  "a supplier": { supplierId: "sup_a" },
  "a supplier of no order": { supplierId: "sup_none" },
  "a supplier and a reseller": { supplierId: "sup_a", resellerId: "rsl_5" },
  "a supplier and a reseller without overlap": { supplierId: "sup_a", resellerId: "rsl_0" },
  "a supplier and a rare status": { supplierId: "sup_a", filters: { status: ["refunded"] } },
  "a status and a product without overlap": { filters: { status: ["refunded"], productId: "once" } },
  "a search for a reference of a third of all": { search: "shared" },
  "a search for a key": { search: "key-700" },
  "a search for the beginning of many ids": { search: idOf(0).slice(0, 20) },
  "a search and a supplier": { search: "shared", supplierId: "sup_b" },
};

test(`every list of all resellers touches few pages of ${ORDERS} orders, on its first page and deep down`, async () => {
  for (const [what, search] of Object.entries(FLAT)) {
    for (const beforeId of [undefined, idOf(ORDERS / 10)]) {
      const selection = { environment: "live", filters: {}, limit: 50, ...search, beforeId } as const;
      const cost = await explain(database.db, (db) => listAnyOrderRows(db, selection));
      const scanned = cost.scanned.filter((table) => !SMALL_TABLES.has(table));
      assert.deepEqual(scanned, [], `${what}${cost.plan}`);
      assert.ok(cost.rows <= ROWS_MAX, `${what}: ${cost.rows} rows${cost.plan}`);
      assert.ok(cost.buffers <= BUFFERS_MAX, `${what}: ${cost.buffers} buffers${cost.plan}`);
    }
  }
});

test("scrip order list finds what is rare of one reseller by an index, in one environment and in both", async () => {
  const rare = [
    { reference: "ref-700" },
    { reference: "none" },
    { status: ["refunded"] },
    { status: ["failed"] },
  ] as const;
  for (const filters of rare)
    for (const environment of ["live", undefined] as const) {
      const search = { resellerId: "rsl_5", environment, limit: 50, ...filters };
      const cost = await explain(database.db, (db) => findOrders(db, search, new Date()));
      const what = `${JSON.stringify(search)}${cost.plan}`;
      assert.deepEqual(
        cost.scanned.filter((table) => !SMALL_TABLES.has(table)),
        [],
        what,
      );
      // All orders of the reseller would be 311.
      assert.ok(cost.buffers < 50, what);
    }
});
