import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import type { KeyDeps } from "../../keys/create-key.ts";
import { createKey } from "../../keys/create-key.ts";
import { markKeysUsed } from "../../keys/queries.ts";
import type { Clock } from "../../lib/clock.ts";
import { createPlacementBatch } from "../../orders/placing/placement-batch.ts";
import { countFacts } from "../../reports/count-facts.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { moveFunds } from "../../wallet/move-funds.ts";
import { createChance } from "./chance.ts";
import { type Habits, HISTORY_DAYS, planBursts } from "./plan-history.ts";
import { addPastEndpoint, type PastEndpoint, writeDeliveries } from "./write-deliveries.ts";
import {
  type Buyer,
  type BuyersBurst,
  clockAt,
  type HistoryDeps,
  refundFailed,
  type WrittenOrder,
  writeBursts,
} from "./write-orders.ts";
import { writeRequests } from "./write-requests.ts";

export type PastDeps = KeyDeps & { codeVault: CodeVault; keyring: Keyring };

/** A reseller of the demo, what it buys, and how much it deposits each week, in its currency. */
export type PastReseller = {
  id: string;
  habits: Habits;
  weeklyDeposit: string;
  endpoints: readonly PastHook[];
};
type PastHook = { url: string; failsForHours?: number };

export type History = { start: Date; bursts: BuyersBurst[]; endpoints: PastEndpoint[]; deposits: Deposit[] };
type Deposit = { at: Date; buyer: Buyer; amount: string };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Every so many orders, one that was delivered is refunded by the operator the day after. */
const REFUNDED_EVERY = 140;
const REFUND_REASON = "The card was already redeemed";

/** When the demo's resellers joined: on the morning before the first day of the history. */
export const historyStart = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / DAY_MS) - HISTORY_DAYS) * DAY_MS - 15 * HOUR_MS);

/** How many units of each product the live orders of these resellers take from stock. */
export function stockForHistory(seed: number, now: Date, habits: readonly Habits[]): Map<string, number> {
  const wanted = new Map<string, number>();
  for (const [index, one] of habits.entries()) {
    const bursts = planBursts(createChance(seed + index), now, one);
    for (const { productId, quantity } of bursts.flatMap(({ orders }) =>
      orders.flatMap(({ lines }) => lines),
    ))
      wanted.set(productId, (wanted.get(productId) ?? 0) + quantity);
  }
  return wanted;
}

/**
 * Three weeks of orders, refunds, deposits, deliveries and requests before `clock.now()`. They are written by the verbs of the
 * product at past times, so that the ledger, the events and whatever else follows from them are in order. The same seed and
 * the same day give the same history; only ids, keys and codes differ.
 */
export async function fillHistory(
  deps: PastDeps,
  resellers: readonly PastReseller[],
  { seed, baseUrl }: { seed: number; baseUrl: string },
): Promise<{ orders: number }> {
  const now = deps.clock.now();
  const start = historyStart(now);
  const all: BuyersBurst[] = [];
  const endpoints: PastEndpoint[] = [];
  const deposits: Deposit[] = [];
  for (const [index, reseller] of resellers.entries()) {
    const buyer = await addBuyer(deps, reseller.id, clockAt(start));
    const bursts = planBursts(createChance(seed + index), now, reseller.habits);
    all.push(...bursts.map((burst) => ({ ...burst, buyer })));
    for (let week = 1; week * 7 <= HISTORY_DAYS; week += 1) {
      const at = new Date(start.getTime() + (week * 7 - 1) * DAY_MS);
      deposits.push({ at, buyer, amount: reseller.weeklyDeposit });
    }
    for (const { url, failsForHours } of reseller.endpoints) {
      const failsFrom =
        failsForHours === undefined ? {} : { failsFrom: before(now, failsForHours * HOUR_MS) };
      endpoints.push(await addPastEndpoint(deps, buyer, { url, at: start, ...failsFrom }));
    }
  }
  all.sort((a, b) => a.takenAt.getTime() - b.takenAt.getTime());
  const { db, codeVault } = deps;
  const history: HistoryDeps = { db, codeVault, submit: createPlacementBatch(db, deps.clock) };
  const orders = await writeOrders(history, { start, bursts: all, endpoints, deposits });
  const chance = createChance(seed + resellers.length);
  await writeDeliveries(db, chance, endpoints, now);
  await writeRequests(db, chance, orders, { now, baseUrl });
  await markUsed(deps, orders);
  // Otherwise the first page would be empty until a worker has counted.
  while (await countFacts(deps));
  return { orders: orders.length };
}

const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms);

/** The key of a shop's own system, made when it joined. Nobody has it: the demo's other keys are for trying. */
async function addBuyer(deps: PastDeps, resellerId: string, clock: Clock): Promise<Buyer> {
  const tenant = { resellerId, environment: "live" } as const;
  const input = { ...tenant, name: "Checkout", scopes: undefined, allowedIps: [], expiresAt: undefined };
  return { ...tenant, key: { kind: "key", id: (await createKey({ ...deps, clock }, input)).id } };
}

/** In the order of time, as far as a wallet is concerned: what moves money besides orders ends a stretch of them. */
async function writeOrders(deps: HistoryDeps, { bursts, deposits }: History): Promise<WrittenOrder[]> {
  const written: WrittenOrder[] = [];
  let stretch: BuyersBurst[] = [];
  let refundedAt = REFUNDED_EVERY;
  const flush = async () => {
    written.push(...(await writeBursts(deps, stretch)));
    stretch = [];
  };
  const payIn = async (until: Date) => {
    for (const deposit of deposits.splice(0, deposits.findLastIndex(({ at }) => at <= until) + 1)) {
      await flush();
      const funds = { direction: "credit", amount: deposit.amount, note: "Bank transfer" } as const;
      await moveFunds(deps.db, clockAt(deposit.at), deposit.buyer, funds);
    }
  };
  deposits.sort((a, b) => a.at.getTime() - b.at.getTime());
  for (const burst of bursts) {
    await payIn(burst.takenAt);
    stretch.push(burst);
    if (burst.failure) {
      await flush();
      await refundFailed(deps, burst);
    } else if (written.length >= refundedAt) {
      await flush();
      await refundOne(deps, written, burst.endedAt);
      refundedAt += REFUNDED_EVERY;
    }
  }
  await flush();
  return written;
}

async function refundOne(deps: HistoryDeps, written: readonly WrittenOrder[], at: Date): Promise<void> {
  const dayBefore = before(at, DAY_MS);
  const order = written.findLast((one) => one.at < dayBefore);
  if (!order) return;
  const input = { orderId: order.id, lines: undefined, reason: REFUND_REASON };
  // One that failed has been refunded already.
  await refundOrder(deps.db, clockAt(at), input).catch((error) => {
    if (!(error instanceof RangeError)) throw error;
  });
}

async function markUsed({ db, clock }: PastDeps, orders: readonly WrittenOrder[]): Promise<void> {
  const last = new Map(orders.map((order) => [order.buyer.key.id, order.at]));
  for (const [id, at] of last) await markKeysUsed(db, { ids: [id], ips: ["203.0.113.24"] }, at, clock.now());
}
