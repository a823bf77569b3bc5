import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { explain } from "../../../testing/database/explain.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { countWaiting } from "./count-waiting.ts";
import { describeOrder } from "./describe-order.ts";
import { STUCK_AFTER_MS } from "./find-orders.ts";
import { holdOrder } from "./hold-order.ts";
import { listStuck, type StuckReason } from "./list-stuck.ts";
import { listUnknown, readPosition, sumUnknown } from "./list-unknown.ts";

let shop: Shop;
let supplier: ScriptedSupplier;
const ids: Record<string, string> = {};
let supplierId: string;
let other: string;

/** One order for each way to be stuck, and one that is done. */
before(async () => {
  shop = await openShop();
  const { db } = shop.scrip;
  [supplierId, other] = [
    await addSupplierRow(db, { kind: "scrip" }),
    await addSupplierRow(db, { kind: "scrip" }),
  ];
  const bought = await shop.addBought(supplierId);
  supplier = createScriptedSupplier();
  const worker = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    limits: { breakerFailures: 1_000, giveUpAfterMs: 3_600_000 },
  });
  const place = async (name: string, answer: typeof lost, units = 1) => {
    supplier.answers = [answer];
    ids[name] = await shop.order([bought, units]);
    await worker.drain();
  };
  await place("unknown", lost, 2);
  await place("done", sold("of the order that is done"));
  supplier.answers = [refused("out_of_stock")];
  ids.held = await shop.order([bought, 1]);
  await holdOrder(db, shop.clock, ids.held, true);
  await worker.drain();
  await place("under way", accepted);
  await db.rows(sql`update suppliers set open_until = 'infinity' where id = ${supplierId}`);
  ids["no supplier"] = await shop.order([bought, 1]);
  await worker.drain();
  await db.rows(sql`update order_work set due_at = ${new Date(shop.clock.now().getTime() + 3_600_000)}`);
  await db.rows(sql`update suppliers set open_until = null`);
  ids["not taken"] = await shop.order([bought, 1]);
  shop.clock.advance(STUCK_AFTER_MS + 60_000);
  ids.fresh = await shop.order([bought, 1]);
  // The acceptance is recent: the supplier said so a moment ago.
  await db.rows(sql`
    update supplier_attempts set opened_at = ${shop.clock.now()} where order_id = ${ids["under way"] ?? ""}`);
});
after(() => shop.close());

const stuck = async (reason?: StuckReason) => {
  const page = await listStuck(shop.scrip.db, { environment: "live", reason }, shop.clock.now());
  return { ...page, found: page.data.map(({ id, reason: why }) => [id, why]) };
};

test("stuck orders are listed oldest first, each with why it is stuck", async () => {
  const { found, counts, nextAfterId } = await stuck();
  assert.deepEqual(found, [
    [ids.unknown, "unknown_outcome"],
    [ids.held, "refund_held"],
    [ids["under way"], "under_way"],
    [ids["no supplier"], "no_supplier"],
    [ids["not taken"], "not_taken"],
  ]);
  assert.deepEqual(counts, {
    unknown_outcome: 1,
    refund_held: 1,
    under_way: 1,
    no_supplier: 1,
    not_taken: 1,
  });
  assert.equal(nextAfterId, undefined);
  assert.deepEqual((await stuck("refund_held")).found, [[ids.held, "refund_held"]]);
  const test = await listStuck(shop.scrip.db, { environment: "test" }, shop.clock.now());
  assert.deepEqual(test.data, []);
  const waiting = (environment: "live" | "test", max: number) =>
    countWaiting(shop.scrip.db, { environment, max, now: shop.clock.now() });
  assert.deepEqual(await waiting("live", 100), { unknown: 2, stuck: 5 });
  assert.deepEqual(await waiting("live", 3), { unknown: 2, stuck: 3 });
  assert.deepEqual(await waiting("test", 100), { unknown: 2, stuck: 0 });
  const rest = { environment: "live", afterId: ids["under way"] } as const;
  assert.equal((await listStuck(shop.scrip.db, rest, shop.clock.now())).data.length, 2);
});

