import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createScriptedSupplier, lost, sold } from "../../../testing/upstream/scripted-supplier.ts";
import type { Db } from "../../db/database.ts";
import { deliveredPlace, quarantinePlace } from "../../vault/code-place.ts";
import { followWrittenOff } from "../operate/follow-written-off.ts";
import { refundOrder } from "../refund/refund-order.ts";

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

/** The same database; before the first statements that match, something else is done each time. */
function beforeFirst(at: RegExp, ...interrupts: (() => Promise<unknown>)[]): Db {
  return {
    ...shop.scrip.db,
    transaction: (work) =>
      shop.scrip.db.transaction((tx) =>
        work({
          ...tx,
          async rows(query, options) {
            if (at.test(query.text)) await interrupts.shift()?.();
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

test("a settlement that collides again and again is repeated until it sees every code of others", async () => {
  const codes = ["TAKEN-FIRST", "TAKEN-SECOND"];
  const late = await shop.order([productId, 2]);
  const supplier = createScriptedSupplier();
  supplier.buy = async ({ reference }) => sold(codes[Number(reference.split(".")[2])] ?? "");
  const takenByOthers = codes.map((code) => async () => {
    await shop.order([productId, 1]);
    await createWorker(code).drain();
  });
  const worker = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    changes: { db: beforeFirst(/insert into codes/, ...takenByOthers) },
  });
  await worker.step();
  await worker.idle();
  await createWorker("").drain();
  assert.equal((await shop.read(late)).status, "refunded");
  assert.deepEqual(
    (await Promise.all(codes.map(codesOf))).flat().map(({ state }) => state),
    ["delivered", "quarantined", "delivered", "quarantined"],
  );
});

test("a code in quarantine opens in its own place only, and does not keep the code from being sold", async () => {
  const { db, codeVault } = shop.scrip;
  const code = "LATE-AND-BOUGHT-AGAIN";
  const unknown = createScriptedSupplier(lost);
  const worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: unknown } });
  const orderId = await shop.order([productId, 1]);
  await worker.drain();
  await refundOrder(db, shop.clock, { orderId, lines: undefined, reason: "too slow" });
  unknown.answers = [sold(code)];
  shop.clock.advance(60_000);
  while (await followWrittenOff(worker.deps));
  const [kept] = await db.rows<{ id: string; sealed: Buffer; reason: string }>(sql`
    select id, sealed, quarantine_reason as reason from codes where order_id = ${orderId}`);
  assert.ok(kept);
  assert.equal(kept.reason, "late");
  const unit = { orderId, lineIndex: 0, unitIndex: 0 };
  assert.ok(codeVault.open(quarantinePlace(kept.id, unit, productId), kept.sealed).includes(code));
  assert.throws(() => codeVault.open(deliveredPlace(unit, productId), kept.sealed), /belongs elsewhere/);
  const again = await shop.order([productId, 1]);
  await createWorker(code).drain();
  assert.equal((await shop.read(again)).status, "completed");
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
