import { lockStaff } from "../accounts/people/lock-staff.ts";
import { Refusal } from "../accounts/refusal.ts";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { formatAmount, parseTypedAmount } from "../lib/money.ts";
import { refuseAt } from "../wallet/proposals/request-movement.ts";
import { type Deposit, type NextDeposit, nextDeposit } from "./deposit.ts";
import { lockDeposit, markReceived } from "./deposit-queries.ts";

export type DepositDeps = { db: Db; clock: Clock };

/** A person says that the payment has arrived. Without an amount it is the requested one. No money moves yet. */
export const receiveDeposit = (
  { db, clock }: DepositDeps,
  id: string,
  amount: string | undefined,
  by: By,
): Promise<Deposit> =>
  db.transaction(async (tx) => {
    const deposit = await lockOpen(tx, id);
    await lockPerson(tx, by);
    const amountMinor =
      amount === undefined
        ? deposit.amountMinor
        : refuseAt("amount", () => parseTypedAmount(amount.trim(), deposit.currency));
    return writeReceived(tx, clock, deposit, { amountMinor, from: "hand" }, by);
  });

/** Writes what has arrived in the transaction that has locked the deposit. */
export async function writeReceived(
  tx: Tx,
  clock: Clock,
  deposit: Deposit,
  arrived: { amountMinor: bigint; from: "hand" | "bank" },
  by: By,
): Promise<Deposit> {
  const next = accepted(nextDeposit(deposit, { kind: "receive", ...arrived }));
  if (next.status !== "received") throw new Error("receiving led elsewhere");
  // A second click says what the first one said.
  if (deposit.receivedMinor === next.receivedMinor) return deposit;
  const received = await markReceived(tx, deposit.id, { ...next, at: clock.now() });
  await recordActivity(tx, clock, {
    ...by,
    action: "deposit.received",
    object: { kind: "deposit", id: deposit.id },
    resellerId: deposit.resellerId,
    environment: deposit.environment,
    before: {
      status: deposit.status,
      ...(deposit.receivedMinor === null ? {} : { received: showMoney(deposit, deposit.receivedMinor) }),
    },
    after: {
      requested: showMoney(deposit, deposit.amountMinor),
      received: showMoney(deposit, next.receivedMinor),
      from: arrived.from === "hand" ? "a person" : "a bank statement",
    },
  });
  return received;
}

export async function lockOpen(tx: Tx, id: string): Promise<Deposit> {
  const deposit = await lockDeposit(tx, id);
  if (!deposit) throw noDeposit();
  return deposit;
}

export const noDeposit = (): Refusal => new Refusal("not_found", "There is no such deposit.");

/** A person of the staff must be allowed to do this until the transaction ends. A command and Scrip itself always are. */
export async function lockPerson(tx: Tx, { actor }: By): Promise<void> {
  if (actor.kind === "staff") await lockStaff(tx, [actor.id], "deposits.manage");
}

type Accepted = Exclude<NextDeposit, { refused: string }>;

export function accepted(next: NextDeposit): Accepted {
  if ("refused" in next) throw new Refusal("deposit_closed", next.refused);
  return next;
}

export const showMoney = ({ currency }: { currency: string }, amountMinor: bigint): string =>
  `${formatAmount(amountMinor, currency)} ${currency}`;
