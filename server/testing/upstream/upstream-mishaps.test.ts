import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../eventually.ts";
import { get, lookUp, openUpstream, place, summary } from "./ask-upstream.ts";
import { sale } from "./upstream-faults.ts";
import { after, before, type Step } from "./upstream-steps.ts";

const PATIENCE_MS = 100;
const NEVER_MS = 60_000;

/** What a client sees of a placement, and whether it was bought. */
const placements: [Step, seen: string, bought: boolean][] = [
  [before("reset"), "lost", false],
  [after("reset"), "lost", true],
  [after("cut"), "lost", true],
  [after("late"), "silence", true],
  [before("hang"), "silence", false],
  [after("hang"), "silence", true],
  [before("drip"), "silence", false],
  [after("drip"), "silence", true],
  [before("hold"), "lost", false],
  [before("internal_error"), "500 internal_error", false],
  [after("internal_error"), "500 internal_error", true],
  [after("service_unavailable"), "503 service_unavailable", true],
  [before("rate_limited"), "429 rate_limited", false],
  [before("refuse"), "422 out_of_stock", false],
  [after("html"), "200 not JSON", true],
  [before("html"), "200 not JSON", false],
  [after("half-json"), "202 not JSON", true],
  [after("blank"), "202 not JSON", true],
  [after("redirect"), "302 not JSON", true],
  [after("wrong-shape"), "202 null", true],
  [after("other-order"), "202 pending", true],
  [after("banana"), "202 banana", true],
  [after("early"), "202 completed", true],
  [after("back"), "202 processing", true],
];

for (const [step, seen, bought] of placements) {
  const title = `${step.mishap} ${step.heard ? "after" : "before"} buying`;
  test(`a placement with ${title} shows ${seen}, and the next one the truth`, async (t) => {
    const plan = sale(["pending", "completed"], { place: [step] });
    const upstream = await openUpstream(t, {
      faults: () => plan,
      lateMs: NEVER_MS,
      dripMs: 5,
      landMs: NEVER_MS,
    });
    const patience = new AbortController();
    const first = place(upstream, "ord_1.0.0.1", { signal: patience.signal });
    if (seen === "silence") {
      await eventually("it has arrived", async () => upstream.calls()[0]);
      // Long enough for a response that must not come.
      setTimeout(() => patience.abort(), PATIENCE_MS);
    }
    assert.equal(summary(await first), seen);
    assert.equal(upstream.purchases().length, bought ? 1 : 0);
    const again = await place(upstream, "ord_1.0.0.1");
    assert.equal(again.json.order?.id, upstream.purchases()[0]?.orderId);
    assert.equal(again.headers["idempotent-replayed"], bought ? "true" : undefined);
    assert.equal(upstream.purchases().length, 1);
    assert.deepEqual(
      upstream.calls().map(({ verb, number, mishap, heard }) => [verb, number, mishap, heard]),
      [
        ["place", 1, step.mishap, step.heard],
        ["place", 2, "none", true],
      ],
    );
  });
}

test("a response that names another order leads to a stranger's order, which is not the buyer's", async (t) => {
  const step = after("other-order");
  const upstream = await openUpstream(t, {
    faults: () => sale(["completed"], { place: [step], list: [step], read: [step], codes: [step] }),
  });
  const placed = await place(upstream, "ord_1.0.0.1");
  const stranger = `/v1/orders/${placed.json.order?.id}`;
  const own = upstream.purchases()[0];
  assert.notEqual(placed.json.order?.id, own?.orderId);
  const orders = [
    (await get(upstream, stranger)).json.order,
    (await lookUp(upstream, "ord_1.0.0.1")).json.data?.[0],
    (await get(upstream, `/v1/orders/${own?.orderId}`)).json.order,
  ];
  for (const order of orders) {
    assert.deepEqual([order?.id, order?.reference], [placed.json.order?.id, "somebody-else"]);
  }
  for (const path of [stranger, `/v1/orders/${own?.orderId}`]) {
    const codes = await get(upstream, `${path}/codes`);
    assert.equal(codes.json.orderId, placed.json.order?.id);
    assert.match(codes.json.data?.[0]?.code ?? "", /^UP-/);
    assert.notEqual(codes.json.data?.[0]?.code, own?.code);
  }
});

test("codes are empty, too many, not ready, or missing, and then correct", async (t) => {
  const mishaps = ["empty-codes", "extra-code", "not-fulfilled", "missing"] as const;
  const upstream = await openUpstream(t, {
    faults: () => sale(["completed"], { codes: mishaps.map((mishap) => after(mishap)) }),
  });
  const placed = await place(upstream, "ord_1.0.0.1");
  const path = `/v1/orders/${placed.json.order?.id}/codes`;
  assert.deepEqual((await get(upstream, path)).json.data, []);
  assert.equal((await get(upstream, path)).json.data?.length, 2);
  assert.equal((await get(upstream, path)).json.code, "order_not_fulfilled");
  assert.equal((await get(upstream, path)).json.code, "not_found");
  assert.equal((await get(upstream, path)).json.data?.[0]?.code, upstream.purchases()[0]?.code);
});