test("unknown purchases are listed with what was asked and answered, in pages without a gap", async () => {
  const { db } = shop.scrip;
  const now = shop.clock.now();
  const { data, next } = await listUnknown(db, { isWrittenOff: false }, now);
  assert.equal(next, undefined);
  assert.deepEqual(
    data.map(({ reference, supplierId: at, sends, sendAnswer, lookAnswer, costMinor, priceMinor }) => [
      ...[reference, at, sends, sendAnswer, lookAnswer, costMinor, priceMinor],
    ]),
    [0, 1].map((unit) => [`${ids.unknown}.0.${unit}.1`, supplierId, 1, "timeout", null, 80n, 100n]),
  );
  const [first] = data;
  assert.ok(first);
  const position = [first.openedAt.getTime(), first.orderId, 0, 0].join(".");
  const after = readPosition(position);
  assert.equal((await listUnknown(db, { isWrittenOff: false, after }, now)).data.length, 1);
  for (const text of [undefined, "", "x", `${position}.1`, "1.ord'.0.0"])
    assert.equal(readPosition(text), undefined);
  assert.equal((await listUnknown(db, { isWrittenOff: false, supplierId: other }, now)).data.length, 0);
  const long = { isWrittenOff: false, openedBefore: new Date(now.getTime() - 3_600_000) };
  assert.equal((await listUnknown(db, long, now)).data.length, 0);
  assert.deepEqual(
    (await sumUnknown(db, now)).map(({ units, costs, oldestAt }) => ({ units, costs, oldestAt })),
    [{ units: 2, costs: [{ amountMinor: 160n, currency: "USD" }], oldestAt: first.openedAt }],
  );
});

test("an order is described with routes, purchases, costs, margin and its money in the ledger", async () => {
  const { db } = shop.scrip;
  const done = await describeOrder(db, ids.done ?? "", shop.clock.now());
  assert.deepEqual(done.margin, {
    netMinor: 100n,
    costs: [{ amountMinor: 80n, currency: "USD" }],
    convertedMinor: 80n,
    isConverted: false,
    lostMinor: 0n,
    returned: [],
    marginMinor: 20n,
    unpriced: 0,
  });
  assert.deepEqual(
    done.entries.map(({ type, amountMinor, counterAccount }) => [type, amountMinor, counterAccount]),
    [["order", -100n, "sales"]],
  );
  assert.deepEqual(
    done.purchases.map(({ status, upstreamId, sendAnswer }) => [status, upstreamId, sendAnswer]),
    [["delivered", "upstream of of the order that is done", "delivered"]],
  );
  assert.deepEqual(
    done.routes.map((route) => route.supplierId),
    [supplierId],
  );
  assert.doesNotMatch(
    JSON.stringify(done, (_, value) => (typeof value === "bigint" ? String(value) : value)),
    /"code":/,
  );
  await refundOrder(db, shop.clock, { orderId: ids.done ?? "", lines: undefined, reason: "gone wrong" });
  const back = await describeOrder(db, ids.done ?? "", shop.clock.now());
  assert.equal(back.margin.marginMinor, -80n);
  assert.deepEqual(
    back.entries.map(({ type, note }) => [type, note]),
    [
      ["order", null],
      ["refund", "gone wrong"],
    ],
  );
  await assert.rejects(describeOrder(db, "ord_none", shop.clock.now()), { code: "not_found" });
  await shop.assertHealthy();
});

test("unknown purchases find their orders by id", async () => {
  const { db } = shop.scrip;
  // A table of one page is scanned whatever the query; this one has many.
  await db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, status, key_id,
                        created_at, updated_at, ended_at)
    select 'ord_' || lpad(n::text, 26, '0'), ${shop.buyer.resellerId}, 'live', 'old ' || n, sha256(''), 100, 'USD', 'completed', 'key',
           now(), now(), now()
    from generate_series(1, 3000) n`);
  await db.rows(sql`analyze orders`);
  const { scanned } = await explain(db, (reader) =>
    listUnknown(reader, { isWrittenOff: false }, shop.clock.now()),
  );
  assert.ok(!scanned.includes("orders"));
});
