import type { Ids } from "../../lib/ids.ts";
import type { Secret } from "../../lib/secret.ts";
import type { KeptAnswer } from "../../suppliers/answer-class.ts";
import type { Goods, GoodsType } from "../../suppliers/goods.ts";
import type { FailureCode, SupplierPrice } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Attempt, Route } from "../take/order-work.ts";

/** What is known about a unit before anything is written. */
export type UnitOutcome = { unit: UnitKey; productId: string } & (
  | { kind: "test-code"; code: string; type: GoodsType }
  | { kind: "take-stock"; route: Route; number: number }
  | {
      kind: "bought";
      number: number;
      supplierId: string;
      goods: Secret<Goods>;
      digest: Buffer | null;
      upstreamId: string | null;
      price?: SupplierPrice;
      said?: SupplierSaid;
      /** A person entered it: the supplier's support sent it by mail. */
      byHand?: true;
      /** The worker's lease has ended, so it ends no purchase. It is kept where a person has entered the code meanwhile. */
      isLate?: true;
    }
  | {
      kind: "refused";
      number: number;
      failureCode: FailureCode;
      price?: SupplierPrice;
      said?: SupplierSaid;
    }
  /** Undecided: the attempt stays open and is looked up again. */
  | ({ kind: "open"; number: number; dueAt: Date; price?: SupplierPrice; said?: SupplierSaid } & AttemptNotes)
  /** The supplier never took it. If too many of that supplier count as not made, it stays open until `dueAt` and waits for a person. */
  | ({
      kind: "not-made";
      number: number;
      supplierId: string;
      isConfirmed: boolean;
      dueAt: Date;
      said?: SupplierSaid;
    } & AttemptNotes)
  | { kind: "wait"; until: Date }
  /** With a number: that attempt is open and is written off. If it has bought the unit after all, its code goes to quarantine. */
  | { kind: "give-up"; failureCode: FailureCode; number?: number }
);

/** What the supplier answered to a purchase, or to a look-up of it. */
export type SupplierSaid = { send?: KeptAnswer; look?: KeptAnswer };

/** What is remembered of an attempt that stays open. */
export type AttemptNotes = {
  upstreamId: string | null;
  doubtful: boolean;
  doubtedFailureCode: FailureCode | null;
} & Pick<Attempt, "notFoundLooks" | "notFoundSince" | "notFoundState">;

/** What the database said under the locks of the orders. */
export type SettlementState = {
  /** Waiting units by their key, with the number of the attempt that is open, if any. */
  waiting: ReadonlySet<string>;
  openAttempts: ReadonlySet<string>;
  /** Attempts that a person ended by entering the code, and for which the supplier has sent nothing since. */
  enteredAttempts: ReadonlySet<string>;
  /** Attempts that count as not made. They are followed; their units go on without them. */
  notMade: ReadonlySet<string>;
  /** How many more purchases of each supplier can count as not made now. */
  notMadeRoom: ReadonlyMap<string, number>;
  /** Codes picked from stock, by product and supplier. */
  picked: ReadonlyMap<string, string[]>;
  knownDigests: ReadonlySet<string>;
  now: Date;
};

export type NewCode = UnitKey & {
  id: string;
  productId: string;
  content:
    | { test: string; type: GoodsType }
    | { goods: Secret<Goods>; supplierId: string; digest: Buffer | null };
  quarantineReason: "duplicate" | "late" | null;
};

/** Everything that one settlement writes. */
export type Settlement = {
  codesTaken: (UnitKey & { id: string; productId: string })[];
  codesNew: NewCode[];
  attemptsNew: (UnitKey & {
    number: number;
    productId: string;
    route: Route;
    failureCode: FailureCode | null;
  })[];
  attemptsEnded: (UnitKey & {
    number: number;
    status: "delivered" | "refused" | "quarantined";
    failureCode: FailureCode | null;
    upstreamId: string | null;
    /** The price that the supplier gave, or null. */
    price: SupplierPrice | null;
    said?: SupplierSaid | undefined;
    byHand?: true;
  })[];
  attemptsOpen: (UnitKey &
    AttemptNotes & { number: number; price: SupplierPrice | null; said?: SupplierSaid | undefined })[];
  attemptsWrittenOff: (UnitKey & { number: number })[];
  attemptsNotMade: (UnitKey &
    Pick<AttemptNotes, "notFoundLooks" | "notFoundSince"> & {
      number: number;
      said?: SupplierSaid | undefined;
    })[];
  unitsEnded: (UnitKey & { failureCode: FailureCode | null })[];
  unitsLater: (UnitKey & { dueAt: Date })[];
};

