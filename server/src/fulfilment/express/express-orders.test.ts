import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { addBuyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { explain } from "../../../testing/database/explain.ts";
import { createScriptedSupplier, sold } from "../../../testing/upstream/scripted-supplier.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { toEventRows } from "../../events/emit-events.ts";
import { idsOf } from "../../lib/ids.ts";
import { publicBytesOf } from "../../vault/hpke.ts";
import { orderFulfilled } from "../end/order-event.ts";
import type { FulfilmentLimits } from "../limits.ts";
import { completeNewOrders } from "./complete-queries.ts";
import { lockDueOrders, readNewOrders } from "./express-queries.ts";

let shop: Shop;
let db: Db;
let supplierId: string;
let bought: string;
before(async () => {
  shop = await openShop();
  db = shop.scrip.db;
  supplierId = await addSupplierRow(db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(3_600_000));

const createWorker = (limits: Partial<FulfilmentLimits> = {}, changes = {}): TestFulfiller =>
  createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: createScriptedSupplier(sold(`B-${shop.clock.now().getTime()}`)) },
    limits,
    changes,
  });

/** A database that refuses all transactions but the first: orders that are not completed at once would need more. */
function withOneTransaction(): Db {
  let transactions = 0;
  const transaction: Db["transaction"] = (work) => {
    transactions += 1;
    return transactions > 1 ? Promise.reject(new Error("no more")) : db.transaction(work);
  };
  return { ...db, transaction };
}

/** An order's status, its two times, and its lease if it has work left. */
const traceOf = async (id: string) => {
  const [row] = await db.rows<{ trace: string }>(sql`
    select concat_ws(' ', o.status, case when o.processing_at = o.ended_at then 'at once' end,
                     'claims ' || w.claims, case when w.lease_token is not null then 'leased' end) as trace
    from orders o left join order_work w on w.order_id = o.id where o.id = ${id}`);
  return row?.trace;
};
const tracesOf = (ids: readonly string[]) => Promise.all(ids.map(traceOf));
const eventsOf = async (id: string) =>
  (await db.rows<{ type: string }>(sql`select type from events where order_id = ${id}`)).map(
    ({ type }) => type,
  );

test("what is in stock is completed without a lease, in one transaction with its event; the rest of the batch is leased", async () => {
  const [stocked, short] = [await shop.addStocked(3), await shop.addStocked(1)];
  const { key } = await shop.scrip.addKey(shop.buyer.resellerId, { env: "test" });
  const sandbox = await postOrder(shop.scrip, { ...shop.buyer, environment: "test", key }, "express", {
    lines: [{ productId: stocked, quantity: 2 }],
  });
  const ids = [
    await shop.order([stocked, 2], [short, 1]),
    sandbox.json().order.id as string,
    await shop.order([stocked, 2]),
    await shop.order([stocked, 1], [bought, 1]),
  ];
  const taken: string[][] = [];
  const worker = createWorker({}, { onStockTaken: (ids: string[]) => taken.push(ids.toSorted()) });
  // Whatever comes after the first transaction fails, and leaves its leases.
  const broken = createWorker({}, { db: withOneTransaction(), onStockTaken: worker.deps.onStockTaken });
  await broken.step();
  await broken.idle();
  assert.deepEqual(await tracesOf(ids), [
    "completed at once",
    "processing claims 1 leased",
    "processing claims 1 leased",
    "processing claims 1 leased",
  ]);
  assert.deepEqual(taken, [[stocked, short].toSorted()]);
  assert.deepEqual(await eventsOf(ids[0] as string), ["order.fulfilled"]);
  assert.equal((await shop.codesOf(ids[0] as string)).json().data.length, 3);
  await shop.assertHealthy();
  // Two codes for the two orders that still want some: whichever asks first, each gets one.
  await shop.addCodes(stocked, [{ type: "code", code: "EXPRESS-LATER" }]);
  shop.clock.advance(60_000);
  await worker.drain();
  await shop.assertHealthy();
  const statuses = await Promise.all([ids[2], ids[3]].map(async (id = "") => (await shop.read(id)).status));
  assert.deepEqual(statuses, ["completed", "completed"]);
});

test("codes for a reseller with a key are sealed to it at once, and nothing of them is left under the master key", async () => {
  const [stocked, sealing] = [await shop.addStocked(3), await addBuyer(shop.scrip, "100.00")];
  const { privateKey } = generateKeyPairSync("x25519");
  const reply = await shop.scrip.call("PUT", "/v1/encryption-key", {
    key: sealing.key,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ publicKey: publicBytesOf(privateKey).toString("base64url") }),
  });
  const { kid } = reply.json().encryptionKey;
  const body = { lines: [{ productId: stocked, quantity: 2 }] };
  const sealed = (await postOrder(shop.scrip, sealing, "sealed at once", body)).json().order.id as string;
  const readable = await shop.order([stocked, 1]);
  await createWorker({}, { db: withOneTransaction() }).step();
  assert.deepEqual(await tracesOf([sealed, readable]), ["completed at once", "completed at once"]);
  const codes = await db.rows(sql`
    select order_id as id, kid, sealed is null as "isGone", ciphertext is not null as "isSealed" from codes
    where order_id in (${sealed}, ${readable}) order by order_id, unit_index`);
  const one = { id: sealed, kid, isGone: true, isSealed: true };
  assert.deepEqual(codes, [one, one, { id: readable, kid: null, isGone: false, isSealed: false }]);
  await shop.assertHealthy();
});

