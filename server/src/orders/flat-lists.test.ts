import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { explain } from "../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { Tenant } from "../http/caller.ts";
import { firstIdAt } from "../lib/ids.ts";
import { listOrderRows } from "./list-queries.ts";
import type { OrderFilterValues } from "./order-filters.ts";

const DAYS = 200;
const ORDERS_PER_DAY = sizeFor("soak", { share: 350, full: 1_000 });
const ORDERS = DAYS * ORDERS_PER_DAY;
/** All orders of the last twenty days are completed, and none before. */
const COMPLETED_AFTER = ORDERS - 20 * ORDERS_PER_DAY;
const REFUNDED_EVERY = ORDERS / 10;
/** What a page may touch, however many orders there are. To read all of them takes more. */
const BUFFERS_MAX = sizeFor("soak", { share: 1_750, full: 2_000 });

const busy: Tenant = { resellerId: "rsl_busy", environment: "live" };
/** Had orders on the first day and none since. */
const idle: Tenant = { resellerId: "rsl_idle", environment: "live" };
let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
  await fillOrders();
  await fillLines();
  await database.db.rows(sql`analyze orders, order_lines`);
  const [{ pages } = { pages: 0 }] = await database.db.rows<{ pages: number }>(
    sql`select relpages as pages from pg_class where oid = 'orders'::regclass`,
  );
  assert.ok(pages > BUFFERS_MAX, `all orders are on ${pages} pages`);
});

after(() => database.drop());

const startOf = (day: number): Date => new Date(Date.UTC(2030, 0, 1 + day));
const firstIds = Array.from({ length: DAYS }, (_, day) => firstIdAt("ord", startOf(day).getTime()));
const firstIdOf = (day: number): string => firstIds[day] ?? "";

/**
 * A misleading history: the most common status is not among the newest orders, rare ones are far apart, and almost
 * half of the orders share one reference. What the statistics suggest is near is far.
 */
const fillOrders = () =>
  database.db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, status, total_minor,
                        refunded_minor, currency, key_id, created_at, updated_at)
    select left((${firstIds}::text[])[1 + (n - 1) / ${ORDERS_PER_DAY}], 14) || lpad(n::text, 16, '0'),
           case when n <= ${ORDERS_PER_DAY} then ${idle.resellerId} else ${busy.resellerId} end, 'live', 'key-' || n,
           sha256(''), case when n % 2 = 0 and n <= ${COMPLETED_AFTER} then 'shared' else 'invoice-' || n end,
           status, 100, case when status = 'refunded' then 100 else 0 end, 'USD', 'key', now(), now()
    from (
      select n, case when n > ${COMPLETED_AFTER} then 'completed' when n % ${REFUNDED_EVERY} = 0 then 'refunded' else 'pending' end
        as status
      from generate_series(1, ${ORDERS}::integer) n
    ) numbered`);

/** Completed orders bought products that no other order did. */
const fillLines = () =>
  database.db.rows(sql`
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                             quantity, line_total_minor)
    select id, 0, reseller_id, environment,
           case when status = 'completed' then 'new' when idempotency_key in ('key-1', 'key-2001') then 'once'
                else 'common' end,
           'Card', 100, 1, 100
    from orders`);

const from = startOf(10);
const to = startOf(12);

const FILTERS: Record<string, OrderFilterValues & { search?: string }> = {
  "no filter": {},
  "status, newest": { status: ["completed"] },
  "status, most common and far back": { status: ["pending"] },
  "status, rare": { status: ["refunded"] },
  "status, no orders": { status: ["failed"] },
  "reference of one order": { reference: "invoice-777" },
  "reference of almost half of all": { reference: "shared" },
  "reference of no order": { reference: "none" },
  idempotencyKey: { idempotencyKey: "key-5000" },
  "productId, most common and far back": { productId: "common" },
  "productId, rare and old": { productId: "once" },
  "productId of no order": { productId: "none" },
  "createdFrom and createdTo, long ago": { createdFrom: from, createdTo: to },
  "createdTo, long ago": { createdTo: to },
  "status and createdTo": { status: ["pending"], createdTo: to },
  "status and a time range without it": { status: ["completed"], createdTo: to },
  "productId and a time range without it": { productId: "new", createdFrom: from, createdTo: to },
  "reference and time": { reference: "shared", createdFrom: from, createdTo: to },
  "status and productId without overlap": { status: ["pending"], productId: "new" },
  "completed and productId without overlap": { status: ["completed"], productId: "common" },
  "status and reference without overlap": { status: ["completed"], reference: "shared" },
  "reference and productId without overlap": { reference: "shared", productId: "new" },
  "all filters": {
    status: ["pending"],
    reference: "shared",
    productId: "common",
    createdFrom: from,
    createdTo: to,
  },
  "idempotencyKey and all others": {
    idempotencyKey: "key-6000",
    status: ["pending"],
    reference: "shared",
    productId: "common",
  },
  "a search for a reference of almost half of all": { search: "shared" },
  "a search for a key": { search: "key-5000" },
  "a search for the beginning of many ids": { search: firstIdOf(100).slice(0, 8) },
  "a search without overlap with a status": { search: "shared", status: ["completed"] },
};

for (const [what, { search, ...filters }] of Object.entries(FILTERS)) {
  test(`GET /v1/orders by ${what} touches few pages of ${ORDERS} orders`, async () => {
    for (const [tenant, deepId] of [
      [busy, firstIdOf(100)],
      [idle, firstIdOf(1)],
    ] as const) {
      for (const beforeId of [undefined, deepId]) {
        const { buffers, scanned, plan } = await explain(database.db, (db) =>
          listOrderRows(db, tenant, { filters, search, beforeId, limit: 100 }),
        );
        assert.deepEqual(scanned, [], plan);
        assert.ok(buffers < BUFFERS_MAX, `${tenant.resellerId}: ${buffers} buffers${plan}`);
      }
    }
  });
}
