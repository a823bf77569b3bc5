import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import type { ScripEvent } from "@scrip/sdk";
import { createForwardQueue } from "./forward-queue.ts";
import type { PostOutcome } from "./post-event.ts";

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

const event = (id: string): ScripEvent => ({ id, type: "order.fulfilled", created_at: "", data: {} });
/** Lets everything run that waits for no timer. */
const settle = async () => {
  for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
};

/** A queue whose receiver answers when and what the test says; `auto` answers at once. */
function openQueue(auto?: (id: string, attempt: number) => number) {
  const posted: string[] = [];
  const told: string[] = [];
  const pending = new Map<string, (status: number | undefined) => void>();
  const attempts = new Map<string, number>();
  const stopping = new AbortController();
  let nowMs = 0;
  let isEnded = false;
  const outcome = (status: number | undefined): PostOutcome => ({
    status,
    error: status === undefined ? "connection_refused" : undefined,
    latencyMs: 1,
  });
  const queue = createForwardQueue({
    nowMs: () => nowMs,
    report: ({ event: { id }, attempt, result, retryInMs }) =>
      void told.push(`${id}${attempt} ${result}${retryInMs === undefined ? "" : ` ${retryInMs}`}`),
    post: ({ id }) => {
      posted.push(id);
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      if (auto) return Promise.resolve(outcome(auto(id, attempt)));
      return new Promise((resolve) => pending.set(id, (status) => resolve(outcome(status))));
    },
  });
  void queue.run(stopping.signal).then(() => {
    isEnded = true;
  });
  return {
    queue,
    posted: () => posted.join(""),
    told,
    isEnded: () => isEnded,
    async add(...ids: string[]) {
      queue.add(ids.map(event));
      await settle();
    },
    async answer(id: string, status?: number) {
      pending.get(id)?.(status);
      await settle();
    },
    async pass(ms: number) {
      nowMs += ms;
      mock.timers.tick(ms);
      await settle();
    },
    async stop() {
      stopping.abort();
      await settle();
    },
  };
}

test("each event is sent after the response to the previous one", async () => {
  const { add, answer, posted, queue, told } = openQueue();
  await add("a", "b", "c");
  assert.equal(posted(), "a");
  await answer("a", 200);
  assert.equal(posted(), "ab");
  await answer("b", 299);
  await answer("c", 204);
  assert.equal(posted(), "abc");
  assert.deepEqual(told, ["a1 delivered", "b1 delivered", "c1 delivered"]);
  assert.deepEqual([queue.delivered(), queue.undelivered()], [3, 0]);
});

test("an event without a response delays the next one for at most a second", async () => {
  const { add, pass, posted } = openQueue();
  await add("a", "b");
  await pass(999);
  assert.equal(posted(), "a");
  await pass(1);
  assert.equal(posted(), "ab");
});

test("at most sixteen attempts run, and the next starts as soon as one ends", async () => {
  const { add, answer, pass, posted } = openQueue();
  await add(..."abcdefghijklmnopqrstuvwxyz");
  for (let second = 0; second < 60; second += 1) await pass(1_000);
  assert.equal(posted(), "abcdefghijklmnop");
  await answer("d", 200);
  assert.equal(posted(), "abcdefghijklmnopq");
});

for (const status of [undefined, 199, 300, 302, 400, 500]) {
  test(`after ${status ?? "no answer"} it is tried again after 2, 5, 10 and 30 s, and then given up`, async () => {
    const { add, pass, told, posted, queue } = openQueue(() => status as number);
    await add("a");
    for (const pauseMs of [2_000, 5_000, 10_000, 30_000]) {
      const before = posted().length;
      await pass(pauseMs - 1);
      assert.equal(posted().length, before);
      await pass(1);
      assert.equal(posted().length, before + 1);
    }
    await pass(3_600_000);
    assert.deepEqual(told, [
      "a1 retrying 2000",
      "a2 retrying 5000",
      "a3 retrying 10000",
      "a4 retrying 30000",
      "a5 given_up",
    ]);
    assert.deepEqual([queue.delivered(), queue.undelivered()], [0, 1]);
  });
}

test("a failed event does not delay others, and is retried in order", async () => {
  const { add, pass, posted, told } = openQueue((id, attempt) => (id !== "c" && attempt === 1 ? 503 : 200));
  await add("a", "b", "c");
  assert.equal(posted(), "abc");
  await pass(1_000);
  await add("d");
  await pass(1_000);
  assert.equal(posted(), "abcdab");
  await pass(1_000);
  assert.deepEqual(told.slice(-3), ["a2 delivered", "b2 delivered", "d2 delivered"]);
});

test("it ends at once when idle, and waits for a running attempt", async () => {
  const idle = openQueue();
  await idle.stop();
  assert.equal(idle.isEnded(), true);

  const busy = openQueue();
  await busy.add("a", "b");
  await busy.stop();
  assert.equal(busy.isEnded(), false);
  await busy.answer("a", 200);
  assert.equal(busy.isEnded(), true);
  assert.deepEqual([busy.told, busy.posted()], [["a1 delivered"], "a"]);
});

test("it waits at most two seconds, and later responses are not reported", async () => {
  const { add, answer, isEnded, pass, stop, told } = openQueue();
  await add("a");
  await stop();
  await pass(1_000);
  await pass(1_000);
  assert.equal(isEnded(), true);
  await answer("a", 200);
  assert.deepEqual(told, []);
});