test("workers that meet in the same stock and the same orders deliver each code and each order once", async () => {
  const stocked = await shop.addStocked(30);
  const ids = await Promise.all(Array.from({ length: 40 }, () => shop.order([stocked, 1])));
  const workers = Array.from({ length: 4 }, () => createWorker({ batchMax: 7 }));
  await Promise.all(workers.map((worker) => worker.drain()));
  await workers[0]?.drain();
  const statuses = await Promise.all(ids.map(async (id) => (await shop.read(id)).status));
  const count = (status: string): number => statuses.filter((one) => one === status).length;
  assert.deepEqual([count("completed"), count("refunded")], [30, 10]);
  const codes = await Promise.all(ids.map(async (id) => (await shop.codesOf(id)).json().data?.[0]?.code));
  assert.equal(new Set(codes.filter(Boolean)).size, 30);
  await shop.assertHealthy();
});

test("a batch ends at its limit of units, and what is left stays as it was until the next", async () => {
  const stocked = await shop.addStocked(6);
  const ids = [
    await shop.order([stocked, 2]),
    await shop.order([stocked, 2]),
    await shop.order([stocked, 2]),
  ];
  const worker = createWorker({ settleUnitsMax: 4, unitsMax: 2, batchMax: 8 });
  assert.equal(await worker.step(), true);
  assert.deepEqual(await tracesOf(ids), ["completed at once", "completed at once", "pending claims 0"]);
  await worker.drain();
  assert.equal(await traceOf(ids[2] as string), "completed at once");
  await shop.assertHealthy();
});

test("an order that an operator has locked is left alone", async () => {
  const stocked = await shop.addStocked(2);
  const ids = [await shop.order([stocked, 1]), await shop.order([stocked, 1])];
  const worker = createWorker();
  await db.transaction(async (tx) => {
    await tx.rows(sql`select from order_work where order_id = ${ids[0]} for update`);
    await worker.step();
    assert.deepEqual(await tracesOf(ids), ["pending claims 0", "completed at once"]);
  });
  await worker.drain();
  assert.equal(await traceOf(ids[0] as string), "completed at once");
});

test("lines stay on their pages when their orders end, so that their indexes do not grow", async () => {
  const stocked = await shop.addStocked(120);
  const ids = await Promise.all(Array.from({ length: 120 }, () => shop.order([stocked, 1])));
  const readPages = async () =>
    (
      await db.rows<{ page: string }>(sql`
        select order_id || ' ' || (ctid::text::point)[0] as page from order_lines where order_id = any(${ids}) order by order_id`)
    ).map(({ page }) => page);
  const before = await readPages();
  await createWorker().drain();
  assert.equal(await traceOf(ids[119] as string), "completed at once");
  assert.deepEqual(await readPages(), before);
});

test("a batch finds its rows by their keys, also while nothing has analysed the tables, and only this transaction plans so", async () => {
  const stocked = await shop.addStocked(1);
  await shop.order([stocked, 1]);
  const readSetting = async (tx: Queryable) =>
    (await tx.rows<{ now: string }>(sql`select current_setting('enable_seqscan') as now`))[0]?.now;
  const undone = new Error("nothing of this is kept");
  const planned = db.transaction(async (tx) => {
    assert.equal(await readSetting(tx), "on");
    const now = shop.clock.now();
    const orderIds = (await lockDueOrders(tx, now, 10)).map(({ id }) => id);
    assert.equal(await readSetting(tx), "off");
    const [order] = await readNewOrders(tx, orderIds);
    assert.ok(order);
    const [code] = await db.rows<{ id: string }>(sql`select id from codes where product_id = ${stocked}`);
    const route = {
      supplierId: shop.stockSupplierId,
      sku: "s",
      costMinor: 80n,
      costCurrency: "USD",
      chosen: "priority",
    };
    const seal = { sealed: Buffer.of(1), kid: null, enc: null, ciphertext: null };
    const unit = {
      orderId: order.id,
      lineIndex: 0,
      unitIndex: 0,
      productId: stocked,
      number: 1,
      id: code?.id ?? "",
    };
    const events = toEventRows([orderFulfilled(order)], idsOf(shop.clock), now);
    const { plan, scanned } = await explain({ ...db, rows: tx.rows }, async ({ rows }) => {
      const own = { isTransaction: true, rows } as const;
      await readNewOrders(own, orderIds);
      await completeNewOrders(own, { orderIds, units: [{ ...unit, ...seal, route }], events }, now);
    });
    const indexes = [...plan.matchAll(/(?:Index Scan|Index Only Scan|Bitmap \w+ Scan) (\w+)/g)].map(
      ([, name]) => name,
    );
    assert.deepEqual(
      new Set(indexes),
      new Set([
        ...["orders_pkey", "order_lines_pkey", "order_work_pkey", "codes_pkey"],
        ...["encryption_keys_current", "webhook_endpoints_of_tenant"],
      ]),
    );
    assert.deepEqual(scanned, []);
    throw undone;
  });
  await assert.rejects(planned, undone);
  assert.equal(await readSetting(db), "on");
  await createWorker().drain();
});
