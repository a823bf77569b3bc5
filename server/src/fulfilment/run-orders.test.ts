import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { runOrders } from "./run-orders.ts";

/** No poll comes unless a test lets time pass. */
const POLL_MS = 3_600_000;
/** The next look is late by a share of it, so that processes do not all look at once. */
const POLLED_WITHIN_MS = 2 * POLL_MS;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

type Batch = { tellMore: () => void; end: (isMore: boolean) => void };

/** Batches that end when the test says so, and how many of them are under way. */
function openOrders() {
  const begun: Batch[] = [];
  let underWay = 0;
  const errors: unknown[] = [];
  const step = (onMore: () => void = () => {}): Promise<boolean> => {
    underWay += 1;
    return new Promise<boolean>((resolve) => {
      begun.push({ tellMore: onMore, end: resolve });
    }).finally(() => {
      underWay -= 1;
    });
  };
  const loop = runOrders({ fulfiller: { step }, pollMs: POLL_MS, onError: (error) => errors.push(error) });
  return {
    loop,
    begun,
    underWay: () => underWay,
    async batch(number: number): Promise<Batch> {
      await nextTurn();
      const batch = begun[number - 1];
      assert.ok(batch, `batch ${number} has begun`);
      return batch;
    },
    async close() {
      const stopped = loop.stop();
      for (const { end } of begun) end(false);
      await stopped;
      assert.deepEqual(errors, []);
    },
  };
}

test("orders that come while a batch is under way are taken by the next one, not beside it", async () => {
  const orders = openOrders();
  const first = await orders.batch(1);
  orders.loop.wake();
  orders.loop.wake();
  assert.equal(orders.underWay(), 1);
  first.end(false);
  await orders.batch(2);
  assert.equal(orders.underWay(), 1);
  await orders.close();
  assert.equal(orders.begun.length, 2);
});

test("a full batch is joined by another one at once, and that one by the next", async () => {
  const orders = openOrders();
  const first = await orders.batch(1);
  first.tellMore();
  const second = await orders.batch(2);
  assert.equal(orders.underWay(), 2);
  second.tellMore();
  first.end(true);
  await orders.batch(3);
  assert.equal(orders.underWay(), 2);
  await orders.close();
});

test("orders wait for a batch that takes long only for a moment", async () => {
  const orders = openOrders();
  await orders.batch(1);
  orders.loop.wake();
  mock.timers.tick(29);
  await nextTurn();
  assert.equal(orders.underWay(), 1);
  mock.timers.tick(1);
  await orders.batch(2);
  assert.equal(orders.underWay(), 2);
  await orders.close();
});

test("a batch that has begun since is not relieved: it takes what came before it", async () => {
  const orders = openOrders();
  const first = await orders.batch(1);
  orders.loop.wake();
  first.end(false);
  await orders.batch(2);
  mock.timers.tick(30);
  await nextTurn();
  assert.deepEqual([orders.begun.length, orders.underWay()], [2, 1]);
  await orders.close();
});

test("what comes during that batch waits for it only for a moment too", async () => {
  const orders = openOrders();
  const first = await orders.batch(1);
  orders.loop.wake();
  first.end(false);
  await orders.batch(2);
  mock.timers.tick(10);
  orders.loop.wake();
  mock.timers.tick(20);
  await nextTurn();
  assert.equal(orders.underWay(), 1);
  mock.timers.tick(30);
  await orders.batch(3);
  assert.equal(orders.underWay(), 2);
  await orders.close();
});

test("beside a batch that hangs, orders that fall due by time are taken at the next look", async () => {
  const orders = openOrders();
  await orders.batch(1);
  mock.timers.tick(POLLED_WITHIN_MS);
  await orders.batch(2);
  assert.equal(orders.underWay(), 2);
  await orders.close();
});
