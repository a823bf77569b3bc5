import type { LineState, OrderState } from "./order-state.ts";

/** What an operator can do with an order. */
export const ORDER_ACTIONS = [
  "look_up",
  "retry",
  "hold",
  "release",
  "refund",
  "write_off",
  "keep",
  "charge_back",
] as const;
export type OrderAction = (typeof ORDER_ACTIONS)[number];

export const isOrderAction = (text: string): text is OrderAction =>
  (ORDER_ACTIONS as readonly string[]).includes(text);

/** Money goes back to a wallet at once, or as soon as a worker gets to it. */
export const MOVES_MONEY: ReadonlySet<OrderAction> = new Set([
  "release",
  "refund",
  "write_off",
  "charge_back",
]);

/** How many units an action is about, and what it pays back. Or why the rules do not allow it now. */
export type Offer =
  | { isOffered: true; units: number; amountMinor: bigint }
  | { isOffered: false; because: string };

/**
 * Whether an action is allowed now. These are the rules of fulfilment: a purchase without an outcome is looked up before anything
 * else, another one follows only after a definitive no, and what was paid back is not paid back again. The verbs check the same
 * under the order's lock.
 */
export function decideAction(state: OrderState, action: OrderAction): Offer {
  const because = DENIALS[action](state);
  return because === undefined
    ? { isOffered: true, ...EFFECTS[action](state) }
    : { isOffered: false, because };
}

type Effect = { units: number; amountMinor: bigint };

/** Units of an order by their kind, with their price. */
export function sumUnits(
  { lines }: Pick<OrderState, "lines">,
  ...kinds: readonly (keyof Omit<LineState, "lineIndex" | "unitPriceMinor">)[]
): Effect {
  let [units, amountMinor] = [0, 0n];
  for (const line of lines) {
    const count = kinds.reduce((sum, kind) => sum + line[kind], 0);
    units += count;
    amountMinor += BigInt(count) * line.unitPriceMinor;
  }
  return { units, amountMinor };
}

/** Delivered units are refunded once the order is completed; others while they are not being bought. */
export const refundableKinds = ({
  status,
}: Pick<OrderState, "status">): ("free" | "failed" | "delivered")[] =>
  status === "completed" ? ["delivered"] : ["free", "failed"];

const NOTHING: Effect = { units: 0, amountMinor: 0n };

const EFFECTS: Readonly<Record<OrderAction, (state: OrderState) => Effect>> = {
  look_up: ({ openPurchases }) => ({ units: openPurchases, amountMinor: 0n }),
  retry: (state) => ({ units: sumUnits(state, "free", "asked", "unknown").units, amountMinor: 0n }),
  hold: () => NOTHING,
  // While units can still be delivered, the refund follows when the last of them has ended.
  release: (state) => (hasWaiting(state) ? NOTHING : sumUnits(state, "failed")),
  refund: (state) => sumUnits(state, ...refundableKinds(state)),
  write_off: (state) => sumUnits(state, "unknown"),
  keep: (state) => ({ units: sumUnits(state, "reversed").units, amountMinor: 0n }),
  charge_back: (state) => sumUnits(state, "reversed"),
};

export const hasWaiting = (state: OrderState): boolean =>
  sumUnits(state, "free", "asked", "unknown").units > 0;

const isOver = ({ status }: OrderState): boolean => status === "completed" || status === "refunded";

const DENIALS: Readonly<Record<OrderAction, (state: OrderState) => string | undefined>> = {
  look_up(state) {
    if (state.openPurchases === 0)
      return "Every purchase of this order has an outcome. There is nothing to look up.";
    if (state.isTaken && state.openPurchases > state.writtenOff) return BUSY;
    return undefined;
  },
  retry(state) {
    if (isOver(state)) return `The order is ${state.status}. There is nothing to retry.`;
    if (hasWaiting(state) || (state.status === "failed" && !state.refundHeld)) return undefined;
    return state.refundHeld
      ? "Every unit has ended and the refund is on hold. Refund the order, or release the hold."
      : "Every unit has ended. There is nothing to retry.";
  },
  hold(state) {
    if (isOver(state)) return `The order is ${state.status}. It has no refund to hold.`;
    return state.refundHeld ? "The refund is on hold already." : undefined;
  },
  release(state) {
    return state.refundHeld && !isOver(state) ? undefined : "The refund is not on hold.";
  },
  refund(state) {
    if (state.status === "refunded") return "The order has been refunded already.";
    if (sumUnits(state, ...refundableKinds(state)).units > 0) return undefined;
    if (sumUnits(state, "unknown").units > 0)
      return "What is left waits for purchases whose outcome is not known. Look them up, or write them off.";
    if (sumUnits(state, "asked").units > 0) return "Its units are being bought now. Wait for the outcome.";
    return "What was not delivered has been paid back, and nothing else can be refunded yet.";
  },
  write_off(state) {
    if (sumUnits(state, "unknown").units > 0) return undefined;
    if (sumUnits(state, "asked").units > 0)
      return "Its purchases are under way. Their outcome is not overdue yet.";
    return "No unit of this order waits for a purchase whose outcome is not known.";
  },
  keep: (state) => (sumUnits(state, "reversed").units > 0 ? undefined : NOT_REVERSED),
  charge_back(state) {
    if (sumUnits(state, "reversed").units === 0) return NOT_REVERSED;
    return state.status === "completed"
      ? undefined
      : "The order is not completed yet. Charge its unit back when its other units have ended.";
  },
};

const NOT_REVERSED = "No unit of this order was taken back by its supplier, or each is decided.";
const BUSY = "A worker is at this order now. Try again in a moment.";
