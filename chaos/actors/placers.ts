import { setTimeout as wait } from "node:timers/promises";
import type { OrderScenario } from "../../server/src/sandbox/scenarios.ts";
import { createRandom, type Random } from "../../server/testing/seed.ts";
import { type Answer, call } from "../call.ts";
import type { Recorder, Wanted } from "../recorder.ts";
import { type Account, BOUGHT, CARDS, STOCKED } from "../shopfront.ts";
import type { World } from "../world.ts";

export type Actor = (
  world: World,
  accounts: readonly Account[],
  recorder: Recorder,
  weather: Weather,
) => Promise<void>;
export type Weather = {
  isStormy: boolean;
  seed: number;
  placers: number;
  /** Callers that place many orders with one request. None unless given. */
  batchers?: number;
  /** How much longer than usual placers and readers wait between two requests. */
  slowness?: number;
};

export const PLACERS = 24;
const PAUSE_MAX_MS = 250;
/** Before the second try. It doubles with each try up to the longest. */
const RETRY_PAUSE_MS = 50;
const RETRY_PAUSE_MAX_MS = 800;
/** No outage of a run lasts this long. */
const ANSWERED_WITHIN_MS = 120_000;
const DUPLICATE_SHARE = 0.2;
const REPEAT_SHARE = 0.1;
const BOUGHT_SHARE = 0.16;
const SCENARIOS: readonly (OrderScenario | undefined)[] = [
  undefined,
  undefined,
  "failed",
  "refunded",
  "partial",
  "refunded_after_completion",
];

export type Errand = { account: Account; order: Wanted; body: object; scenario: OrderScenario | undefined };

/** Callers that place orders, some twice at the same time or again later, each until it knows the outcome. */
export const placeOrders: Actor = async (world, accounts, recorder, weather) => {
  const placer = async (number: number) => {
    const random = createRandom(weather.seed + 1_000 + number);
    const errands: Errand[] = [];
    for (let count = 0; weather.isStormy; count += 1) {
      const again = random.chance(REPEAT_SHARE) && errands.length > 0 ? random.pick(errands) : undefined;
      const errand = again ?? chooseErrand(accounts, random, `${number}-${count}`);
      if (!again) {
        recorder.wanted.set(`${errand.account.name} ${errand.order.idempotencyKey}`, errand.order);
        errands.push(errand);
      }
      const copies = random.chance(DUPLICATE_SHARE) ? 2 : 1;
      await Promise.all(Array.from({ length: copies }, () => runErrand(world, recorder, errand, random)));
      await wait(random.below(PAUSE_MAX_MS * (weather.slowness ?? 1)));
    }
  };
  await Promise.all(Array.from({ length: weather.placers }, (_, number) => placer(number)));
};

export function chooseErrand(accounts: readonly Account[], random: Random, idempotencyKey: string): Errand {
  const account = random.pick(accounts);
  const productId = random.chance(BOUGHT_SHARE) ? random.pick([BOUGHT, ...CARDS]) : STOCKED;
  const line = {
    productId,
    quantity: 1 + random.below(2),
    ...(productId === BOUGHT ? { inputFields: { account: `${account.name}-${idempotencyKey}` } } : {}),
  };
  const { resellerId, environment } = account;
  return {
    account,
    order: {
      resellerId,
      environment,
      idempotencyKey,
      productId: line.productId,
      quantity: line.quantity,
      told: undefined,
      refused: undefined,
    },
    body: { lines: [line] },
    scenario: environment === "test" ? random.pick(SCENARIOS) : undefined,
  };
}

async function runErrand(world: World, recorder: Recorder, errand: Errand, random: Random): Promise<void> {
  const { account, order, body, scenario } = errand;
  const headers = {
    "idempotency-key": order.idempotencyKey,
    ...(scenario ? { "x-test-scenario": scenario } : {}),
  };
  const deadlineMs = performance.now() + ANSWERED_WITHIN_MS;
  for (let tries = 0; ; tries += 1) {
    if (performance.now() > deadlineMs) {
      recorder.contradictions.push(`${order.idempotencyKey} got no response in ${ANSWERED_WITHIN_MS} ms`);
      return;
    }
    const { port } = random.pick(world.apis);
    const answer = await call(port, account.key, "POST", "/v1/orders", body, headers).catch(() => undefined);
    if (answer && isDefinitive(answer)) {
      recorder.counts.answers += 1;
      note(recorder, order, answer);
      return;
    }
    recorder.counts.lost += 1;
    // An outage is 503; anything else is a bug.
    if (answer?.status === 500) recorder.contradictions.push(`500 ${answer.body}`);
    await wait(Math.min(RETRY_PAUSE_MS * 2 ** tries, RETRY_PAUSE_MAX_MS));
  }
}

/** The key might just have been revoked; its successor is tried next. */
const isDefinitive = ({ status, body }: Answer): boolean =>
  status < 500 && status !== 401 && !body.includes("idempotency_in_progress");

function note(recorder: Recorder, order: Wanted, { status, body }: Answer): void {
  const problem = (text: string) => recorder.contradictions.push(`${order.idempotencyKey}: ${text}`);
  // Every wallet has enough money: a refusal for lack of funds is a bug.
  if (status === 422 && body.includes('"out_of_stock"')) {
    order.refused = body;
    if (order.told) problem(`refused after ${order.told.id} was placed`);
    return;
  }
  if (status !== 202) {
    problem(`${status} ${body}`);
    return;
  }
  const { id, total } = (JSON.parse(body) as { order: { id: string; total: { amount: number } } }).order;
  noteTold(recorder, order, id, total.amount);
}

/** The order was acknowledged. Once it was told, it stays the same. */
export function noteTold(recorder: Recorder, order: Wanted, id: string, totalMinor: number): void {
  recorder.served();
  const { told, idempotencyKey } = order;
  if (told && (told.id !== id || told.totalMinor !== totalMinor))
    recorder.contradictions.push(
      `${idempotencyKey}: ${id} over ${totalMinor}, and before ${told.id} over ${told.totalMinor}`,
    );
  if (told) return;
  order.told = { id, totalMinor };
  recorder.acknowledged.push({ ...order, told: order.told });
}
