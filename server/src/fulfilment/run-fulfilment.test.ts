import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { eventually } from "../../testing/eventually.ts";
import {
  createScriptedSupplier,
  lost,
  type ScriptedSupplier,
  sold,
} from "../../testing/upstream/scripted-supplier.ts";
import { createLog } from "../lib/log.ts";
import { FULFILMENT_LIMITS } from "./limits.ts";
import { refundOrder } from "./refund/refund-order.ts";
import { type RunningFulfilment, runFulfilment } from "./run-fulfilment.ts";
import { sweep } from "./sweep.ts";
import { readBacklog } from "./sweep-queries.ts";

const HOUR_MS = 3_600_000;
const LONG_MS = 20_000;

let shop: Shop;
let supplierId: string;
let bought: string;
let supplier: ScriptedSupplier;
let logged: string;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(() => {
  shop.clock.advance(HOUR_MS);
  supplier = createScriptedSupplier();
  logged = "";
});

const openLog = () =>
  createLog("info", {
    write: (line) => {
      logged += line;
    },
  });

/** The background work, which looks by itself so seldom that only a wake explains what it does. */
function run(leaseMs = FULFILMENT_LIMITS.leaseMs): RunningFulfilment {
  const { deps } = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    limits: { pollMs: HOUR_MS, leaseMs },
    changes: { log: openLog() },
  });
  return runFulfilment(deps);
}
const reaches = (id: string, status: string) =>
  eventually(`${id} is ${status}`, async () => ((await shop.read(id)).status === status ? true : undefined));
const isAsked = (calls: number) =>
  eventually("the supplier is asked", async () => (supplier.asked.length >= calls ? true : undefined));

/** From now on the supplier answers when the test says so. */
function holdAnswers(code: string): () => void {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(`buy ${reference}`);
    await answered;
    return sold(code);
  };
  return () => answer();
}

test("orders that were placed before the start, and those placed later, are worked on at once", async () => {
  const productId = await shop.addStocked(3);
  const early = await shop.order([productId, 1]);
  const running = run();
  await reaches(early, "completed");
  const later = await shop.order([productId, 1]);
  await reaches(later, "completed");
  await running.stop(LONG_MS);
  const tooLate = await shop.order([productId, 1]);
  await running.stop(LONG_MS);
  assert.equal((await shop.read(tooLate)).status, "pending");
  await createTestFulfiller(shop.scrip).drain();
});

test("a product whose last code was sold cannot be ordered any more", async () => {
  // Before the work begins: its first look at the stock must not see the product without its code.
  const productId = await shop.addStocked(1);
  const running = run();
  const id = await shop.order([productId, 1]);
  await reaches(id, "completed");
  await eventually("it is sold out", async () => {
    const [supply] = await shop.scrip.db.rows<{ state: string }>(
      sql`select state from product_supply where product_id = ${productId}`,
    );
    return supply?.state === "empty" ? true : undefined;
  });
  await running.stop(LONG_MS);
});

test("stop waits for the suppliers that were asked, and settles what they say", async () => {
  const answer = holdAnswers("at the last moment");
  const running = run();
  const id = await shop.order([bought, 1]);
  await isAsked(1);
  const stopping = running.stop(LONG_MS);
  answer();
  await stopping;
  assert.equal((await shop.read(id)).status, "completed");
  await shop.assertHealthy();
});

test("stop waits no longer than its timeout, and another worker takes over the rest", async () => {
  const answer = holdAnswers("too late");
  const running = run();
  const id = await shop.order([bought, 1]);
  await isAsked(1);
  await running.stop(50);
  assert.equal((await shop.read(id)).status, "processing");
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  const suppliers = { [supplierId]: createScriptedSupplier(sold("looked up")) };
  await createTestFulfiller(shop.scrip, { suppliers }).drain();
  const { data } = (await shop.codesOf(id)).json();
  assert.deepEqual(
    data.map(({ code }: { code: string }) => code),
    ["looked up"],
  );
  answer();
  await running.stop(LONG_MS);
  assert.equal((await shop.codesOf(id)).json().data.length, 1);
  await shop.assertHealthy();
});

test("leases are renewed while a supplier keeps one waiting", async () => {
  const answer = holdAnswers("slow");
  const leaseMs = 300;
  const running = run(leaseMs);
  const id = await shop.order([bought, 1]);
  await isAsked(1);
  const dueAt = async (): Promise<number> => {
    const [work] = await shop.scrip.db.rows<{ dueAt: Date }>(
      sql`select due_at as "dueAt" from order_work where order_id = ${id}`,
    );
    return work?.dueAt.getTime() ?? 0;
  };
  for (let renewal = 0; renewal < 3; renewal += 1) {
    shop.clock.advance(leaseMs - 1);
    const due = shop.clock.now().getTime() + leaseMs;
    await eventually("the lease is renewed", async () => ((await dueAt()) === due ? true : undefined));
  }
  answer();
  await reaches(id, "completed");
  await running.stop(LONG_MS);
});

test("what was written off is followed, and what is unknown for too long is told once, without a name", async () => {
  supplier.buy = async () => lost;
  const [given, unknown] = [await shop.order([bought, 1]), await shop.order([bought, 1])];
  await createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } }).drain();
  await refundOrder(shop.scrip.db, shop.clock, { orderId: given, lines: undefined, reason: "gone" });
  shop.clock.advance(2 * FULFILMENT_LIMITS.alertAfterMs);
  supplier.lookUp = async (reference) => (reference.startsWith(given) ? sold("came late") : lost);
  const running = run();
  const states = await eventually("the late code is kept", async () => {
    const rows = await shop.scrip.db.rows(sql`select state from codes where order_id = ${given}`);
    return rows.length > 0 ? rows : undefined;
  });
  assert.deepEqual(states, [{ state: "quarantined" }]);
  await eventually("the operator is told", async () =>
    logged.includes("purchase_unknown") ? true : undefined,
  );
  await running.stop(LONG_MS);
  await run().stop(LONG_MS);
  const alerts = logged.split("\n").filter((line) => line.includes("purchase_unknown"));
  assert.equal(alerts.length, 1, logged);
  assert.equal(JSON.parse(alerts[0] ?? "").orderId, unknown);
  assert.ok(!logged.includes(supplierId));
  const backlog = await readBacklog(shop.scrip.db, shop.clock.now());
  assert.equal(backlog.unknownAttempts, 1);
  assert.equal(backlog.oldestUnknownSeconds, (2 * FULFILMENT_LIMITS.alertAfterMs) / 1_000);
  await shop.assertHealthy();
});

test("a purchase that is being settled during a sweep is told by the next one, once", async () => {
  supplier.buy = async () => lost;
  supplier.lookUp = async () => lost;
  const id = await shop.order([bought, 1]);
  const { deps } = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    changes: { log: openLog() },
  });
  await createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } }).drain();
  shop.clock.advance(2 * FULFILMENT_LIMITS.alertAfterMs);
  const told = () => logged.split("\n").filter((line) => line.includes(id)).length;
  await shop.scrip.db.transaction(async (tx) => {
    await tx.rows(sql`select from supplier_attempts where order_id = ${id} for update`);
    await sweep(deps);
    assert.equal(told(), 0, "it may have an outcome in a moment");
  });
  await sweep(deps);
  await sweep(deps);
  assert.equal(told(), 1);
});
