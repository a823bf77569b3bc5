import type { Db } from "../../db/database.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { answerClass, NOT_FOUND } from "../../suppliers/answer-class.ts";
import { mapFields } from "../../suppliers/calls/map-fields.ts";
import { identityOf } from "../../suppliers/goods.ts";
import type { OpenedSupplier } from "../../suppliers/open-suppliers.ts";
import type { LookUpOutcome, PurchaseOutcome, RemoteSupplier } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import { type Judgement, judgeLookedUp, judgeSent, type SendAgain } from "../judge/judge-answer.ts";
import type { FulfilmentLimits } from "../limits.ts";
import { type UnitOutcome, unitText } from "../settle/decide-settlement.ts";
import { lockTakenOrders, readUnitStates } from "../settle/settle-queries.ts";
import type { Attempt, DueUnit, Route, TakenOrder } from "../take/order-work.ts";
import { insertOpenAttempts, markSentAgain } from "./attempt-queries.ts";
import { guardPrice, limitOf, type PriceAlert } from "./guard-price.ts";
import type { UnitPlan } from "./plan-unit.ts";
import { referenceOf } from "./reference.ts";
import { recordAnswer, recordFailure, reserveCalls } from "./supplier-gate.ts";

export type BuyDeps = {
  db: Db;
  clock: Clock;
  /** The clock of this machine, which also counts the time that the machine sleeps. The system's unless given. */
  machineClock?: Clock;
  limits: FulfilmentLimits;
  /** Undefined for a supplier that cannot be called: it is gone, or its config does not open. */
  openSupplier: (supplierId: string) => Promise<OpenedSupplier | undefined>;
  digestCode: (text: string) => Buffer;
  /** By id and class of failure: a log must not name a supplier or quote its answer. */
  onBreakerOpened: (supplierId: string, failure: string) => void;
  /** A supplier's price is not what was expected. */
  onPriceAlert: (alert: PriceAlert) => void;
};

type PlannedUnit = { unit: DueUnit; plan: UnitPlan };
type Purchase = { unit: DueUnit; plan: UnitPlan & { kind: "buy" } };

/** Calls suppliers for the units of one order. No transaction is open during a call. */
export async function buyUnits(
  deps: BuyDeps,
  token: string,
  order: TakenOrder,
  planned: readonly PlannedUnit[],
): Promise<UnitOutcome[]> {
  const atOnce = deps.limits.callsPerOrderMax;
  const lookUps = planned.flatMap(({ unit, plan }) =>
    plan.kind === "look-up" ? [() => lookUp(deps, token, order, unit, plan.attempt)] : [],
  );
  const outcomes = await inTurns(lookUps, atOnce);
  const purchases = planned.filter((one): one is Purchase => one.plan.kind === "buy");
  for (let from = 0; from < purchases.length; from += atOnce)
    outcomes.push(...(await buyAtOnce(deps, token, order, purchases.slice(from, from + atOnce))));
  return outcomes;
}

/** Only what is sent at once is written ahead, so that units that the operator gives up in the meantime are not bought. */
async function buyAtOnce(
  deps: BuyDeps,
  token: string,
  order: TakenOrder,
  purchases: readonly Purchase[],
): Promise<UnitOutcome[]> {
  const startedAt = machineTime(deps);
  const { units, at } = await openAttempts(deps, token, order, purchases);
  const calls = purchases.map(({ unit, plan }) =>
    units.has(unitText(unit)) ? send(deps, unit, firstAttempt(plan, at), startedAt) : wait(deps, unit),
  );
  return Promise.all(calls);
}

