import { type UnitOutcome, unitText } from "../settle/decide-settlement.ts";
import { lockTakenOrders, readUnitStates } from "../settle/settle-queries.ts";
import type { Attempt, DueUnit, Route, TakenOrder } from "../take/order-work.ts";
import { type BuyDeps, machineTime, wait } from "./ask-supplier.ts";
import { insertOpenAttempts } from "./attempt-queries.ts";
import { lookUp } from "./look-up-purchase.ts";
import type { UnitPlan } from "./plan-unit.ts";
import { send } from "./send-purchase.ts";
import { reserveCalls } from "./supplier-gate.ts";

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
    const opened = rows.length > 0 ? await insertOpenAttempts(tx, rows, now) : [];
    return { units: new Set(opened.map(unitText)), at: now };
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
  notFoundLooks: 0,
  notFoundSince: null,
  notFoundState: null,
  toldState: null,
  sends: 1,
  looks: 0,
  lastSentAt: now,
  costMinor: route.costMinor,
  maxCostMinor: route.maxCostMinor,
  costCurrency: route.costCurrency,
  priceMinor: null,
  priceCurrency: null,
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
