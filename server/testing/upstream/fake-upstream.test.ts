import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../eventually.ts";
import { ask, checkSeen, get, lookUp, openUpstream, place, summary } from "./ask-upstream.ts";
import { startFakeUpstream } from "./fake-upstream.ts";
import { type Plan, sale } from "./upstream-faults.ts";
import { after, before, honest, type Step } from "./upstream-steps.ts";

const NEVER_MS = 60_000;

test("a successful order matches the API reference, from placement to its code", async (t) => {
  const upstream = await openUpstream(t, { faults: () => sale(["pending", "processing", "completed"]) });
  const placed = await place(upstream, "ord_1.0.0.1");
  assert.equal(placed.status, 202);
  assert.equal(placed.json.order?.status, "pending");
  const path = `/v1/orders/${placed.json.order?.id}`;
  assert.equal(placed.headers.location, path);
  const early = await get(upstream, `${path}/codes`);
  assert.deepEqual(
    [early.status, early.json.code, early.json.orderStatus],
    [409, "order_not_fulfilled", "pending"],
  );
  const page = await lookUp(upstream, "ord_1.0.0.1");
  assert.equal(page.json.data?.[0]?.id, placed.json.order?.id);
  assert.equal(page.json.data?.[0]?.status, "processing");
  const order = await get(upstream, path);
  assert.equal(order.json.order?.status, "completed");
  const codes = await get(upstream, `${path}/codes`);
  assert.equal(codes.headers["cache-control"], "no-store");
  assert.equal(codes.json.orderId, placed.json.order?.id);
  assert.deepEqual(upstream.purchases(), [
    {
      reference: "ord_1.0.0.1",
      account: "acct-1",
      unit: "0.0.1",
      sku: "sku",
      orderId: placed.json.order?.id,
      state: "completed",
      code: codes.json.data?.[0]?.code,
      repeated: false,
      reversed: false,
      paidMinor: 80,
    },
  ]);
  checkSeen("POST", "/v1/orders", placed);
  checkSeen("GET", "/v1/orders", page);
  checkSeen("GET", path, order);
  checkSeen("GET", `${path}/codes`, codes);
});

test("a repeated reference is the same purchase, a new one a new purchase, and a different order a conflict", async (t) => {
  const upstream = await openUpstream(t, { faults: () => sale(["completed"]) });
  const first = await place(upstream, "ord_1.0.0.1");
  const again = await place(upstream, "ord_1.0.0.1");
  assert.equal(first.headers["idempotent-replayed"], undefined);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.equal(again.json.order?.id, first.json.order?.id);
  assert.equal((await place(upstream, "ord_1.0.0.1", { sku: "other" })).json.code, "idempotency_conflict");
  await place(upstream, "ord_1.0.0.2");
  const units = upstream.purchases().map(({ account, unit, code }) => [account, unit, typeof code]);
  assert.deepEqual(units, [
    ["acct-1", "0.0.1", "string"],
    ["acct-1", "0.0.2", "string"],
  ]);
  assert.equal(new Set(upstream.purchases().map(({ code }) => code)).size, 2);
});

test("without its key nothing is returned, bought or visible", async (t) => {
  const upstream = await openUpstream(t, { faults: () => sale(["completed"]) });
  for (const apiKey of ["", `${upstream.apiKey}x`]) {
    const placed = await place({ ...upstream, apiKey }, "ord_1.0.0.1");
    assert.deepEqual([placed.status, placed.json.code], [401, "unauthenticated"]);
    assert.equal(placed.headers["www-authenticate"], 'Bearer realm="scrip"');
  }
  assert.deepEqual(upstream.purchases(), []);
  assert.deepEqual(upstream.calls(), []);
});

test("anything but an order of one unit is refused immediately", async (t) => {
  const upstream = await openUpstream(t, {});
  const send = async (body: string, headers: Record<string, string> = { "idempotency-key": "a" }) => {
    const reply = await ask(upstream, "POST", "/v1/orders", { body, headers });
    return `${reply.status} ${reply.json.code}`;
  };
  assert.equal(await send("{}", {}), "400 idempotency_key_missing");
  assert.equal(await send("{"), "400 invalid_request");
  assert.equal(await send("null"), "400 invalid_request");
  assert.equal(await send('{"lines":[]}'), "400 invalid_request");
  assert.equal(await send('{"lines":[{"productId":"sku","quantity":2}]}'), "422 quantity_out_of_range");
  assert.equal((await get(upstream, "/v1/orders")).status, 400);
  assert.equal((await get(upstream, "/v1/orders/ord_none")).status, 404);
  assert.equal((await get(upstream, "/v1/elsewhere")).status, 404);
  assert.deepEqual(upstream.purchases(), []);
});

test("stock runs out, and products not on sale are unknown", async (t) => {
  const upstream = await openUpstream(t, { faults: () => sale(["completed"]), stock: { sku: 1 } });
  assert.equal((await place(upstream, "ord_1.0.0.1")).status, 202);
  assert.equal((await place(upstream, "ord_2.0.0.1")).json.code, "out_of_stock");
  assert.equal((await place(upstream, "ord_1.0.0.1")).status, 202);
  assert.equal((await place(upstream, "ord_3.0.0.1", { sku: "none" })).json.code, "not_found");
  assert.equal(upstream.purchases().length, 1);
});

