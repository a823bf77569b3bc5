import {
  hasWaiting,
  type OrderAction,
  refundableKinds,
  sumUnits,
} from "../../fulfilment/operate/order-actions.ts";
import type { OrderState } from "../../fulfilment/operate/order-state.ts";
import { classOf, SAID_CLASSES, type SaidClass } from "../../fulfilment/operate/what-was-said.ts";
import { refusesRepeats } from "../../suppliers/registry.ts";
import { moneyText } from "../../web/parts/money.ts";

/** What a person decides about: so many units, with their price. */
export type Effect = { units: number; amountMinor: bigint };
export type Consequence = readonly [who: string, what: string];

/** What an action will do to money and codes, with exact amounts, before it happens. */
export const consequencesOf = (action: OrderAction, state: OrderState, effect: Effect): Consequence[] =>
  SAID[action](state, effect);

export const unitsText = (units: number): string => `${units} ${units === 1 ? "unit" : "units"}`;
const are = (count: number): string => (count === 1 ? "is" : "are");
const purchasesText = (count: number): string => `${count} ${count === 1 ? "purchase" : "purchases"}`;

const amount = ({ currency }: OrderState, amountMinor: bigint): string => moneyText(amountMinor, currency);

const FINAL: Consequence = ["Can be undone", "no"];

const SAID: Readonly<Record<OrderAction, (state: OrderState, effect: Effect) => Consequence[]>> = {
  look_up: sayLookUp,
  retry: sayRetry,
  hold: (state) => [
    [
      "Money",
      `If units fail, ${state.resellerName} is not paid back until you release the hold. At stake now: ${amount(state, sumUnits(state, "free", "asked", "unknown", "failed").amountMinor)}.`,
    ],
    ["Codes", "Units that can still be delivered are delivered as usual."],
    ["Can be undone", "yes, with Release"],
  ],
  release: sayRelease,
  refund: sayRefund,
  write_off: sayWriteOff,
  keep: (state) => [
    [state.resellerName, "keeps the code and has paid for it. Its order and its wallet stay as they are."],
    ["You", "keep what the reseller paid and what the supplier gave back."],
    ["Can be undone", "yes: the units can be refunded later"],
  ],
  charge_back: (state, { units, amountMinor }) => [
    [state.resellerName, `gets ${amount(state, amountMinor)} back now for ${unitsText(units)}`],
    ["You", "keep what the supplier gave back."],
    ["Codes", "They were delivered and stay readable. They may not work any more."],
    FINAL,
  ],
};

function sayLookUp(state: OrderState): Consequence[] {
  const { openPurchases, writtenOff, resellerName } = state;
  const waiting = openPurchases - writtenOff;
  const price = amount(state, sumUnits(state, "asked", "unknown").amountMinor);
  return [
    [
      "Now",
      `Suppliers are asked about ${purchasesText(openPurchases)} by our reference. Nothing is sent and nothing is bought.`,
    ],
    ...(waiting === 0
      ? []
      : ([
          [
            "If they were sold",
            `${resellerName} gets the codes of ${unitsText(waiting)}, and the ${price} that it paid stays with you.`,
          ],
          [
            "If they were refused",
            `The next route is tried. Without one ${resellerName} gets ${price} back, unless its refund is on hold.`,
          ],
        ] as const)),
    ...(writtenOff === 0
      ? []
      : ([
          [
            "Written off",
            `${unitsText(writtenOff)} ${writtenOff === 1 ? "was" : "were"} paid back already. A code that arrives goes to quarantine; nobody receives it.`,
          ],
        ] as const)),
    ["If nobody knows", "Nothing changes. Scrip looks them up again later."],
  ];
}

