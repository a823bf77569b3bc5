import assert from "node:assert/strict";
import { testCode } from "../../src/sandbox/test-code.ts";
import { LINES, type Line, type SandboxDesk, totalOf } from "./sandbox-desk.ts";

/** What a reseller finally sees of a sandbox order. */
export type ExpectedOrder = {
  scenario: string | undefined;
  lines?: readonly Line[];
  fulfilment?: "partial" | "all_or_nothing";
  statuses: readonly string[];
  /** How many units of each line are delivered, and how many refunded. */
  delivered: readonly number[];
  refunded: readonly number[];
  /** Lines with a failure. */
  failed?: readonly number[];
  events: readonly string[];
};

export type PlacedOrder = { id: string; idempotencyKey: string };

/** Compares everything that a reseller can see of an order, and the received webhooks, with what is expected. */
export async function assertSandboxOrder(
  desk: SandboxDesk,
  { id, idempotencyKey }: PlacedOrder,
  expected: ExpectedOrder,
): Promise<void> {
  const { lines = LINES, statuses, delivered, refunded, failed = [] } = expected;
  const order = await desk.read(id);
  assert.equal(order.status, statuses.at(-1));
  assert.deepEqual(await desk.statusesOf(id), statuses);
  assert.deepEqual(order.refundedTotal, { amount: refundOf(expected), currency: "USD" });
  assert.deepEqual(
    order.lines.map((line) => [line.fulfilledQuantity, line.refundedQuantity, line.failureCode]),
    lines.map((_, index) => [
      delivered[index],
      refunded[index],
      failed.includes(index) ? "rejected_by_issuer" : undefined,
    ]),
  );
  const refunds = refundOf(expected) === 0 ? [] : [{ type: "refund", amount: refundOf(expected) }];
  assert.deepEqual(await desk.entriesOf(id), [{ type: "order", amount: -totalOf(lines) }, ...refunds]);
  assertTold(desk, id, expected.events);
  await assertCodes(desk, { id, idempotencyKey }, expected);
}

export const refundOf = ({ lines = LINES, refunded }: ExpectedOrder): number =>
  totalOf(lines.map(([productId], index) => [productId, refunded[index] ?? 0]));

/** Each event once, with a signature that an independent verifier accepts. */
export function assertTold(desk: SandboxDesk, id: string, events: readonly string[]): void {
  const received = desk.receivedOf(id);
  assert.deepEqual(
    received.map(({ type, status }) => `${type} ${status}`),
    events,
  );
  assert.equal(new Set(received.map(({ eventId }) => eventId)).size, events.length);
  assert.deepEqual(
    received.filter(({ verifies }) => !verifies),
    [],
  );
}

/** The codes are the predictable ones. Without a delivery there are none to read. */
async function assertCodes(
  desk: SandboxDesk,
  { id, idempotencyKey }: PlacedOrder,
  { lines = LINES, statuses, delivered }: ExpectedOrder,
): Promise<void> {
  const reply = await desk.codesOf(id);
  const codes = lines.flatMap(([productId], lineIndex) =>
    Array.from({ length: delivered[lineIndex] ?? 0 }, (_, unitIndex) => {
      const code = testCode(idempotencyKey, lineIndex, unitIndex);
      const type = productId === "credits" ? { type: "topup", receipt: code } : { type: "code", code };
      return { lineIndex, productId, ...type };
    }),
  );
  if (codes.length === 0) {
    assert.equal(reply.statusCode, 409);
    const status = statuses.at(-1);
    const isOver = status === "failed" || status === "refunded";
    const code = isOver ? "codes_unavailable" : "order_not_fulfilled";
    assert.deepEqual([reply.json().code, reply.json().orderStatus], [code, status]);
    return;
  }
  assert.equal(reply.statusCode, 200, reply.body);
  assert.equal(reply.json().status, statuses.at(-1));
  const read = reply
    .json()
    .data.map(({ id: _id, deliveredAt: _at, ...code }: Record<string, unknown>) => code);
  assert.deepEqual(read, codes);
}