test("links and top-ups are returned as such", async (t) => {
  const upstream = await openUpstream(t, {
    faults: () => sale(["completed"]),
    goods: { link: "url", game: "topup" },
  });
  for (const [sku, member] of [
    ["link", "url"],
    ["game", "receipt"],
  ] as const) {
    const placed = await place(upstream, `ord_${sku}.0.0.1`, { sku });
    const codes = await get(upstream, `/v1/orders/${placed.json.order?.id}/codes`);
    assert.equal(codes.json.data?.[0]?.[member], upstream.purchases().find((one) => one.sku === sku)?.code);
    assert.equal(codes.json.data?.[0]?.code, undefined);
  }
});

test("a refusal stays a refusal, with nothing bought, until the upstream heals", async (t) => {
  const refusals = {
    insufficient_funds: 402,
    not_found: 404,
    out_of_stock: 422,
    invalid_input_field: 422,
    product_not_purchasable: 422,
  } as const;
  for (const [refusal, status] of Object.entries(refusals)) {
    const course = { refusal } as Plan["course"];
    const upstream = await openUpstream(t, { faults: () => ({ kind: "test", course, steps: {} }) });
    for (let count = 0; count < 3; count += 1) {
      assert.equal(summary(await place(upstream, "ord_1.0.0.1")), `${status} ${refusal}`);
    }
    assert.deepEqual((await lookUp(upstream, "ord_1.0.0.1")).json.data, []);
    assert.deepEqual(upstream.purchases(), []);
    upstream.heal();
    assert.equal((await place(upstream, "ord_1.0.0.1")).status, 202);
  }
});

test("an order that is accepted and then fails stays failed before it is refunded, with its reason", async (t) => {
  const course = { stages: ["pending", "failed", "refunded"], failureCode: "invalid_account" } as const;
  const upstream = await openUpstream(t, { faults: () => ({ kind: "test", course, steps: {} }) });
  const { json } = await place(upstream, "ord_1.0.0.1");
  const path = `/v1/orders/${json.order?.id}`;
  const failed = (await get(upstream, path)).json.order;
  assert.deepEqual([failed?.status, failed?.refundedTotal.amount], ["failed", 0]);
  const refunded = (await get(upstream, path)).json.order;
  assert.deepEqual([refunded?.status, refunded?.refundedTotal.amount], ["refunded", refunded?.total.amount]);
  assert.equal(refunded?.lines[0]?.failureCode, "invalid_account");
  assert.equal((await get(upstream, `${path}/codes`)).json.orderStatus, "refunded");
  assert.deepEqual(
    upstream.purchases().map(({ state, code }) => [state, code]),
    [["refunded", undefined]],
  );
});

test("after a number of calls under a reference everything succeeds", async (t) => {
  const steps = Array.from({ length: 20 }, () => before("internal_error"));
  const upstream = await openUpstream(t, {
    faults: () => sale(["completed"], { place: steps }),
    faultyCallsMax: 3,
  });
  const statuses = [];
  for (let count = 0; count < 5; count += 1) statuses.push((await place(upstream, "ord_1.0.0.1")).status);
  assert.deepEqual(statuses, [500, 500, 500, 202, 202]);
});

test("heal lands what was held back, finishes what was bought, aborts what hangs, and then responds normally", async (t) => {
  const plans: Record<string, Plan> = {
    held: sale(["pending", "completed"], { place: [before("hold")] }),
    slow: sale(["pending", "processing", "processing", "completed"]),
    hung: sale(["completed"], { place: [before("hang"), before("reset"), before("reset")] }),
  };
  const upstream = await openUpstream(t, {
    faults: ({ account }) => plans[account] ?? sale(["completed"]),
    landMs: NEVER_MS,
  });
  await place(upstream, "ord_1.0.0.1", { account: "held" });
  await place(upstream, "ord_2.0.0.1", { account: "slow" });
  const hung = place(upstream, "ord_3.0.0.1", { account: "hung" });
  await eventually("the hung request has arrived", async () => upstream.calls()[2]);
  upstream.heal();
  assert.equal(summary(await hung), "lost");
  assert.deepEqual(
    upstream.purchases().map(({ account, state }) => [account, state]),
    [
      ["slow", "completed"],
      ["held", "completed"],
    ],
  );
  assert.equal((await place(upstream, "ord_3.0.0.1", { account: "hung" })).status, 202);
  assert.equal((await lookUp(upstream, "ord_3.0.0.1")).json.data?.[0]?.status, "completed");
});

test("close ends everything that hangs, drips, is late or held back, and leaves nothing behind", async () => {
  const timersBefore = timerCount();
  const steps: Record<string, Step> = {
    hang: after("hang"),
    drip: after("drip"),
    late: after("late"),
    hold: before("hold"),
  };
  const upstream = await startFakeUpstream({
    seed: 1,
    faults: ({ account }) => sale(["completed"], { place: [steps[account] ?? honest] }),
    lateMs: NEVER_MS,
    landMs: NEVER_MS,
  });
  const open = Object.keys(steps).map((account) => place(upstream, `ord_${account}.0.0.1`, { account }));
  await eventually("all four have arrived", async () => upstream.calls()[3]);
  await upstream.close();
  for (const reply of open) assert.equal(summary(await reply), "lost");
  assert.equal(timerCount(), timersBefore);
});

test("describe shows an account's plan and calls, and no other account's", async (t) => {
  const upstream = await openUpstream(t, { faults: { "answer-lost": 1 } });
  await place(upstream, "ord_1.0.0.1");
  await place(upstream, "ord_2.0.0.1", { account: "acct-2" });
  const text = upstream.describe("acct-1");
  assert.match(text, /^acct-1 sku 0\.0\.1: answer-lost\n/);
  assert.match(text, /\n {2}ord_1\.0\.0\.1 call 1: place heard, reset, 202$/);
  assert.doesNotMatch(text, /acct-2|ord_2/);
});

const timerCount = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
