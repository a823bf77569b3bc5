import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { LINES, openSandbox, type SandboxDesk, totalOf } from "../../testing/sandbox/sandbox-desk.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import { SCENARIO_NAMES } from "./scenarios.ts";

const REFUSALS = { insufficient_funds: 402, out_of_stock: 422, product_not_purchasable: 422 };
const ANSWERS = { rate_limited: 429, internal_error: 500, service_unavailable: 503 };
const ALL = Object.entries({ ...REFUSALS, ...ANSWERS });
const TOTAL = totalOf(LINES);

let desk: SandboxDesk;
before(async () => {
  desk = await openSandbox();
});
after(() => desk.close());

const countOrders = async (): Promise<number> => {
  const rows = await desk.scrip.db.rows(sql`select from orders`);
  return rows.length;
};

test("a forced refusal of a placement charges nothing, binds no key and sends no event", async () => {
  for (const [code, status] of ALL) {
    const balance = await desk.balance();
    const orders = await countOrders();
    const reply = await desk.place({ idempotencyKey: `refused ${code}`, scenario: code });
    assert.equal(reply.statusCode, status, code);
    assert.equal(reply.json().code, code);
    assert.equal(await desk.balance(), balance);
    assert.equal(await countOrders(), orders);
    const id = await desk.order({ idempotencyKey: `refused ${code}` });
    assert.equal(await desk.balance(), balance - TOTAL, "the key was free: the order is placed now");
    await desk.work();
    assert.equal((await desk.read(id)).status, "completed");
  }
  assert.equal(desk.receiver.requests.length, ALL.length, "one event for each order that was placed");
});

test("refusals of products name the first line, and the one for want of money tells the total", async () => {
  for (const scenario of ["out_of_stock", "product_not_purchasable"]) {
    const [error] = (await desk.place({ idempotencyKey: "pointer", scenario })).json().errors;
    assert.deepEqual([error.pointer, error.code], ["/lines/0/productId", scenario]);
  }
  const reply = await desk.place({ idempotencyKey: "pointer", scenario: "insufficient_funds" });
  assert.match(reply.json().detail, / 9\.00 USD/);
  assert.equal(TOTAL, 900);
});

test("under a key that is bound already a refusal replays the order, as it does live", async () => {
  const idempotencyKey = "bound";
  const id = await desk.order({ idempotencyKey, scenario: "stuck" });
  await desk.work();
  for (const scenario of Object.keys(REFUSALS)) {
    const reply = await desk.place({ idempotencyKey, scenario });
    assert.equal(reply.statusCode, 202, scenario);
    assert.equal(reply.headers["idempotent-replayed"], "true");
    assert.deepEqual(reply.json().order, {
      id,
      status: "processing",
      total: { amount: TOTAL, currency: "USD" },
    });
    const conflict = await desk.place({ idempotencyKey, scenario, lines: [["card", 5]] });
    assert.equal(conflict.json().code, "idempotency_conflict");
  }
});

test("a repeat with another scenario replays the order with its own", async () => {
  const idempotencyKey = "first scenario";
  const balance = await desk.balance();
  const id = await desk.order({ idempotencyKey, scenario: "failed" });
  const repeat = async (scenario?: string) => {
    const reply = await desk.place({ idempotencyKey, scenario });
    assert.equal(reply.statusCode, 202, scenario);
    assert.deepEqual([reply.json().order.id, reply.headers["idempotent-replayed"]], [id, "true"]);
    return reply.json().order.status;
  };
  const placing = SCENARIO_NAMES.filter((name) => !(name in ANSWERS));
  for (const scenario of [undefined, ...placing]) assert.equal(await repeat(scenario), "pending");
  await desk.work();
  for (const scenario of [undefined, ...placing]) assert.equal(await repeat(scenario), "failed");
  await desk.work();
  assert.equal((await desk.read(id)).status, "failed");
  assert.equal(await desk.balance(), balance - TOTAL, "paid once");
});

test("of concurrent requests with one key and different scenarios one order comes, with one of them", async () => {
  const ends: Record<string, string> = {
    failed: "failed",
    stuck: "processing",
    refunded: "refunded",
    success: "completed",
  };
  const balance = await desk.balance();
  const replies = await Promise.all(
    Object.keys(ends).map((scenario) => desk.place({ idempotencyKey: "at once", scenario })),
  );
  const ids = new Set(replies.map((reply) => reply.json().order.id));
  assert.equal(ids.size, 1);
  assert.equal(await desk.balance(), balance - TOTAL, "paid once");
  const first = replies.findIndex((reply) => reply.headers["idempotent-replayed"] === undefined);
  await desk.work();
  assert.equal((await desk.read([...ids][0])).status, Object.values(ends)[first]);
});

test("what is wrong with the request itself is told before what was asked for", async () => {
  for (const scenario of Object.keys(REFUSALS)) {
    const changed = await desk.place({ idempotencyKey: "wrong", scenario, expectedTotal: TOTAL + 1 });
    assert.equal(changed.statusCode, 409);
    assert.equal(changed.json().code, "price_changed");
    assert.deepEqual(changed.json().currentTotal, { amount: TOTAL, currency: "USD" });
    const tooMany = await desk.place({ idempotencyKey: "wrong", scenario, lines: [["card", 1_001]] });
    assert.equal(tooMany.json().code, "quantity_out_of_range");
    const right = await desk.place({ idempotencyKey: "wrong", scenario, expectedTotal: TOTAL });
    assert.equal(right.json().code, scenario);
  }
  const stuck = await desk.place({ idempotencyKey: "wrong", scenario: "stuck", expectedTotal: 1 });
  assert.equal(stuck.json().code, "price_changed", "no order is placed with it");
});

test("a wallet that is truly too small refuses an order whatever its scenario", async () => {
  const { db } = desk.scrip;
  const amount = ((await desk.balance()) / 100 - 1).toFixed(2);
  await moveFunds(db, desk.clock, desk.sandbox, { direction: "debit", amount, note: "" });
  for (const scenario of ["success", "stuck", "insufficient_funds"]) {
    const reply = await desk.place({ idempotencyKey: "dear", scenario });
    assert.equal(reply.json().code, "insufficient_funds");
  }
  await moveFunds(db, desk.clock, desk.sandbox, { direction: "credit", amount, note: "" });
});

test("a forced answer to a read leaves everything as it is, and other scenarios do nothing to it", async () => {
  const id = await desk.order({ idempotencyKey: "read" });
  for (const url of ["/v1/balance", "/v1/orders", `/v1/orders/${id}`, "/v1/catalog", "/v1/events"]) {
    for (const [code, status] of Object.entries(ANSWERS))
      assert.equal((await desk.ask("GET", url, code)).statusCode, status);
    const others = SCENARIO_NAMES.filter((name) => !(name in ANSWERS));
    for (const name of others)
      assert.equal((await desk.ask("GET", url, name)).statusCode, 200, `${url} ${name}`);
  }
});
