import { setTimeout as wait } from "node:timers/promises";
import { type Answer, call } from "../chaos/call.ts";
import { type Buyer, CARD, CARD_PRICE_MINOR } from "../server/testing/builders/buyers.ts";
import { createRandom, type Random } from "../server/testing/seed.ts";

/** An order that a caller wanted to place, and what it was told. Stored outside the database. */
export type Wanted = {
  buyer: Buyer;
  idempotencyKey: string;
  quantity: number;
  told: { id: string; totalMinor: number; atMs: number } | undefined;
};

/** A process of Scrip as its callers know it. */
export type Api = { name: string; port: number; acksMs: number[] };

export type Callers = {
  wanted: readonly Wanted[];
  /** Responses that no caller should ever get, with their order. */
  contradictions: readonly { order: Wanted; what: string }[];
  lostTries(): number;
  /** Waits until each caller has its response. */
  stop(): Promise<void>;
};

export type CallersInput = { apis: readonly Api[]; buyers: readonly Buyer[]; seed: number; prefix: string };

const CALLERS_OF_EACH = 4;
const PAUSE_MAX_MS = 120;
const RETRY_PAUSE_MS = 50;
const DUPLICATE_SHARE = 0.1;
const REPEAT_SHARE = 0.05;
const QUANTITY_MAX = 3;
/** No outage of a run lasts this long. */
const ANSWERED_WITHIN_MS = 180_000;

/** Each caller starts with one process. Without a response it retries at any process. */
export function startCallers({ apis, buyers, seed, prefix }: CallersInput): Callers {
  const wanted: Wanted[] = [];
  const contradictions: { order: Wanted; what: string }[] = [];
  let lostTries = 0;
  let isStopping = false;

  const place = async (order: Wanted, first: Api, random: Random): Promise<void> => {
    let api = first;
    for (const deadlineMs = performance.now() + ANSWERED_WITHIN_MS; performance.now() < deadlineMs; ) {
      const answer = await post(api, order).catch(() => undefined);
      if (answer && isDefinitive(answer)) {
        const problem = note(order, answer, api);
        if (problem !== undefined) contradictions.push({ order, what: problem });
        return;
      }
      lostTries += 1;
      if (answer?.status === 500) contradictions.push({ order, what: `500 ${answer.body}` });
      await wait(RETRY_PAUSE_MS);
      api = random.pick(apis);
    }
    contradictions.push({ order, what: `no response in ${ANSWERED_WITHIN_MS / 1_000} s` });
  };

  const runCaller = async (api: Api, number: number): Promise<void> => {
    const random = createRandom(seed + number);
    const own: Wanted[] = [];
    for (let count = 0; !isStopping; count += 1) {
      const again = own.length > 0 && random.chance(REPEAT_SHARE) ? random.pick(own) : undefined;
      const order = again ?? choose(buyers, random, `${prefix}-${number}-${count}`);
      if (!again) {
        wanted.push(order);
        own.push(order);
      }
      const copies = random.chance(DUPLICATE_SHARE) ? 2 : 1;
      await Promise.all(Array.from({ length: copies }, () => place(order, api, random)));
      await wait(random.below(PAUSE_MAX_MS));
    }
  };
  const all = apis.flatMap((api, index) =>
    Array.from({ length: CALLERS_OF_EACH }, (_, number) => runCaller(api, index * CALLERS_OF_EACH + number)),
  );
  const done = Promise.all(all);
  return {
    wanted,
    contradictions,
    lostTries: () => lostTries,
    async stop() {
      isStopping = true;
      await done;
    },
  };
}

const choose = (buyers: readonly Buyer[], random: Random, idempotencyKey: string): Wanted => ({
  buyer: random.pick(buyers),
  idempotencyKey,
  quantity: 1 + random.below(QUANTITY_MAX),
  told: undefined,
});

const post = ({ port }: Api, { buyer, idempotencyKey, quantity }: Wanted): Promise<Answer> =>
  call(
    port,
    buyer.key,
    "POST",
    "/v1/orders",
    { lines: [{ productId: CARD, quantity }] },
    { "idempotency-key": idempotencyKey },
  );

const isDefinitive = ({ status, body }: Answer): boolean =>
  status < 500 && !body.includes("idempotency_in_progress");

/** Records what the caller was told, and returns what is wrong with it. */
function note(order: Wanted, { status, body }: Answer, api: Api): string | undefined {
  if (status !== 202) return `${status} ${body}`;
  const atMs = performance.now();
  api.acksMs.push(atMs);
  const { id, total } = (JSON.parse(body) as { order: { id: string; total: { amount: number } } }).order;
  const before = order.told;
  order.told ??= { id, totalMinor: total.amount, atMs };
  if (before && (before.id !== id || before.totalMinor !== total.amount))
    return `${id}, and before ${before.id}`;
  return total.amount === order.quantity * CARD_PRICE_MINOR ? undefined : `${id} costs ${total.amount}`;
}