export const unitText = (unit: UnitKey): string => `${unit.orderId} ${unit.lineIndex} ${unit.unitIndex}`;
export const attemptText = (unit: UnitKey, number: number): string => `${unitText(unit)} ${number}`;
export const stockText = (productId: string, supplierId: string): string => `${productId} ${supplierId}`;

/** Decides what each outcome means for its unit. Pure: the same state and outcomes always settle the same way. */
export function decideSettlement(
  state: SettlementState,
  outcomes: readonly UnitOutcome[],
  ids: Ids,
): Settlement {
  const settlement: Settlement = {
    codesTaken: [],
    codesNew: [],
    attemptsNew: [],
    attemptsEnded: [],
    attemptsOpen: [],
    attemptsWrittenOff: [],
    attemptsNotMade: [],
    unitsEnded: [],
    unitsLater: [],
  };
  const picked = new Map([...state.picked].map(([key, ids]) => [key, [...ids]]));
  const seenDigests = new Set(state.knownDigests);
  const notMadeRoom = new Map(state.notMadeRoom);
  const deciding = { ...state, picked, notMadeRoom, ids };
  for (const outcome of outcomes) decideOne(deciding, seenDigests, settlement, outcome);
  return settlement;
}

/** Codes are the only thing that is new, and need ids. */
type Deciding = SettlementState & { notMadeRoom: Map<string, number>; ids: Ids };

function decideOne(
  state: Deciding,
  seenDigests: Set<string>,
  settlement: Settlement,
  outcome: UnitOutcome,
): void {
  const { unit, productId } = outcome;
  const isWaiting = state.waiting.has(unitText(unit));
  switch (outcome.kind) {
    case "bought":
      decideBought(state, seenDigests, settlement, outcome);
      return;
    case "not-made":
      decideNotMade(state, settlement, outcome, isWaiting);
      return;
    case "refused":
      if (!isFollowed(state, unit, outcome.number)) return;
      settlement.attemptsEnded.push({
        ...unit,
        number: outcome.number,
        status: "refused",
        failureCode: outcome.failureCode,
        upstreamId: null,
        price: outcome.price ?? null,
        ...saidOf(outcome),
      });
      if (isWaiting && isOpen(state, unit, outcome.number))
        settlement.unitsLater.push({ ...unit, dueAt: state.now });
      return;
    case "open":
      if (!isFollowed(state, unit, outcome.number)) return;
      settlement.attemptsOpen.push({ ...unit, ...outcome, price: outcome.price ?? null });
      if (isWaiting && isOpen(state, unit, outcome.number))
        settlement.unitsLater.push({ ...unit, dueAt: outcome.dueAt });
      return;
  }
  // The operator may have given the unit up. Nothing was bought for it, so there is nothing to keep.
  if (!isWaiting) return;
  switch (outcome.kind) {
    case "test-code": {
      const content = { test: outcome.code, type: outcome.type };
      settlement.codesNew.push({ ...unit, id: state.ids("cod"), productId, content, quarantineReason: null });
      settlement.unitsEnded.push({ ...unit, failureCode: null });
      return;
    }
    case "take-stock":
      decideStock(state, settlement, outcome);
      return;
    case "wait":
      settlement.unitsLater.push({ ...unit, dueAt: outcome.until });
      return;
    case "give-up":
      if (outcome.number !== undefined)
        settlement.attemptsWrittenOff.push({ ...unit, number: outcome.number });
      settlement.unitsEnded.push({ ...unit, failureCode: outcome.failureCode });
      return;
  }
}

