import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createTestFulfiller, unitStatuses } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import {
  accepted,
  createScriptedSupplier,
  notFound,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import type { PurchaseOutcome } from "../../suppliers/supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { settleOrders } from "../settle/settle-orders.ts";
import { takeOrders } from "./take-orders.ts";

let shop: Shop;
let first: ScriptedSupplier;
let second: ScriptedSupplier;
let ids: { first: string; second: string };

before(async () => {
  shop = await openShop();
});
after(() => shop.close());

beforeEach(async () => {
  shop.clock.advance(3_600_000);
  first = createScriptedSupplier();
  second = createScriptedSupplier();
  ids = {
    first: await addSupplierRow(shop.scrip.db, { kind: "scrip", resendAfterMs: FULFILMENT_LIMITS.arrivalMs }),
    second: await addSupplierRow(shop.scrip.db, {
      kind: "scrip",
      resendAfterMs: FULFILMENT_LIMITS.arrivalMs,
    }),
  };
});

const openWorker = () =>
  createTestFulfiller(shop.scrip, { suppliers: { [ids.first]: first, [ids.second]: second } });

test("an answer that came under a lease that is gone counts for nothing, even in the batch of the one that holds", async () => {
  const worker = openWorker();
  const id = await shop.order([await shop.addBought(ids.first, ids.second), 1]);
  const [late, inTime] = [Promise.withResolvers<PurchaseOutcome>(), Promise.withResolvers<PurchaseOutcome>()];
  const answers = [late.promise, inTime.promise];
  first.buy = () => answers.shift() ?? assert.fail("asked a third time");
  first.answers = [notFound];
  const asked = (times: number) =>
    eventually(`asked ${times} times`, async () => (answers.length === 2 - times ? true : undefined));
  await worker.step();
  await asked(1);
  // The lease lapses, and the same process takes the order again.
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs + FULFILMENT_LIMITS.arrivalMs);
  await worker.step();
  await asked(2);
  late.resolve(refused("out_of_stock"));
  inTime.resolve(accepted);
  await worker.idle();
  first.answers = [sold("A-1")];
  shop.clock.advance(60_000);
  await worker.drain();
  assert.deepEqual(second.asked, [], "no other supplier was called");
  assert.equal((await shop.codesOf(id)).json().data[0].code, "A-1");
  await shop.assertHealthy();
});

test("of two leases of one order in a batch only the one that holds is settled", async () => {
  const { db, codeVault } = shop.scrip;
  const productId = await shop.addBought(ids.first);
  const id = await shop.order([productId, 1]);
  const take = () => takeOrders(db, shop.clock.now(), 10, FULFILMENT_LIMITS);
  const lapsed = await take();
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs + 1);
  const held = await take();
  const about = { unit: { orderId: id, lineIndex: 0, unitIndex: 0 }, productId };
  const batch = [
    {
      orderId: id,
      token: lapsed.token,
      outcomes: [{ ...about, kind: "give-up", failureCode: "out_of_stock" } as const],
    },
    {
      orderId: id,
      token: held.token,
      outcomes: [{ ...about, kind: "wait", until: shop.clock.now() } as const],
    },
  ];
  await settleOrders({ db, clock: shop.clock, codeVault, onDamaged: () => {} }, batch, shop.clock.now());
  assert.deepEqual(await unitStatuses(db, id), ["waiting"]);
});

test("a process that was suspended after it wrote an attempt does not send it", async () => {
  const id = await shop.order([await shop.addBought(ids.first), 1]);
  const worker = createTestFulfiller(shop.scrip, {
    changes: {
      openSupplier: async () => {
        shop.clock.advance(FULFILMENT_LIMITS.callTimeoutMs + 1);
        return { supplier: first, hasFailed: true };
      },
    },
  });
  first.answers = [sold("never")];
  await worker.step();
  await worker.idle();
  assert.deepEqual(first.asked, []);
  assert.equal((await shop.read(id)).status, "processing");
});

test("a supplier that cannot even be opened is passed over, for nothing can have been bought there", async () => {
  const worker = createTestFulfiller(shop.scrip, { suppliers: { [ids.second]: second } });
  second.answers = [sold("B-1")];
  const id = await shop.order([await shop.addBought(ids.first, ids.second), 1]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  await shop.assertHealthy();
});
