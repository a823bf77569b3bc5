import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createScriptedSupplier, sold } from "../../../testing/upstream/scripted-supplier.ts";
import type { Db } from "../../db/database.ts";

let shop: Shop;
let supplierId: string;
let productId: string;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  productId = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(3_600_000));

const createWorker = (code: string, db: Db = shop.scrip.db) =>
  createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: createScriptedSupplier(sold(code)) },
    changes: { db },
  });

/** The same database; before the first statement that matches something else is done. */
function beforeFirst(at: RegExp, interrupt: () => Promise<unknown>): Db {
  let isDone = false;
  return {
    ...shop.scrip.db,
    transaction: (work) =>
      shop.scrip.db.transaction((tx) =>
        work({
          ...tx,
          async rows(query, options) {
            if (!isDone && at.test(query.text)) {
              isDone = true;
              await interrupt();
            }
            return tx.rows(query, options);
          },
        }),
      ),
  };
}

const codesOf = (code: string) =>
  shop.scrip.db.rows<{ orderId: string; state: string; reason: string | null }>(sql`
    select order_id as "orderId", state, quarantine_reason as reason from codes
    where digest = ${createWorker("").deps.digestCode(code)} order by state`);

test("of two workers that are handed one code at the same moment the later one keeps it from being delivered", async () => {
  const code = "ONE-CODE-TWICE";
  const late = await shop.order([productId, 1]);
  let early = "";
  // The late one has looked for the code and not found it; before it writes, another order gets it.
  const db = beforeFirst(/insert into codes/, async () => {
    early = await shop.order([productId, 1]);
    await createWorker(code).drain();
  });
  await createWorker(code, db).drain();
  assert.deepEqual(await codesOf(code), [
    { orderId: early, state: "delivered", reason: null },
    { orderId: late, state: "quarantined", reason: "duplicate" },
  ]);
  assert.equal((await shop.read(early)).status, "completed");
  assert.equal((await shop.read(late)).status, "refunded");
  await shop.assertHealthy();
});

test("a code that lies in stock is not delivered a second time when a supplier sells it", async () => {
  const code = "STOCKED-AND-SOLD";
  await shop.addStocked([{ type: "code", code }]);
  const id = await shop.order([productId, 1]);
  await createWorker(code).drain();
  assert.equal((await shop.read(id)).status, "refunded");
  assert.equal((await shop.read(id)).lines[0]?.failureCode, "temporarily_unavailable");
  assert.deepEqual(
    (await codesOf(code)).map(({ state }) => state),
    ["quarantined", "stock"],
  );
  await shop.assertHealthy();
});

test("one code for all units of an order is delivered once", async () => {
  const code = "ONE-FOR-ALL";
  const id = await shop.order([productId, 3]);
  await createWorker(code).drain();
  const { status, lines } = await shop.read(id);
  assert.equal(status, "completed");
  assert.deepEqual([lines[0]?.fulfilledQuantity, lines[0]?.refundedQuantity], [1, 2]);
  assert.equal((await shop.codesOf(id)).json().data.length, 1);
  await shop.assertHealthy();
});