const isOpen = ({ openAttempts }: SettlementState, unit: UnitKey, number: number): boolean =>
  openAttempts.has(attemptText(unit, number));

const isFollowed = (state: SettlementState, unit: UnitKey, number: number): boolean =>
  isOpen(state, unit, number) || state.notMade.has(attemptText(unit, number));

/** The next route follows, or the unit is given up. One that was written off in the meantime is followed further by itself. */
function decideNotMade(
  state: Deciding,
  settlement: Settlement,
  outcome: UnitOutcome & { kind: "not-made" },
  isWaiting: boolean,
): void {
  const { unit, number, supplierId, isConfirmed, notFoundLooks, notFoundSince } = outcome;
  const ended = { ...unit, number, notFoundLooks, notFoundSince, ...saidOf(outcome) };
  if (state.notMade.has(attemptText(unit, number))) settlement.attemptsNotMade.push(ended);
  if (!isOpen(state, unit, number) || !isWaiting) return;
  const room = state.notMadeRoom.get(supplierId) ?? 0;
  if (!isConfirmed && room <= 0) {
    settlement.attemptsOpen.push({ ...unit, ...outcome, notFoundState: "too_many", price: null });
    settlement.unitsLater.push({ ...unit, dueAt: outcome.dueAt });
    return;
  }
  state.notMadeRoom.set(supplierId, room - 1);
  settlement.attemptsNotMade.push(ended);
  settlement.unitsLater.push({ ...unit, dueAt: state.now });
}

const saidOf = ({ said }: { said?: SupplierSaid }): { said?: SupplierSaid } => (said ? { said } : {});

/**
 * A known code, or one for a unit that was given up or went on without it, was paid for and must not be delivered. Nor must what the
 * supplier sends after a person has entered the code: the unit has it.
 */
function decideBought(
  state: Deciding,
  seenDigests: Set<string>,
  settlement: Settlement,
  outcome: UnitOutcome & { kind: "bought" },
): void {
  const { unit, productId, number, supplierId, goods, digest, upstreamId, price = null } = outcome;
  const isEnding = isFollowed(state, unit, number) && !outcome.isLate;
  if (!isEnding && !state.enteredAttempts.has(attemptText(unit, number))) return;
  const isWaiting = state.waiting.has(unitText(unit)) && isOpen(state, unit, number);
  const isKnown = digest !== null && seenDigests.has(digest.toString("hex"));
  const quarantineReason = isKnown ? "duplicate" : isWaiting ? null : "late";
  if (digest) seenDigests.add(digest.toString("hex"));
  const content = { goods, supplierId, digest };
  settlement.codesNew.push({ ...unit, id: state.ids("cod"), productId, content, quarantineReason });
  if (!isEnding) return;
  const status = quarantineReason === null ? "delivered" : "quarantined";
  settlement.attemptsEnded.push({
    ...unit,
    number,
    status,
    failureCode: null,
    upstreamId,
    price,
    ...saidOf(outcome),
    ...(outcome.byHand ? { byHand: true } : {}),
  });
  // No replacement is bought: a unit is bought at most once, and the reseller gets a refund.
  if (isWaiting)
    settlement.unitsEnded.push({ ...unit, failureCode: isKnown ? "temporarily_unavailable" : null });
}

function decideStock(
  state: SettlementState,
  settlement: Settlement,
  { unit, productId, route, number }: UnitOutcome & { kind: "take-stock" },
): void {
  const id = state.picked.get(stockText(productId, route.supplierId))?.shift();
  if (id === undefined) {
    settlement.attemptsNew.push({ ...unit, number, productId, route, failureCode: "out_of_stock" });
    settlement.unitsLater.push({ ...unit, dueAt: state.now });
    return;
  }
  settlement.codesTaken.push({ ...unit, id, productId });
  settlement.attemptsNew.push({ ...unit, number, productId, route, failureCode: null });
  settlement.unitsEnded.push({ ...unit, failureCode: null });
}
