import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  LINES,
  type Line,
  openSandbox,
  PRICES_MINOR,
  type SandboxDesk,
  totalOf,
} from "../../testing/sandbox/sandbox-desk.ts";
import {
  assertSandboxOrder,
  assertTold,
  type ExpectedOrder,
  refundOf,
} from "../../testing/sandbox/sandbox-order.ts";

let desk: SandboxDesk;
let made = 0;

before(async () => {
  desk = await openSandbox();
});
after(() => desk.close());

const FULFILLED = "order.fulfilled fulfilled";
const REFUNDED = "order.refunded refunded";
const REFUNDED_IN_PART = "order.refunded partially_refunded";
const COMPLETED = ["pending", "processing", "completed"];

/** Places the order, does what is due, and compares everything that a reseller can see of it. */
async function expectOrder(expected: ExpectedOrder): Promise<void> {
  made += 1;
  const { scenario, lines = LINES, fulfilment } = expected;
  const idempotencyKey = `${scenario} ${made}`;
  const balance = await desk.balance();
  const id = await desk.order({
    idempotencyKey,
    scenario,
    lines,
    ...(fulfilment === undefined ? {} : { fulfilment }),
  });
  assert.equal((await desk.read(id)).status, "pending");
  assert.equal(await desk.balance(), balance - totalOf(lines), "paid when it is accepted");
  await desk.work();
  // What comes a moment later comes then, and nothing follows it.
  for (const pauseMs of [2_000, 60_000, 86_400_000]) {
    desk.clock.advance(pauseMs);
    await desk.work();
  }
  await assertSandboxOrder(desk, { id, idempotencyKey }, expected);
  assert.equal(await desk.balance(), balance - totalOf(lines) + refundOf(expected));
  await desk.assertHealthy();
}

test("an order completes with its codes, without a scenario and with success", async () => {
  for (const scenario of [undefined, "success"])
    await expectOrder({
      scenario,
      statuses: COMPLETED,
      delivered: [2, 1],
      refunded: [0, 0],
      events: [FULFILLED],
    });
});

test("failed: every unit fails, the money stays, the order rests there and tells nothing", async () => {
  await expectOrder({
    scenario: "failed",
    statuses: ["pending", "processing", "failed"],
    delivered: [0, 0],
    refunded: [0, 0],
    failed: [0, 1],
    events: [],
  });
});

test("refunded: every unit fails, and the money comes back in one entry and one event", async () => {
  await expectOrder({
    scenario: "refunded",
    statuses: ["pending", "processing", "failed", "refunded"],
    delivered: [0, 0],
    refunded: [2, 1],
    failed: [0, 1],
    events: [REFUNDED],
  });
});

test("partial: the last unit of the last line is paid back, all others are delivered", async () => {
  await expectOrder({
    scenario: "partial",
    statuses: COMPLETED,
    delivered: [2, 0],
    refunded: [0, 1],
    failed: [1],
    events: [FULFILLED, REFUNDED_IN_PART],
  });
  await expectOrder({
    scenario: "partial",
    lines: [
      ["credits", 1],
      ["card", 1],
      ["voucher", 3],
    ],
    statuses: COMPLETED,
    delivered: [1, 1, 2],
    refunded: [0, 0, 1],
    failed: [2],
    events: [FULFILLED, REFUNDED_IN_PART],
  });
});

test("partial with more units than are looked at in one go", async () => {
  await expectOrder({
    scenario: "partial",
    lines: [
      ["voucher", 20],
      ["card", 280],
    ],
    statuses: COMPLETED,
    delivered: [20, 279],
    refunded: [0, 1],
    failed: [1],
    events: [FULFILLED, REFUNDED_IN_PART],
  });
});

test("partial of an order that is all or nothing pays all of it back", async () => {
  await expectOrder({
    scenario: "partial",
    fulfilment: "all_or_nothing",
    statuses: ["pending", "processing", "failed", "refunded"],
    delivered: [0, 0],
    refunded: [2, 1],
    failed: [0, 1],
    events: [REFUNDED],
  });
});