test("every wrong shape is invalid, and all are different", async (t) => {
  const shapes = Array.from({ length: 11 }, (_, variant) => after("wrong-shape", variant));
  const upstream = await openUpstream(t, {
    faults: () => sale(["completed"], { list: shapes, read: shapes, codes: shapes }),
    faultyCallsMax: 100,
  });
  const { json } = await place(upstream, "ord_1.0.0.1");
  for (const path of ["?idempotencyKey=ord_1.0.0.1", `/${json.order?.id}`, `/${json.order?.id}/codes`]) {
    const bodies = [];
    for (let count = 0; count <= shapes.length; count += 1) {
      bodies.push(JSON.stringify((await get(upstream, `/v1/orders${path}`)).json));
    }
    assert.equal(new Set(bodies).size, shapes.length + 1, bodies.join("\n"));
  }
});

test("what is held back is not found at first, and found later without being sent again", async (t) => {
  const plan = { ...sale(["completed"], { place: [before("hold")] }), landsAfterLooks: 2 };
  const upstream = await openUpstream(t, { faults: () => plan, landMs: NEVER_MS });
  assert.equal(summary(await place(upstream, "ord_1.0.0.1")), "lost");
  assert.deepEqual((await lookUp(upstream, "ord_1.0.0.1")).json.data, []);
  assert.deepEqual((await lookUp(upstream, "ord_1.0.0.1")).json.data, []);
  assert.equal((await lookUp(upstream, "ord_1.0.0.1")).json.data?.length, 1);
  assert.equal((await place(upstream, "ord_1.0.0.1")).headers["idempotent-replayed"], "true");
  assert.equal(upstream.purchases().length, 1);
});

test("what is held back lands in time, and is one purchase if it was sent again meanwhile", async (t) => {
  const plan = sale(["completed"], { place: [before("hold")] });
  const upstream = await openUpstream(t, { faults: () => plan, landMs: 30 });
  await place(upstream, "ord_1.0.0.1");
  await eventually("it lands", async () => upstream.purchases()[0]);
  await place(upstream, "ord_2.0.0.1");
  await place(upstream, "ord_2.0.0.1");
  await place(upstream, "ord_3.0.0.1");
  await eventually("the third lands", async () => upstream.purchases()[2]);
  assert.equal(upstream.purchases().length, 3);
});

test("a request can be refused while an earlier one is on its way, which then lands", async (t) => {
  const plan = sale(["completed"], { place: [before("hold"), before("refuse")] });
  const upstream = await openUpstream(t, { faults: () => plan, landMs: NEVER_MS });
  await place(upstream, "ord_1.0.0.1");
  assert.deepEqual((await lookUp(upstream, "ord_1.0.0.1")).json.data, []);
  assert.equal((await place(upstream, "ord_1.0.0.1")).json.code, "out_of_stock");
  assert.equal((await lookUp(upstream, "ord_1.0.0.1")).json.data?.length, 1);
});

test("nothing is refused that has already landed", async (t) => {
  const plan = sale(["completed"], { place: [before("hold"), before("refuse")] });
  const upstream = await openUpstream(t, {
    faults: () => ({ ...plan, landsAfterLooks: 1 }),
    landMs: NEVER_MS,
  });
  await place(upstream, "ord_1.0.0.1");
  await lookUp(upstream, "ord_1.0.0.1");
  assert.equal((await place(upstream, "ord_1.0.0.1")).headers["idempotent-replayed"], "true");
});

test("faults that only apply to an order leave a refusal unchanged", async (t) => {
  const steps = [after("banana"), after("other-order"), after("wrong-shape"), after("early")];
  const course = { refusal: "out_of_stock" } as const;
  const upstream = await openUpstream(t, {
    faults: () => ({ kind: "refusal", course, steps: { place: steps } }),
  });
  for (const _ of steps) assert.equal(summary(await place(upstream, "ord_1.0.0.1")), "422 out_of_stock");
});

test("a late response arrives complete for a client that waits", async (t) => {
  const upstream = await openUpstream(t, {
    faults: () => sale(["pending"], { place: [after("late")] }),
    lateMs: 20,
  });
  assert.equal(summary(await place(upstream, "ord_1.0.0.1")), "202 pending");
});

test("a dripping response goes on without content", async (t) => {
  const upstream = await openUpstream(t, {
    faults: () => sale(["completed"], { read: [after("drip")] }),
    dripMs: 2,
  });
  const placed = await place(upstream, "ord_1.0.0.1");
  const response = await fetch(`${upstream.baseUrl}/v1/orders/${placed.json.order?.id}`, {
    headers: { "x-api-key": upstream.apiKey },
  });
  assert.equal(response.status, 200);
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.length >= 10) break;
  }
  assert.match(text, /^ {10,}$/);
});