/** The write-ahead: commits an attempt for each unit that can be bought now, and returns those units. */
function openAttempts(
  { db, clock, limits }: BuyDeps,
  token: string,
  order: TakenOrder,
  purchases: readonly Purchase[],
): Promise<{ units: Set<string>; at: Date }> {
  return db.transaction(async (tx) => {
    const mine = await lockTakenOrders(tx, [{ orderId: order.id, token }]);
    if (mine.length === 0) return { units: new Set(), at: clock.now() };
    const states = await readUnitStates(
      tx,
      purchases.map(({ unit }) => unit),
    );
    const waiting = new Set(states.filter(({ status }) => status === "waiting").map(unitText));
    const now = clock.now();
    const granted: Purchase[] = [];
    const bySupplier = Map.groupBy(
      purchases.filter(({ unit }) => waiting.has(unitText(unit))),
      ({ plan }) => plan.route.supplierId,
    );
    // In order of id, the order in which suppliers are always locked.
    for (const supplierId of [...bySupplier.keys()].sort()) {
      const wanted = bySupplier.get(supplierId) ?? [];
      granted.push(...wanted.slice(0, await reserveCalls(tx, supplierId, wanted.length, now, limits)));
    }
    const rows = granted.map(({ unit, plan }) => ({ ...unit, number: plan.number, route: plan.route }));
    if (rows.length > 0) await insertOpenAttempts(tx, rows, now);
    return { units: new Set(granted.map(({ unit }) => unitText(unit))), at: now };
  });
}

const firstAttempt = ({ route, number }: { route: Route; number: number }, now: Date): Attempt => ({
  number,
  supplierId: route.supplierId,
  sku: route.sku,
  value: route.value,
  fieldMap: route.fieldMap,
  status: "open",
  failureCode: null,
  upstreamId: null,
  doubtful: false,
  doubtedFailureCode: null,
  sends: 1,
  looks: 0,
  lastSentAt: now,
  costMinor: route.costMinor,
  maxCostMinor: route.maxCostMinor,
  costCurrency: route.costCurrency,
  priceMinor: null,
  priceCurrency: null,
});

/** `startedAt`: the machine's time before the attempt was written. */
async function send(deps: BuyDeps, unit: DueUnit, attempt: Attempt, startedAt: number): Promise<UnitOutcome> {
  const { clock, limits } = deps;
  const request = {
    reference: referenceOf(unit, attempt.number),
    sku: attempt.sku,
    ...(attempt.value === null ? {} : { value: attempt.value }),
    limit: limitOf(attempt),
  };
  const inputFields = mapFields(unit.inputFields, attempt.fieldMap);
  // A process that was suspended after it wrote the attempt must not send it now: others may have ended it. Workers' time stands still
  // while the machine sleeps, so the machine's clock is asked too. If that one has leapt, the purchase is looked up, which is safe.
  const isOverdue = () =>
    clock.now().getTime() - (attempt.lastSentAt?.getTime() ?? 0) > limits.callTimeoutMs ||
    machineTime(deps) - startedAt > limits.callTimeoutMs;
  const buy = async (supplier: RemoteSupplier) => {
    if (inputFields === undefined) return UNMAPPED;
    return isOverdue() ? OVERDUE : supplier.buy({ ...request, inputFields });
  };
  // What was never sent was never bought.
  const isFirst = attempt.sends === 1 && !attempt.doubtful;
  const answer = await ask(deps, attempt.supplierId, buy, isFirst ? NEVER_ASKED : UNAVAILABLE);
  const price = await guardPrice(deps, unit, attempt, answer);
  const judgement = judgeSent(attempt, answer, clock.now(), limits);
  return { ...toOutcome(deps, unit, attempt, judgement), ...price, said: { send: answerClass(answer) } };
}

const machineTime = ({ machineClock = systemClock }: BuyDeps): number => machineClock.now().getTime();

/** The route does not fit the product: nothing was sent. */
const UNMAPPED: PurchaseOutcome = {
  kind: "refused",
  failureCode: "temporarily_unavailable",
  supplierFault: false,
};

const OVERDUE: PurchaseOutcome = { kind: "unknown", reason: "overdue" };
const UNAVAILABLE: PurchaseOutcome = { kind: "unknown", reason: "not available" };
const NEVER_ASKED: PurchaseOutcome = {
  kind: "refused",
  failureCode: "temporarily_unavailable",
  supplierFault: true,
};

async function lookUp(
  deps: BuyDeps,
  token: string,
  { isDoomed }: TakenOrder,
  unit: DueUnit,
  attempt: Attempt,
): Promise<UnitOutcome> {
  const found = await lookUpAttempt(deps, unit, attempt);
  if (found.kind !== "send-again") return found;
  if (isDoomed) return abandon(unit, attempt);
  const startedAt = machineTime(deps);
  const now = deps.clock.now();
  const isMine = await deps.db.transaction(async (tx) => {
    const mine = await lockTakenOrders(tx, [{ orderId: unit.orderId, token }]);
    return mine.length > 0 && (await markSentAgain(tx, unit, attempt.number, now));
  });
  if (!isMine) return wait(deps, unit);
  const sent = await send(deps, unit, { ...attempt, doubtful: true, lastSentAt: now }, startedAt);
  return "said" in sent ? { ...sent, said: { ...sent.said, look: NOT_FOUND } } : sent;
}

