import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { raw } from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addBuyer, addCard, type Buyer, CARD, postOrder } from "../../../testing/builders/buyers.ts";
import { listOrderRows } from "../../orders/list-queries.ts";
import { findOrders } from "./find-orders.ts";

let scrip: TestApp;
let buyers: Buyer[];

/** Real tenants hardly ever share a hash. Here all of them do. */
before(async () => {
  scrip = await createTestApp();
  await scrip.db.rows(
    raw(`create or replace function tenant_hash(reseller_id text, environment text) returns bigint
         language sql immutable parallel safe return 0::bigint`),
  );
  for (const table of ["orders", "order_lines"]) await scrip.db.rows(raw(`reindex table ${table}`));
  await addCard(scrip.db);
  buyers = [await addBuyer(scrip), await addBuyer(scrip)];
  const body = { lines: [{ productId: CARD, quantity: 1 }], reference: "shared" };
  for (let round = 0; round < 3; round += 1)
    for (const buyer of buyers) {
      const reply = await postOrder(scrip, buyer, `key-${round}`, body);
      assert.equal(reply.statusCode, 202, reply.body);
    }
});

after(() => scrip.close());

const QUERIES = ["", "status=pending", "reference=shared", `productId=${CARD}`, "idempotencyKey=key-1"];

test("tenants whose hashes are the same see their own orders alone, in every list and on every page", async () => {
  const owners = new Map(
    (
      await scrip.db.rows<{ id: string; owner: string }>(raw("select id, reseller_id as owner from orders"))
    ).map(({ id, owner }) => [id, owner]),
  );
  assert.equal(owners.size, 6);
  for (const { key, resellerId } of buyers)
    for (const query of QUERIES) {
      const ids: string[] = [];
      let cursor = "";
      do {
        const reply = await scrip.call("GET", `/v1/orders?${query}&limit=1&cursor=${cursor}`, { key });
        const page = reply.json<{ data: { id: string }[]; nextCursor: string }>();
        ids.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== "");
      assert.deepEqual(
        ids.map((id) => owners.get(id)),
        Array.from({ length: query.startsWith("idempotencyKey") ? 1 : 3 }, () => resellerId),
        query,
      );
    }
});

test("searches and the operator's lists keep such tenants apart too", async () => {
  for (const { resellerId } of buyers) {
    const tenant = { resellerId, environment: "live" } as const;
    const selection = { filters: {}, search: "shared", beforeId: undefined, limit: 10 };
    assert.equal((await listOrderRows(scrip.db, tenant, selection)).rows.length, 3);
    for (const search of [{ resellerId }, tenant]) {
      const { orders } = await findOrders(scrip.db, { ...search, limit: 10 }, scrip.clock.now());
      assert.deepEqual([...new Set(orders.map((order) => order.resellerId))], [resellerId]);
      assert.equal(orders.length, 3);
    }
  }
});
