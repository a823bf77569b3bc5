import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import type { ScripError } from "./errors.ts";
import { answeredBy, cut, inTurn, json, order, problem, proxyPage } from "./testing/answering-server.ts";
import { handTiming } from "./testing/hand-timing.ts";
import type { WaitOptions } from "./types/orders.ts";

const SHORT_MS = 150;

const seen = (status: string) => json({ order: order({ status }) });

/** The result of waiting, the number of reads and the pauses. */
async function wait(answer: RequestListener, options?: WaitOptions, timing = handTiming()) {
  return answeredBy(answer, async ({ client, heard }) => {
    const outcome = await client({ retries: 2, timing })
      .orders.wait("ord_1", options)
      .catch((error: ScripError) => error);
    const told = "code" in outcome ? `${outcome.code} ${outcome.status}` : outcome.status;
    return { told, outcome, looks: heard.length, waited: timing.waited };
  });
}

test("an order that has ended is returned after one read", async () => {
  for (const status of ["completed", "refunded"]) {
    const { told, outcome, waited } = await wait(seen(status));
    assert.equal(told, status);
    assert.deepEqual(outcome, order({ status }));
    assert.deepEqual(waited, []);
  }
});

test("it polls less and less often until the order has ended", async () => {
  const open = [seen("pending"), seen("processing"), seen("processing"), seen("processing"), seen("new")];
  const { told, waited } = await wait(inTurn(...open, seen("completed")));
  assert.equal(told, "completed");
  assert.deepEqual(waited, [250, 500, 1000, 2000, 2000]);
});

test("failed is not final while the refund can follow", async () => {
  const { told } = await wait(inTurn(seen("processing"), seen("failed"), seen("failed"), seen("refunded")));
  assert.equal(told, "refunded");
});

test("an order that stays failed for five seconds is returned, counted again after any change", async () => {
  const { told, waited } = await wait(seen("failed"));
  assert.equal(told, "failed");
  assert.deepEqual(waited, [250, 500, 1000, 2000, 2000]);
  const retried = inTurn(seen("failed"), seen("failed"), seen("processing"), seen("failed"));
  const { waited: anew } = await wait(retried);
  assert.deepEqual(anew, [250, 500, 1000, 2000, 2000, 2000]);
});

test("after two minutes, or the given time, it times out with the last status", async () => {
  const { told, outcome, waited } = await wait(seen("processing"));
  assert.equal(told, "timeout 0");
  assert.deepEqual((outcome as ScripError).members, { orderStatus: "processing" });
  assert.equal(sum(waited), 120_000);
  const brief = await wait(seen("pending"), { timeoutMs: 1000 });
  assert.equal(brief.told, "timeout 0");
  assert.deepEqual([brief.waited, brief.looks], [[250, 500, 250], 3]);
});

test("a temporary failure is retried after Retry-After", async () => {
  const busy = problem(429, "rate_limited", {}, { "retry-after": "7" });
  const troubles = [seen("pending"), cut, busy, proxyPage(502), problem(500, "internal_error")];
  const { told, waited } = await wait(inTurn(...troubles, seen("completed")));
  assert.equal(told, "completed");
  assert.deepEqual(waited, [250, 500, 7000, 2000, 2000]);
  const { told: down, outcome } = await wait(cut, { timeoutMs: 60_000 });
  assert.equal(down, "timeout 0");
  assert.deepEqual((outcome as ScripError).members, {});
});

test("a permanent failure ends it at once", async () => {
  const { told, waited } = await wait(inTurn(problem(404, "not_found"), seen("completed")));
  assert.equal(told, "not_found 404");
  assert.deepEqual(waited, []);
});

test("aborting ends it before a read, during a read and during a pause", async () => {
  const { told, looks } = await wait(seen("completed"), { signal: AbortSignal.abort() });
  assert.deepEqual([told, looks], ["aborted 0", 0]);
  const amidLook = new AbortController();
  const hang: RequestListener = () => void setImmediate(() => amidLook.abort());
  assert.equal((await wait(hang, { signal: amidLook.signal })).told, "aborted 0");
  const amidPause = new AbortController();
  const timing = handTiming({ onWait: () => amidPause.abort() });
  const paused = await wait(seen("pending"), { signal: amidPause.signal }, timing);
  assert.deepEqual([paused.told, paused.looks], ["aborted 0", 1]);
});

test("a read without a response has only the remaining time", async () => {
  await answeredBy(
    () => {},
    async ({ client }) => {
      const waiting = client({ timeoutMs: 60_000 }).orders.wait("ord_1", { timeoutMs: SHORT_MS });
      await assert.rejects(waiting, { code: "timeout", status: 0, message: /150 ms/ });
    },
  );
});

test("an invalid time is refused", async () => {
  for (const timeoutMs of [0, -1, 1.5, 2 ** 31]) {
    await answeredBy(seen("completed"), ({ client }) =>
      assert.rejects(client().orders.wait("ord_1", { timeoutMs }), RangeError),
    );
  }
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, it) => total + it, 0);