/** Another unit of an order that is delivered whole or not at all has failed. To send again would buy what must be taken back. */
const abandon = (unit: DueUnit, { number }: Attempt): UnitOutcome => ({
  unit: keyOf(unit),
  productId: unit.productId,
  kind: "give-up",
  failureCode: "temporarily_unavailable",
  number,
});

/** What the supplier knows of an attempt. */
export async function lookUpAttempt(
  deps: BuyDeps,
  unit: Pick<DueUnit, keyof UnitKey | "productId" | "inputFields">,
  attempt: Attempt,
): Promise<UnitOutcome | SendAgain> {
  const reference = referenceOf(unit, attempt.number);
  const asked = {
    sku: attempt.sku,
    ...(attempt.value === null ? {} : { value: attempt.value }),
    inputFields: mapFields(unit.inputFields, attempt.fieldMap) ?? null,
  };
  const answer = await ask(deps, attempt.supplierId, (supplier) =>
    supplier.lookUp(reference, attempt.upstreamId ?? undefined, asked),
  );
  const judgement = judgeLookedUp(attempt, answer, deps.clock.now(), deps.limits);
  const price = await guardPrice(deps, unit, attempt, answer);
  return judgement.kind === "send-again"
    ? judgement
    : { ...toOutcome(deps, unit, attempt, judgement), ...price, said: { look: answerClass(answer) } };
}

/**
 * One call. Its answer also updates the supplier's circuit breaker. That a purchase is not found says nothing about whether the
 * supplier sells, so it leaves the breaker as it is.
 */
async function ask<Answer extends LookUpOutcome>(
  deps: BuyDeps,
  supplierId: string,
  call: (supplier: RemoteSupplier) => Promise<Answer>,
  unavailable: PurchaseOutcome = UNAVAILABLE,
): Promise<Answer | PurchaseOutcome> {
  const opened = await deps.openSupplier(supplierId);
  const answer = opened ? await call(opened.supplier) : unavailable;
  const isFault = answer.kind === "unknown" || (answer.kind === "refused" && answer.supplierFault);
  if (!isFault) {
    if (opened?.hasFailed && answer.kind !== "not_found") await recordAnswer(deps.db, supplierId);
  } else if (await recordFailure(deps.db, supplierId, deps.clock.now(), deps.limits)) {
    deps.onBreakerOpened(supplierId, answer.kind === "unknown" ? answer.reason : answer.kind);
  }
  return answer;
}

function toOutcome(
  deps: BuyDeps,
  unit: UnitKey & { productId: string },
  { number, supplierId }: Attempt,
  judgement: Judgement,
): UnitOutcome & { kind: Judgement["kind"] } {
  const about = { unit: keyOf(unit), productId: unit.productId, number };
  switch (judgement.kind) {
    case "bought": {
      const { goods, upstreamId } = judgement.answer;
      const identity = identityOf(goods.reveal());
      const digest = identity === undefined ? null : deps.digestCode(identity);
      return { ...about, kind: "bought", supplierId, goods, digest, upstreamId };
    }
    case "refused":
    case "open":
      return { ...about, ...judgement };
  }
}

const wait = ({ clock, limits }: BuyDeps, unit: UnitKey & { productId: string }): UnitOutcome => ({
  unit: keyOf(unit),
  productId: unit.productId,
  kind: "wait",
  until: new Date(clock.now().getTime() + limits.lookFirstMs),
});

export const keyOf = ({ orderId, lineIndex, unitIndex }: UnitKey): UnitKey => ({
  orderId,
  lineIndex,
  unitIndex,
});

/** Runs the tasks, at most `atOnce` at a time. */
export async function inTurns<T>(tasks: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const results: T[] = [];
  const left = [...tasks];
  const runner = async () => {
    for (let task = left.shift(); task; task = left.shift()) results.push(await task());
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, runner));
  return results;
}
