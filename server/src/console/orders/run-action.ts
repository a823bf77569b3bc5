import { holdOrder, retryOrder } from "../../fulfilment/operate/hold-order.ts";
import { keepReversals } from "../../fulfilment/operate/keep-reversals.ts";
import { type LookedUpPurchase, lookUpOrder } from "../../fulfilment/operate/look-up-order.ts";
import type { Operator } from "../../fulfilment/operate/operator.ts";
import { decideAction, MOVES_MONEY, type OrderAction } from "../../fulfilment/operate/order-actions.ts";
import { type OrderState, readOrderStates } from "../../fulfilment/operate/order-state.ts";
import type { UnitRef } from "../../fulfilment/operate/unit-choice.ts";
import { answerText } from "../../fulfilment/operate/what-was-said.ts";
import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { moneyText } from "../../web/parts/money.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, provedBy } from "../session.ts";
import { type Effect, unitsText } from "./consequences.ts";

export type ActionInput = {
  orderId: string;
  action: OrderAction;
  reason: string;
  /** Only these units; undefined for all that it can be done to. */
  units?: readonly UnitRef[] | undefined;
  /** What the page said would happen. */
  expected?: Effect | undefined;
};

/** Who acts. Money moves only with fresh proof. */
export function operatorOf(
  ctx: ConsoleContext,
  action: OrderAction,
  reason: string,
  movesMoney = MOVES_MONEY.has(action),
): Operator {
  const by = movesMoney ? provedBy(ctx) : byOf(ctx);
  return { ...by, reason, isFirst: true };
}

/** A retry moves money too where purchases wait for a person: what is still not found is bought again or paid back. */
export async function movesMoneyOf(
  { db }: ConsoleDeps,
  ctx: ConsoleContext,
  action: OrderAction,
  orderIds: readonly string[],
): Promise<boolean> {
  if (action !== "retry") return MOVES_MONEY.has(action);
  const states = await readOrderStates(db, orderIds, ctx.now);
  return states.some(({ waitsForPerson }) => waitsForPerson > 0);
}

/** Does it, if the rules allow it now, and returns a sentence about what was done. A refusal says why. */
export async function runAction(deps: ConsoleDeps, by: Operator, input: ActionInput): Promise<string> {
  const [state] = await readOrderStates(deps.db, [input.orderId], deps.clock.now());
  if (!state) throw notFound();
  const offer = decideAction(state, input.action);
  if (!offer.isOffered) throw refused(offer.because);
  try {
    return await VERBS[input.action](deps, by, input, state);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refused(toSentence(error.message));
  }
}

const refused = (because: string): Problem => new Problem("invalid_request", because);

const toSentence = (message: string): string =>
  `${message.startsWith("ord_") ? message : message.charAt(0).toUpperCase() + message.slice(1)}.`;

type Verb = (deps: ConsoleDeps, by: Operator, input: ActionInput, state: OrderState) => Promise<string>;

const VERBS: Readonly<Record<OrderAction, Verb>> = {
  async look_up(deps, by, { orderId }) {
    const onSettled = () => {
      deps.announceOrders();
      deps.announceDeliveries();
    };
    const { purchases } = await lookUpOrder({ ...deps.supplierCalls, onSettled }, orderId, by);
    return sayFound(purchases);
  },
  async retry(deps, by, { orderId }) {
    await retryOrder(deps.db, deps.clock, orderId, by);
    deps.announceOrders();
    return "The order is processed now.";
  },
  async hold(deps, by, { orderId }) {
    await holdOrder(deps.db, deps.clock, orderId, true, by);
    return "The refund is on hold.";
  },
  async release(deps, by, { orderId }) {
    await holdOrder(deps.db, deps.clock, orderId, false, by);
    deps.announceOrders();
    return "The refund is released.";
  },
  refund: (deps, by, input, state) => payBack(deps, by, input, state, "not_bought"),
  write_off: (deps, by, input, state) => payBack(deps, by, input, state, "unknown"),
  async keep(deps, by, { orderId, units, expected }) {
    const kept = await keepReversals(deps.db, deps.clock, { orderId, units, expected }, by);
    return `${unitsText(kept.units)} kept. The order and the wallet are as they were.`;
  },
  charge_back: (deps, by, input, state) => payBack(deps, by, input, state, "reversed"),
};

async function payBack(
  deps: ConsoleDeps,
  by: Operator,
  { orderId, units, expected, reason }: ActionInput,
  { resellerName }: OrderState,
  which: "not_bought" | "unknown" | "reversed",
): Promise<string> {
  const input = { orderId, lines: undefined, units, which, expected, reason };
  const done = await refundOrder(deps.db, deps.clock, input, by);
  deps.announceOrders();
  deps.announceDeliveries();
  const what = { not_bought: "refunded", unknown: "written off", reversed: "charged back" }[which];
  return `${unitsText(done.refundedUnits)} ${what}: ${resellerName} got ${moneyText(done.amountMinor, done.currency)} back. The order is ${done.status}.`;
}

const FOUND: Readonly<Record<LookedUpPurchase["outcome"], string>> = {
  delivered: "sold, and delivered to the reseller",
  quarantined: "sold and in quarantine: it was written off, or its code was delivered before",
  refused: "refused: nothing was bought",
  not_made: "counted as not made: the supplier never took it",
  open: "still without an outcome",
};

function sayFound(purchases: readonly LookedUpPurchase[]): string {
  const groups = Map.groupBy(purchases, ({ outcome, answer }) =>
    outcome === "open" ? `${FOUND.open} (${answerText(answer)})` : FOUND[outcome],
  );
  return [...groups]
    .map(([found, list]) => `${list.length} ${list.length === 1 ? "purchase is" : "purchases are"} ${found}.`)
    .join(" ");
}
