import { randomUUID } from "node:crypto";
import type { Tx } from "../../db/database.ts";
import { idsOf } from "../../lib/ids.ts";
import { NOT_FOUND } from "../../suppliers/answer-class.ts";
import { type BuyDeps, keyOf } from "../buy/ask-supplier.ts";
import { inTurns } from "../buy/buy-units.ts";
import { lookUpAttempt } from "../buy/look-up-purchase.ts";
import { referenceOf } from "../buy/reference.ts";
import { notesOf } from "../judge/judge-answer.ts";
import { lookPauseMs } from "../limits.ts";
import type { UnitOutcome } from "../settle/decide-settlement.ts";
import { type SettleDeps, settleOrders } from "../settle/settle-orders.ts";
import { settleOutcomes } from "../settle/settle-outcomes.ts";
import { returnLeases } from "../take/claim-queries.ts";
import type { AttemptStatus } from "../take/order-work.ts";
import { followOutcome } from "./follow-written-off.ts";
import { leaseOrder, listOpenPurchases, listOutcomes, type OpenPurchase } from "./look-up-queries.ts";
import { COMMAND, noteOf, type Operator, recordOrderAction } from "./operator.ts";
import { lockOrder } from "./operator-queries.ts";
import { postponeLook } from "./written-off-queries.ts";

/** How many purchases of an order are looked up in one go. */
export const LOOK_UPS_MAX = 16;

export type LookUpDeps = BuyDeps &
  SettleDeps & {
    /** The order goes on, or has ended: there may be work and events to deliver. */
    onSettled: () => void;
  };

export type LookedUpPurchase = {
  reference: string;
  supplierId: string;
  /** What the supplier answered, as a class. */
  answer: string;
  /** What became of the purchase. Still `open` means that its outcome is still not known. */
  outcome: AttemptStatus;
};
export type LookedUpOrder = { orderId: string; purchases: LookedUpPurchase[] };

type Asked = { purchase: OpenPurchase; outcome: UnitOutcome; answer: string };

/**
 * Asks suppliers now about the purchases of an order that have no outcome, and settles what they say. Nothing is sent: a purchase
 * that the supplier does not know stays open, and workers go on with it by their own rules.
 *
 * The order is leased like by a worker, so no worker is at it meanwhile. A purchase that was written off has no lease, for its order
 * may be finished: it is claimed as `follow-written-off` does. No transaction is open while suppliers are asked.
 */
export async function lookUpOrder(
  deps: LookUpDeps,
  orderId: string,
  by: Operator = COMMAND,
): Promise<LookedUpOrder> {
  const token = randomUUID();
  const lease = { orderId, token };
  const purchases = await deps.db.transaction((tx) => claim(deps, tx, orderId, token, by));
  try {
    const asked = await inTurns(
      purchases.map((purchase) => () => ask(deps, purchase)),
      deps.limits.callsPerOrderMax,
    );
    await settleWrittenOff(deps, orderId, asked.filter(isWrittenOff));
    const open = asked.filter((one) => !isWrittenOff(one));
    if (open.length > 0) {
      const outcomes = open.map(({ outcome }) => outcome);
      const settled = await settleOrders(deps, [{ ...lease, outcomes }], deps.clock.now());
      if (settled.endings.length === 0)
        throw new RangeError(`${orderId} was changed while its suppliers were asked: look at it again`);
      deps.onSettled();
    }
    const outcomes = new Map(
      (await listOutcomes(deps.db, orderId)).map((one) => [referenceOf(one, one.number), one.status]),
    );
    return { orderId, purchases: asked.map((one) => toLookedUp(one, outcomes)) };
  } catch (error) {
    await returnLeases(deps.db, [lease], deps.clock.now()).catch(() => {});
    throw error;
  }
}

const isWrittenOff = ({ purchase }: Asked): boolean => purchase.writtenOffAt !== null;

async function claim(
  { clock, limits }: LookUpDeps,
  tx: Tx,
  orderId: string,
  token: string,
  by: Operator,
): Promise<OpenPurchase[]> {
  const order = await lockOrder(tx, orderId);
  if (!order) throw new RangeError(`there is no order ${orderId}`);
  const purchases = await listOpenPurchases(tx, orderId, LOOK_UPS_MAX);
  if (purchases.length === 0)
    throw new RangeError(`${orderId} has no purchase whose outcome is unknown: there is nothing to look up`);
  const now = clock.now();
  const rounds = Math.ceil(purchases.length / limits.callsPerOrderMax);
  const until = new Date(now.getTime() + rounds * limits.callTimeoutMs + limits.leaseMs);
  const needsLease = purchases.some(({ writtenOffAt }) => writtenOffAt === null);
  if (needsLease && !(await leaseOrder(tx, orderId, { token, now, until })))
    throw new RangeError(`a worker is at ${orderId} now: look again in a moment`);
  for (const one of purchases.filter(({ writtenOffAt }) => writtenOffAt !== null)) {
    const nextMs = now.getTime() + limits.callTimeoutMs + lookPauseMs(limits, one.looks);
    await postponeLook(tx, one, new Date(nextMs));
  }
  await recordOrderAction(tx, clock, order, by, { action: "order.looked_up", after: noteOf(by) });
  return purchases;
}

async function ask(deps: LookUpDeps, purchase: OpenPurchase): Promise<Asked> {
  const outcome =
    purchase.writtenOffAt === null ? await askOpen(deps, purchase) : await followOutcome(deps, purchase);
  return {
    purchase,
    outcome,
    answer: ("said" in outcome ? outcome.said?.look?.answer : undefined) ?? NOT_FOUND,
  };
}

/** One that the supplier does not know is left to the workers, when it was due anyway. */
async function askOpen(deps: LookUpDeps, purchase: OpenPurchase): Promise<UnitOutcome> {
  const found = await lookUpAttempt(deps, purchase, purchase);
  if (found.kind !== "not-found") return found;
  const { productId, number, dueAt } = purchase;
  return {
    unit: keyOf(purchase),
    productId,
    number,
    kind: "open",
    dueAt,
    ...notesOf(purchase),
    said: found.said,
  };
}

/** The order may be finished, so there is no lease. Its lock keeps out other changes. */
async function settleWrittenOff(
  { db, codeVault, clock }: LookUpDeps,
  orderId: string,
  asked: readonly Asked[],
): Promise<void> {
  if (asked.length === 0) return;
  const outcomes = asked.map(({ outcome }) => outcome);
  await db.transaction(async (tx) => {
    await lockOrder(tx, orderId);
    await settleOutcomes(tx, codeVault, outcomes, idsOf(clock), clock.now());
  });
}

/** Says what was written and not what the supplier answered: a code that was seen before is not delivered. */
const toLookedUp = (
  { purchase, answer }: Asked,
  outcomes: ReadonlyMap<string, LookedUpPurchase["outcome"]>,
): LookedUpPurchase => {
  const reference = referenceOf(purchase, purchase.number);
  return { reference, supplierId: purchase.supplierId, answer, outcome: outcomes.get(reference) ?? "open" };
};
