import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../../server/testing/seed.ts";
import { type Answer, call } from "../call.ts";
import type { Recorder } from "../recorder.ts";
import { type Actor, chooseErrand, type Errand, noteTold } from "./placers.ts";

const BATCH_ORDERS = 25;
const PAUSE_MAX_MS = 600;
const RETRY_PAUSE_MS = 100;
const ANSWERED_WITHIN_MS = 180_000;

type Result = {
  idempotencyKey: string;
  order?: { id: string; total: { amount: number } };
  error?: { status: number; code: string };
};

/** Callers that place many orders with one request, and send what was not answered again. */
export const placeBatches: Actor = async (world, accounts, recorder, weather) => {
  const placer = async (number: number) => {
    const random = createRandom(weather.seed + 7_000 + number);
    for (let count = 0; weather.isStormy; count += 1) {
      await wait(random.below(PAUSE_MAX_MS));
      const account = random.pick(accounts);
      let left = Array.from({ length: BATCH_ORDERS }, (_, index) =>
        chooseErrand([account], random, `b${number}-${count}-${index}`),
      );
      for (const { order } of left) recorder.wanted.set(`${account.name} ${order.idempotencyKey}`, order);
      const deadlineMs = performance.now() + ANSWERED_WITHIN_MS;
      while (left.length > 0) {
        if (performance.now() > deadlineMs) {
          recorder.contradictions.push(`a batch got no response in ${ANSWERED_WITHIN_MS} ms`);
          break;
        }
        const orders = left.map(({ order, body }) => ({ idempotencyKey: order.idempotencyKey, ...body }));
        const { port } = random.pick(world.apis);
        const path = "/v1/orders/batch";
        const answer = await call(port, account.key, "POST", path, { orders }).catch(() => undefined);
        left = noteBatch(recorder, left, answer);
        if (left.length > 0) await wait(RETRY_PAUSE_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: weather.batchers ?? 0 }, (_, number) => placer(number)));
};

/** Returns what has to be sent again. */
function noteBatch(recorder: Recorder, errands: readonly Errand[], answer: Answer | undefined): Errand[] {
  if (answer?.status !== 200) {
    recorder.counts.lost += 1;
    if (answer && answer.status !== 503 && answer.status !== 401)
      recorder.contradictions.push(`a batch gets ${answer.status} ${answer.body}`);
    return [...errands];
  }
  const { results } = JSON.parse(answer.body) as { results: Result[] };
  return errands.filter(({ order }, index) => {
    const result = results[index];
    if (result?.order) {
      recorder.counts.answers += 1;
      noteTold(recorder, order, result.order.id, result.order.total.amount);
      return false;
    }
    const { status = 0, code = "none" } = result?.error ?? {};
    // 401: the key was revoked between the request and the order. Its successor is tried next.
    if (status === 503 || status === 401 || code === "idempotency_in_progress") return true;
    recorder.counts.answers += 1;
    if (code !== "out_of_stock") recorder.contradictions.push(`${order.idempotencyKey}: ${status} ${code}`);
    if (order.told) recorder.contradictions.push(`${order.idempotencyKey} refused after it was placed`);
    order.refused = code;
    return false;
  });
}
