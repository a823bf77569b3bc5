import assert from "node:assert/strict";
import { test } from "node:test";
import { describeForward, forwardJson } from "./describe-forward.ts";
import type { Forward } from "./forward-queue.ts";

const AT = new Date(2030, 0, 31, 9, 5, 7);
const FORWARD: Forward = {
  event: {
    id: "evt_1",
    type: "order.refunded",
    created_at: "2030-01-31T09:05:06.789Z",
    data: { order_id: "ord_1", status: "refunded" },
  },
  attempt: 1,
  result: "delivered",
  status: 200,
  error: undefined,
  latencyMs: 12,
  retryInMs: undefined,
};
const TEST_EVENT = { ...FORWARD.event, type: "webhook.test", data: { webhook_id: "whk_1" } };

const LINES: [string, Partial<Forward>, string][] = [
  ["delivered", {}, "09:05:07  order.refunded   evt_1  ord_1  → 200 in 12 ms"],
  ["a test", { event: TEST_EVENT }, "09:05:07  webhook.test     evt_1  whk_1  → 200 in 12 ms"],
  ["of nothing", { event: { ...TEST_EVENT, data: {} } }, "09:05:07  webhook.test     evt_1  → 200 in 12 ms"],
  [
    "failed",
    { status: 500, result: "retrying", retryInMs: 2_000 },
    "09:05:07  order.refunded   evt_1  ord_1  → 500 in 12 ms, retrying in 2 s",
  ],
  [
    "redirected",
    { status: 302, result: "retrying", retryInMs: 2_000 },
    "09:05:07  order.refunded   evt_1  ord_1  → 302, and redirects are not followed, in 12 ms, retrying in 2 s",
  ],
  [
    "not answered",
    { status: undefined, error: "connection_refused", result: "retrying", retryInMs: 30_000 },
    "09:05:07  order.refunded   evt_1  ord_1  → connection refused in 12 ms, retrying in 30 s",
  ],
  [
    "given up",
    { status: undefined, error: "timeout", result: "given_up", attempt: 5 },
    "09:05:07  order.refunded   evt_1  ord_1  → timeout in 12 ms, given up after 5 attempts\n" +
      "  to receive it again, restart with --since 2030-01-31T09:05:06.789Z",
  ],
  [
    "steering the terminal",
    { event: { ...FORWARD.event, id: "evt_\u001b[2J\n", data: { order_id: "\u009b1m" } } },
    "09:05:07  order.refunded   evt_?[2J?  ?1m  → 200 in 12 ms",
  ],
];
for (const [what, changes, expected] of LINES) {
  test(`the line of an attempt that was ${what}`, () =>
    assert.equal(describeForward({ ...FORWARD, ...changes }, AT), expected));
}

test("the JSON document omits absent members and is one line", () => {
  const at = new Date("2030-01-31T09:05:07.000Z");
  assert.equal(
    forwardJson(FORWARD, at),
    '{"at":"2030-01-31T09:05:07.000Z","eventId":"evt_1","type":"order.refunded","createdAt":"2030-01-31T09:05:06.789Z",' +
      '"orderId":"ord_1","attempt":1,"result":"delivered","status":200,"latencyMs":12}',
  );
  const failed = { status: undefined, error: "timeout", result: "retrying", retryInMs: 5_000 } as const;
  const { status, error, result, retryInMs, webhookId } = JSON.parse(
    forwardJson({ ...FORWARD, ...failed, event: TEST_EVENT }, at),
  );
  assert.deepEqual(
    [status, error, result, retryInMs, webhookId],
    [undefined, "timeout", "retrying", 5_000, "whk_1"],
  );
});
