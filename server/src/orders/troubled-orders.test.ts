import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { explain } from "../../testing/database/explain.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { firstIdAt } from "../lib/ids.ts";
import { findOldestOpen, listFailedOrders } from "./troubled-orders.ts";

const { db, drop } = await createTestDatabase();
after(drop);

const START_MS = Date.UTC(2030, 0, 1);
const ORDERS = 20_000;
const BUFFERS_MAX = 20;
const tenant = { resellerId: "rsl_a", environment: "live" } as const;
const other = { resellerId: "rsl_b", environment: "live" } as const;

/** One order a second. Of ten one failed, one was refunded, one was refunded in part; the oldest is still processing. */
const fill = (resellerId: string, count: number) =>
  db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, status, total_minor, refunded_minor,
                        currency, key_id, created_at, updated_at, open_units, ended_at)
    select id || ${resellerId}, ${resellerId}, 'live', 'key-' || n, sha256(''), status, 20,
           case when status = 'refunded' then 20 when n % 10 = 3 then 10 else 0 end, 'USD', 'key', at, at, 0,
           case when status in ('completed', 'failed', 'refunded') then at + (n % 100) * interval '10 ms' end
    from unnest(${Array.from({ length: count }, (_, n) => firstIdAt("ord", START_MS + n * 1_000))}::text[])
      with ordinality as made (id, place)
    cross join lateral (
      select place - 1 as n, ${new Date(START_MS)}::timestamptz + (place - 1) * interval '1 second' as at,
             case when place = 1 then 'processing' when place % 10 = 2 then 'failed' when place % 10 = 3 then 'refunded'
               else 'completed' end as status
    ) about`);

await fill(tenant.resellerId, ORDERS);
await fill(other.resellerId, 5);
await db.rows(sql`analyze orders`);

test("the oldest open order is found, and that of another tenant is not", async () => {
  assert.equal((await findOldestOpen(db, tenant))?.getTime(), START_MS);
  assert.equal(await findOldestOpen(db, { ...tenant, environment: "test" }), null);
});

test("failed and refunded orders come together, newest first", async () => {
  const rows = await listFailedOrders(db, tenant, 4);
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["refunded", "failed", "refunded", "failed"],
  );
  assert.deepEqual(
    rows
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
    rows.map(({ id }) => id),
  );
});

test("however many orders there are, a bounded number is read", async () => {
  const { buffers, scanned, plan } = await explain(db, (reader) => findOldestOpen(reader, tenant));
  assert.deepEqual(scanned, [], plan);
  assert.ok(buffers <= BUFFERS_MAX, `${buffers} buffers\n${plan}`);
});
