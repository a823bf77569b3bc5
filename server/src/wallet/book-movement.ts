import { hideStaffIn } from "../activity/hide-staff.ts";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { formatAmount } from "../lib/money.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { appendEntry, type WalletHead } from "./entry.ts";
import { insertEntry, updateWallet } from "./queries.ts";

export type Direction = "credit" | "debit";
export type MovedFunds = { entryId: string; balanceMinor: bigint; currency: string };

const NOTE_MAX_CHARACTERS = 500;

/** A movement of the operator, checked. `by` is absent for movements that Scrip makes itself, such as the demo's. */
export type OperatorMovement = {
  entryId: string;
  direction: Direction;
  amountMinor: bigint;
  note: string;
  by: By | undefined;
  /** The deposit that a credit is for. */
  depositId?: string | undefined;
};

/** Writes a movement in the transaction that has locked its wallet. The reseller finds it in its activity log too. */
export async function bookMovement(
  tx: Tx,
  clock: Clock,
  head: WalletHead,
  { entryId, direction, amountMinor, note, by, depositId }: OperatorMovement,
): Promise<MovedFunds> {
  if (amountMinor === 0n) throw new RangeError("the amount is zero");
  const next = appendEntry(head, {
    id: entryId,
    type: direction === "credit" ? "deposit" : "adjustment",
    amountMinor: direction === "credit" ? amountMinor : -amountMinor,
    orderId: null,
    depositId,
    note: note === "" ? null : note,
    createdAt: clock.now(),
  });
  const { currency } = head;
  if (!next) throw cannotMove(head, direction, amountMinor);
  await insertEntry(tx, next.entry);
  await updateWallet(tx, next.head);
  const { balanceMinor } = next.head;
  if (by)
    await recordActivity(tx, clock, {
      ...by,
      action: direction === "credit" ? "wallet.credited" : "wallet.debited",
      object: { kind: "entry", id: entryId },
      resellerId: head.resellerId,
      environment: head.environment,
      before: { balance: showMoney(head.balanceMinor, currency) },
      after: {
        amount: showMoney(amountMinor, currency),
        balance: showMoney(balanceMinor, currency),
        // The log is the reseller's too. For the operator, the proposal's own row names both people.
        note: hideStaffIn(note),
      },
    });
  return { entryId, balanceMinor, currency };
}

export function checkNote(note: string, maxCharacters = NOTE_MAX_CHARACTERS): string {
  if ([...note].length > maxCharacters)
    throw new RangeError(`a note can have at most ${maxCharacters} characters`);
  assertPlainText("a note", note);
  return note;
}

const showMoney = (amountMinor: bigint, currency: string): string =>
  `${formatAmount(amountMinor, currency)} ${currency}`;

function cannotMove(head: WalletHead, direction: Direction, amountMinor: bigint): RangeError {
  const holds = showMoney(head.balanceMinor, head.currency);
  const amount = formatAmount(amountMinor, head.currency);
  return direction === "debit"
    ? new RangeError(`the balance is ${holds}, less than ${amount}`)
    : new RangeError(`the balance is ${holds} and cannot grow by ${amount}`);
}