function sayRetry(state: OrderState): Consequence[] {
  const unknown = sumUnits(state, "asked", "unknown").units;
  const free = sumUnits(state, "free").units;
  if (state.status === "failed") {
    const back = amount(state, sumUnits(state, "failed").amountMinor);
    return [["Money", `A worker pays ${back} back to ${state.resellerName} now.`]];
  }
  return [
    ["Money", `Nothing is paid back now. ${state.resellerName} has paid already.`],
    ...(unknown === 0
      ? []
      : ([
          [
            "Purchases",
            `${purchasesText(unknown)} without an outcome ${are(unknown)} looked up first. Only one that the supplier does not know is sent again, under the same reference${sayRepeats(state)} No other supplier is asked before a definitive no, or before the purchase counts as not made.`,
          ],
        ] as const)),
    ...(state.waitsForPerson === 0
      ? []
      : ([
          [
            "Your decision",
            `${purchasesText(state.waitsForPerson)} ${state.waitsForPerson === 1 ? "waits" : "wait"} for you because the supplier does not find ${state.waitsForPerson === 1 ? "it" : "them"}. What it still does not find counts as not made: the next route is tried, and without one ${state.resellerName} is paid back. Retry once the supplier has confirmed that it never took the purchase.`,
          ],
        ] as const)),
    ...(free === 0
      ? []
      : ([["Units", `${unitsText(free)} ${are(free)} bought now by their routes.`]] as const)),
    ["Codes", `What is sold is delivered to ${state.resellerName}.`],
  ];
}

/** Only some suppliers promise that a repeated reference is the same purchase. */
const sayRepeats = ({ openKinds }: OrderState): string =>
  openKinds.every((kind) => refusesRepeats(kind))
    ? ", so it cannot be bought twice: the supplier refuses a repeated reference."
    : ". The supplier does not promise to refuse a repeated reference: if its books lag for longer than its page says, it can be bought twice. Reconcile finds that.";

function sayRelease(state: OrderState, { units, amountMinor }: Effect): Consequence[] {
  return [
    [
      state.resellerName,
      units > 0
        ? `gets ${amount(state, amountMinor)} back for ${unitsText(units)}, as soon as a worker takes the order`
        : "is paid back for units that fail, as usual",
    ],
    ["Codes", "Codes that were delivered stay readable."],
    ["Can be undone", units > 0 ? "no" : "yes, with Hold"],
  ];
}

function sayRefund(state: OrderState, { units, amountMinor }: Effect): Consequence[] {
  const isCompleted = state.status === "completed";
  const all = sumUnits(state, ...refundableKinds(state));
  const rest = sumUnits(state, "free", "asked", "unknown", "failed", "delivered").units - units;
  const isBroken = !isCompleted && state.allOrNothing && rest > 0;
  return [
    [state.resellerName, `gets ${amount(state, amountMinor)} back now for ${unitsText(units)}`],
    [
      "Codes",
      isCompleted
        ? "They were delivered and stay readable. What suppliers were paid for them is not paid back to you."
        : "These units have no code and are not bought any more.",
    ],
    ...(isBroken
      ? ([
          [
            "The rest",
            `The order is all or nothing: ${unitsText(rest)} ${are(rest)} given up too, and codes are taken back, as soon as every outcome is known.`,
          ],
        ] as const)
      : all.units > units
        ? ([["The rest", `${unitsText(all.units - units)} can be refunded later.`]] as const)
        : []),
    FINAL,
  ];
}

function sayWriteOff(state: OrderState, { units, amountMinor }: Effect): Consequence[] {
  return [
    [state.resellerName, `gets ${amount(state, amountMinor)} back now for ${unitsText(units)}`],
    ...atStake(state),
    [
      "If a code still arrives",
      "It goes to quarantine; nobody receives it. Suppliers are asked about these purchases for another day.",
    ],
    ["The order", afterWriteOff(state, units)],
    FINAL,
  ];
}

/** Who has the money for purchases without an outcome, by what their suppliers have said. */
function atStake({ unknownCosts }: OrderState): Consequence[] {
  const byClass = Map.groupBy(unknownCosts, classOf);
  return SAID_CLASSES.flatMap((said): Consequence[] => {
    const costs = byClass.get(said) ?? [];
    if (costs.length === 0) return [];
    const sums = new Map<string, bigint>();
    for (const { currency, amountMinor } of costs)
      if (currency !== null && amountMinor !== null)
        sums.set(currency, (sums.get(currency) ?? 0n) + amountMinor);
    const price = [...sums].map(([currency, sum]) => moneyText(sum, currency)).join(" and ");
    const units = costs.reduce((sum, one) => sum + one.units, 0);
    const ids = idsText(
      costs.flatMap(({ upstreamIds }) => upstreamIds),
      units,
    );
    return [STAKES[said](units, ids, price === "" ? undefined : price)];
  });
}

