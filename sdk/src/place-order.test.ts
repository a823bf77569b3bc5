import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { createClient } from "./client.ts";
import { ScripError } from "./errors.ts";
import type { Fetch } from "./http/connection.ts";
import { API_KEY, answeredBy, cut, inTurn, json, problem, proxyPage } from "./testing/answering-server.ts";
import { handTiming } from "./testing/hand-timing.ts";

const SHORT_MS = 150;
const INPUT = { lines: [{ productId: "card", quantity: 1 }] };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A shop that stores orders by their keys, like the API. Some responses get lost. */
function shop(lose: (nth: number) => RequestListener | undefined): {
  answer: RequestListener;
  orders: Map<string, object>;
} {
  const orders = new Map<string, object>();
  let asked = 0;
  const answer: RequestListener = (request, response) => {
    const key = String(request.headers["idempotency-key"]);
    const isReplay = orders.has(key);
    const order = orders.get(key) ?? {
      id: `ord_${orders.size + 1}`,
      status: "pending",
      total: { amount: 250, currency: "USD" },
    };
    orders.set(key, order);
    asked += 1;
    const headers: Record<string, string> = isReplay ? { "idempotent-replayed": "true" } : {};
    (lose(asked) ?? json({ order }, { status: 202, headers }))(request, response);
  };
  return { answer, orders };
}

test("a placement with a lost response is retried with its key and finds the same order", async () => {
  for (const lost of [cut, problem(500, "internal_error"), proxyPage(504)]) {
    const { answer, orders } = shop((nth) => (nth < 3 ? lost : undefined));
    await answeredBy(answer, async ({ client, heard }) => {
      const placed = await client({ retries: 2, timing: handTiming() }).orders.place(INPUT);
      assert.deepEqual([placed.order.id, placed.replayed], ["ord_1", true]);
      assert.match(placed.idempotencyKey, UUID);
      assert.deepEqual([...orders.keys()], [placed.idempotencyKey]);
      assert.equal(heard.length, 3);
    });
  }
});

test("a placement that times out is retried with its key", async () => {
  const keys: (string | null)[] = [];
  const fetch: Fetch = async (_url, init) => {
    keys.push(new Headers(init.headers).get("idempotency-key"));
    const order = { id: "ord_1", status: "pending", total: { amount: 250, currency: "USD" } };
    return keys.length === 1 ? new Promise<Response>(() => {}) : Response.json({ order }, { status: 202 });
  };
  const baseUrl = "http://api.example";
  const client = createClient({ baseUrl, apiKey: API_KEY, timeoutMs: SHORT_MS, timing: handTiming(), fetch });
  const { idempotencyKey } = await client.orders.place(INPUT);
  assert.deepEqual(keys, [idempotencyKey, idempotencyKey]);
});

test("each placement has its own key", async () => {
  const { answer, orders } = shop(() => undefined);
  await answeredBy(answer, async ({ client }) => {
    const { place } = client().orders;
    const [first, second] = [await place(INPUT), await place(INPUT)];
    assert.notEqual(first.idempotencyKey, second.idempotencyKey);
    assert.equal(orders.size, 2);
  });
});

test("every try sends the original input, even if it changes", async () => {
  const input = { lines: [{ productId: "card", quantity: 1 }] };
  const timing = handTiming({ onWait: () => input.lines.push({ productId: "card", quantity: 9 }) });
  const { answer } = shop((nth) => (nth < 3 ? cut : undefined));
  await answeredBy(answer, async ({ client, heard }) => {
    await client({ retries: 2, timing }).orders.place(input);
    const bodies = heard.map(({ body }) => JSON.parse(body));
    assert.deepEqual(bodies, [INPUT, INPUT, INPUT]);
  });
});

test("a failed placement reports its key, and placing again with it gives one order", async () => {
  const { answer, orders } = shop((nth) => (nth < 4 ? cut : undefined));
  await answeredBy(answer, async ({ client }) => {
    const { place } = client({ retries: 2, timing: handTiming() }).orders;
    const error = await place(INPUT).catch((it: unknown) => it);
    assert.ok(error instanceof ScripError);
    assert.deepEqual([error.code, error.status], ["connection_failed", 0]);
    assert.match(error.idempotencyKey ?? "", UUID);
    const { replayed } = await place(INPUT, { idempotencyKey: error.idempotencyKey ?? "" });
    assert.deepEqual([replayed, orders.size], [true, 1]);
  });
  const refused = problem(402, "insufficient_funds", { wallet: "w" }, { "retry-after": "3" });
  await answeredBy(refused, async ({ client }) => {
    const error = await client()
      .orders.place(INPUT, { idempotencyKey: "ours" })
      .catch((it: ScripError) => it);
    assert.deepEqual(
      { ...error, message: (error as ScripError).message },
      {
        name: "ScripError",
        message: "What happened.",
        code: "insufficient_funds",
        status: 402,
        requestId: "req_1",
        errors: [],
        members: { wallet: "w" },
        retryAfterMs: 3000,
        idempotencyKey: "ours",
      },
    );
  });
});

test("an aborted placement reports its key too", async () => {
  const controller = new AbortController();
  const { answer } = shop(() => {
    setImmediate(() => controller.abort());
    return () => {};
  });
  await answeredBy(answer, async ({ client }) => {
    const { place } = client({ retries: 2, timing: handTiming() }).orders;
    const error = await place(INPUT, { signal: controller.signal }).catch((it: ScripError) => it);
    assert.equal((error as ScripError).code, "aborted");
    assert.match((error as ScripError).idempotencyKey ?? "", UUID);
  });
});

test("a placement that is in progress elsewhere is retried until it is done", async () => {
  const busy = problem(409, "idempotency_in_progress", {}, { "retry-after": "1" });
  const timing = handTiming();
  const { answer } = shop((nth) => (nth < 3 ? busy : undefined));
  await answeredBy(answer, async ({ client }) => {
    const { order } = await client({ retries: 2, timing }).orders.place(INPUT, { idempotencyKey: "ours" });
    assert.equal(order.id, "ord_1");
    assert.deepEqual(timing.waited, [1000, 1000]);
  });
});

test("a refusal is not repeated", async () => {
  for (const [status, code] of [
    [402, "insufficient_funds"],
    [409, "idempotency_conflict"],
    [409, "price_changed"],
    [422, "out_of_stock"],
  ] as const) {
    await answeredBy(inTurn(problem(status, code), json({})), async ({ client, heard }) => {
      const placement = client({ retries: 2, timing: handTiming() }).orders.place(INPUT);
      await assert.rejects(placement, { code });
      assert.equal(heard.length, 1);
    });
  }
});

test("an input that cannot be serialised is refused, and is not a failed connection", async () => {
  await answeredBy(json({}), async ({ client, heard }) => {
    const input = { ...INPUT, expectedTotal: 250n as unknown as number };
    await assert.rejects(client({ retries: 2 }).orders.place(input), RangeError);
    assert.deepEqual(heard, []);
  });
});