test("an order that is all or nothing completes as any other", async () => {
  await expectOrder({
    scenario: undefined,
    fulfilment: "all_or_nothing",
    statuses: COMPLETED,
    delivered: [2, 1],
    refunded: [0, 0],
    events: [FULFILLED],
  });
});

test("partial with a single unit behaves as refunded", async () => {
  await expectOrder({
    scenario: "partial",
    lines: [["card", 1]],
    statuses: ["pending", "processing", "failed", "refunded"],
    delivered: [0],
    refunded: [1],
    failed: [0],
    events: [REFUNDED],
  });
});

test("delayed: processing for 20 s, then completed", async () => {
  const id = await desk.order({ idempotencyKey: "delayed", scenario: "delayed" });
  for (const pauseMs of [0, 1_000, 18_900]) {
    desk.clock.advance(pauseMs);
    await desk.work();
    assert.equal((await desk.read(id)).status, "processing");
    assert.equal((await desk.codesOf(id)).json().orderStatus, "processing");
    assertTold(desk, id, []);
  }
  await desk.assertHealthy();
  desk.clock.advance(100);
  await desk.work();
  const expected = { scenario: "delayed", delivered: [2, 1], refunded: [0, 0], events: [FULFILLED] };
  await assertSandboxOrder(desk, { id, idempotencyKey: "delayed" }, { ...expected, statuses: COMPLETED });
});

test("stuck: still processing after days, with nothing told and the books in order", async () => {
  await expectOrder({
    scenario: "stuck",
    statuses: ["pending", "processing"],
    delivered: [0, 0],
    refunded: [0, 0],
    events: [],
  });
});

test("refunded_after_completion: completed for two seconds, then paid back whole, its codes still readable", async () => {
  const expected = {
    scenario: "refunded_after_completion",
    delivered: [2, 1],
    statuses: [...COMPLETED, "refunded"],
  };
  await expectOrder({ ...expected, refunded: [2, 1], events: [FULFILLED, REFUNDED] });

  const idempotencyKey = "seen to be completed";
  const id = await desk.order({ idempotencyKey, scenario: "refunded_after_completion" });
  const before = { ...expected, statuses: COMPLETED, refunded: [0, 0], events: [FULFILLED] };
  for (const pauseMs of [0, 1_999]) {
    desk.clock.advance(pauseMs);
    await desk.work();
    await assertSandboxOrder(desk, { id, idempotencyKey }, before);
  }
  desk.clock.advance(1);
  await desk.work();
  await assertSandboxOrder(
    desk,
    { id, idempotencyKey },
    { ...expected, refunded: [2, 1], events: [FULFILLED, REFUNDED] },
  );
});

test("refunds after completion are paid however many are due at once", async () => {
  const scenario = "refunded_after_completion";
  const lines: Line[] = [["voucher", 1]];
  const balance = await desk.balance();
  const ids = await Promise.all(
    Array.from({ length: 120 }, (_, number) =>
      desk.order({ idempotencyKey: `after ${number}`, scenario, lines }),
    ),
  );
  await desk.work();
  assert.equal(await desk.balance(), balance - ids.length * PRICES_MINOR.voucher);
  desk.clock.advance(2_000);
  await desk.work();
  assert.equal(await desk.balance(), balance);
  for (const id of ids) assertTold(desk, id, [FULFILLED, REFUNDED]);
  await desk.assertHealthy();
});

test("an order that ended without a delivery says that there will be no codes, and one under way says to wait", async () => {
  for (const [scenario, status, code] of [
    ["failed", "failed", "codes_unavailable"],
    ["refunded", "refunded", "codes_unavailable"],
    ["stuck", "processing", "order_not_fulfilled"],
  ] as const) {
    const id = await desk.order({ idempotencyKey: `no codes ${scenario}`, scenario });
    await desk.work();
    const reply = await desk.codesOf(id);
    assert.deepEqual([reply.statusCode, reply.json().code, reply.json().orderStatus], [409, code, status]);
  }
  const partly = await desk.order({ idempotencyKey: "some codes", scenario: "partial" });
  await desk.work();
  assert.equal((await desk.codesOf(partly)).statusCode, 200);
});