/** A sentence names so many. */
const IDS_SHOWN_MAX = 5;

function idsText(ids: readonly string[], units: number): string {
  const shown = ids.slice(0, IDS_SHOWN_MAX);
  if (shown.length === 0) return "";
  const more = shown.length === IDS_SHOWN_MAX && units > shown.length ? " and more" : "";
  return `${shown.length === 1 ? "transaction" : "transactions"} ${shown.join(", ")}${more}`;
}

type Stake = (units: number, ids: string, price: string | undefined) => Consequence;

const STAKES: Readonly<Record<SaidClass, Stake>> = {
  sold_unreadable(units, ids, price) {
    const [it, what] = units === 1 ? ["it", "its code"] : ["them", "their codes"];
    const told = [...(ids === "" ? [] : [ids]), price ?? "no cost is known"].join(", ");
    return [
      "You",
      `have paid for ${unitsText(units)}: the supplier sold ${it} and ${what} could not be read (${told}). Claim ${it} from the supplier.`,
    ];
  },
  pending_there(units, ids, price) {
    return [
      "You",
      `may still pay ${price ?? "an unknown cost"} for ${unitsText(units)}: pending at the supplier${ids === "" ? "" : ` (${ids})`}. That is not paid back to you.`,
    ];
  },
  not_known(units, ids, price) {
    const what = units === 1 ? "it" : "them";
    const why = `the supplier did not say${ids === "" ? "" : ` (${ids})`}`;
    return [
      "You",
      price === undefined
        ? `may have paid for ${what}: ${why}, and no cost is known. That is not paid back to you.`
        : `may have paid ${price} for ${what}: ${why}. That is not paid back to you.`,
    ];
  },
};

function afterWriteOff(state: OrderState, units: number): string {
  const waiting = sumUnits(state, "free", "asked", "unknown").units - units;
  if (waiting > 0) return `stays processing: ${unitsText(waiting)} ${are(waiting)} still waited for`;
  const { units: delivered } = sumUnits(state, "delivered");
  if (delivered > 0 && state.allOrNothing)
    return `is all or nothing: the codes of ${unitsText(delivered)} are taken back and another ${amount(state, sumUnits(state, "delivered").amountMinor)} is paid back`;
  if (sumUnits(state, "failed").units > 0)
    return state.refundHeld
      ? "waits: the refund of its other units is on hold"
      : "ends as soon as a worker takes it";
  return delivered > 0 ? "becomes completed" : "becomes refunded";
}

/** One sentence for a list: what happens to this order. */
export function sentenceOf(action: OrderAction, state: OrderState, { units, amountMinor }: Effect): string {
  switch (action) {
    case "look_up":
      return `Asks suppliers about ${purchasesText(units)} now. Sends and buys nothing.`;
    case "retry":
      return state.status === "failed"
        ? `Pays ${amount(state, sumUnits(state, "failed").amountMinor)} back to ${state.resellerName} now.`
        : `Tries ${unitsText(units)} again by the rules of fulfilment. No money moves now.`;
    case "hold":
      return "Holds its refund. No money moves now.";
    case "release":
      return units > 0
        ? `Pays ${amount(state, amountMinor)} back to ${state.resellerName} for ${unitsText(units)}.`
        : "Ends the hold on its refund. No money moves now.";
    case "refund":
      return `Pays ${amount(state, amountMinor)} back to ${state.resellerName} now for ${unitsText(units)}.${hasWaiting(state) ? " They are not bought any more." : ""}`;
    case "keep":
      return `Leaves ${unitsText(units)} that the supplier took back as ${units === 1 ? "it is" : "they are"}. No money moves.`;
    case "charge_back":
      return `Pays ${amount(state, amountMinor)} back to ${state.resellerName} now for ${unitsText(units)} that the supplier took back.`;
    case "write_off":
      return `Pays ${amount(state, amountMinor)} back to ${state.resellerName} now for ${unitsText(units)}. ${atStake(
        state,
      )
        .map(([who, what]) => `${who} ${what} `)
        .join("")}A late code goes to quarantine.`;
  }
}
