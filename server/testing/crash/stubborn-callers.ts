import { setTimeout as delay } from "node:timers/promises";
import { type Buyer, CARD } from "../builders/buyers.ts";
import type { Answer, ApiProcess } from "../processes/start-api-process.ts";
import { createRandom, type Random } from "../seed.ts";

/** What callers wanted to buy, and the final responses they got. */
export type WantedOrder = {
  buyer: Buyer;
  idempotencyKey: string;
  quantity: number;
  told: { id: string; totalMinor: number } | "refused" | undefined;
};

export type StubbornCallers = {
  /** How many final responses there were so far. */
  answered(): number;
  /** How many attempts ended without one: a lost connection, a 5xx, a request that is still in progress. */
  lost(): number;
  /** Responses that no caller must ever get. */
  contradictions(): readonly string[];
  /** Waits until every caller has its final response, and returns everything they wanted. */
  stop(): Promise<WantedOrder[]>;
  /** Releases the callers without a response, when the test has failed. */
  abandon(): void;
};

/** Anything that accepts their orders. */
type Api = Pick<ApiProcess, "post">;

export type CallerOptions = {
  /** A restarted process takes the place of the one it replaces. */
  apis: readonly Api[];
  /** The first one buys the most. */
  buyers: readonly Buyer[];
  callers: number;
  seed: number;
};

const RETRY_PAUSE_MS = 20;
const HOT_SHARE = 0.5;
const DUPLICATE_SHARE = 0.2;
const REPEAT_SHARE = 0.1;

/** Callers that order continuously and repeat each request with its key until they know its outcome. */
export function startStubbornCallers(options: CallerOptions): StubbornCallers {
  const wanted: WantedOrder[] = [];
  const counts = { answered: 0, lost: 0 };
  const contradictions: string[] = [];
  let stopping = false;
  let abandoned = false;

  const callUntilTold = async (order: WantedOrder, random: Random): Promise<void> => {
    while (!abandoned) {
      const answer = await post(random.pick(options.apis), order).catch(() => undefined);
      if (answer && isDefinitive(answer)) {
        counts.answered += 1;
        const problem = note(order, answer);
        if (problem) contradictions.push(`${order.idempotencyKey}: ${problem}`);
        return;
      }
      counts.lost += 1;
      await delay(RETRY_PAUSE_MS);
    }
  };

  const runCaller = async (caller: number): Promise<void> => {
    const random = createRandom(options.seed + caller);
    for (let count = 0; !stopping; count += 1) {
      const repeated = random.chance(REPEAT_SHARE) ? random.pick(wanted) : undefined;
      const order = repeated?.told ? repeated : choose(options.buyers, random, `${caller}-${count}`);
      if (order !== repeated) wanted.push(order);
      const copies = random.chance(DUPLICATE_SHARE) ? 2 + random.below(2) : 1;
      await Promise.all(Array.from({ length: copies }, () => callUntilTold(order, random)));
    }
  };

  const done = Promise.all(Array.from({ length: options.callers }, (_, caller) => runCaller(caller)));
  return {
    answered: () => counts.answered,
    lost: () => counts.lost,
    contradictions: () => contradictions,
    async stop() {
      stopping = true;
      await done;
      return wanted;
    },
    abandon() {
      stopping = abandoned = true;
    },
  };
}

const choose = (buyers: readonly Buyer[], random: Random, idempotencyKey: string): WantedOrder => ({
  buyer: random.chance(HOT_SHARE) ? (buyers[0] as Buyer) : random.pick(buyers),
  idempotencyKey,
  quantity: 1 + random.below(4),
  told: undefined,
});

const post = (api: Api, { buyer, idempotencyKey, quantity }: WantedOrder): Promise<Answer> =>
  api.post(
    "/v1/orders",
    buyer.key,
    { lines: [{ productId: CARD, quantity }] },
    { "idempotency-key": idempotencyKey },
  );

const isDefinitive = ({ status, body }: Answer): boolean =>
  status < 500 && !body.includes("idempotency_in_progress");

/** Records the response, and returns what is wrong with it. */
function note(order: WantedOrder, { status, body }: Answer): string | undefined {
  const before = order.told;
  if (status === 402) {
    order.told = "refused";
    return before === undefined || before === "refused" ? undefined : `refused after ${before.id} was placed`;
  }
  if (status !== 202) return `${status} ${body}`;
  const { id, total } = JSON.parse(body).order;
  order.told = { id, totalMinor: total.amount };
  if (before === undefined) return undefined;
  if (before === "refused") return `${id} was placed after it was refused`;
  return before.id === id && before.totalMinor === total.amount
    ? undefined
    : `${id}, and before ${before.id}`;
}
