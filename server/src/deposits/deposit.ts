import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";

export const DEPOSIT_STATUSES = ["requested", "received", "credited", "rejected"] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

export type Deposit = Tenant & {
  id: string;
  currency: string;
  /** What the reseller said it will send. */
  amountMinor: bigint;
  reference: string;
  note: string | null;
  actorKind: Actor["kind"];
  actorId: string;
  createdAt: Date;
  status: DepositStatus;
  /** What arrived, and is credited. */
  receivedMinor: bigint | null;
  /** A person said so. Otherwise it is the sum of bank lines. */
  receivedByHand: boolean;
  receivedAt: Date | null;
  creditedAt: Date | null;
  entryId: string | null;
  rejectedAt: Date | null;
  reason: string | null;
};

export type DepositAction =
  | { kind: "receive"; amountMinor: bigint; from: "hand" | "bank" }
  | { kind: "credit" }
  | { kind: "reject" };

/** What an action makes of a deposit, or why it cannot be done. */
export type NextDeposit =
  | { status: "received"; receivedMinor: bigint; receivedByHand: boolean }
  | { status: "credited"; amountMinor: bigint }
  | { status: "rejected" }
  | { refused: string };

/** The state machine: requested, then received, then credited; or rejected, before it is credited. */
export function nextDeposit(deposit: Deposit, action: DepositAction): NextDeposit {
  const ended = ENDED[deposit.status];
  if (ended !== undefined) return { refused: ended };
  if (action.kind === "reject") return { status: "rejected" };
  if (action.kind === "receive") return receive(deposit, action);
  if (deposit.receivedMinor === null)
    return { refused: "The payment of this deposit has not been received. Receive it first." };
  return { status: "credited", amountMinor: deposit.receivedMinor };
}

const ENDED: Readonly<Partial<Record<DepositStatus, string>>> = {
  credited: "This deposit was credited already. The money has moved once.",
  rejected: "This deposit was rejected. No money has moved.",
};

/** By hand the amount is what the person says, and can be corrected. Bank lines add up. The two are never mixed. */
function receive(
  { receivedMinor, receivedByHand }: Deposit,
  { amountMinor, from }: DepositAction & { kind: "receive" },
): NextDeposit {
  if (amountMinor <= 0n) return { refused: "The amount is zero." };
  const byHand = from === "hand";
  if (receivedMinor === null)
    return { status: "received", receivedMinor: amountMinor, receivedByHand: byHand };
  if (byHand !== receivedByHand)
    return {
      refused: receivedByHand
        ? "A person received this payment already."
        : "This payment was received from a bank statement. Its amount cannot be changed by hand.",
    };
  return {
    status: "received",
    receivedMinor: byHand ? amountMinor : receivedMinor + amountMinor,
    receivedByHand,
  };
}
