import { Refusal } from "../accounts/refusal.ts";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Tx } from "../db/database.ts";
import { emitEvents } from "../events/emit-events.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { type AmountLimits, toSafeInteger } from "../lib/money.ts";
import { queueNotice } from "../mail/queue-notice.ts";
import { bookMovement, type MovedFunds } from "../wallet/book-movement.ts";
import type { WalletHead } from "../wallet/entry.ts";
import type { OpenDeposit } from "../wallet/proposals/decide-proposal.ts";
import type { Proposal } from "../wallet/proposals/proposal.ts";
import { approvalAbove, propose, refusing } from "../wallet/proposals/request-movement.ts";
import { lockWallet } from "../wallet/queries.ts";
import { type Deposit, nextDeposit } from "./deposit.ts";
import { creditedLetter } from "./deposit-letters.ts";
import { findWaitingProposal, markCredited } from "./deposit-queries.ts";
import { accepted, type DepositDeps, lockOpen, lockPerson, showMoney } from "./receive-deposit.ts";

/** `dualControl`: above these amounts a credit takes two people. */
export type CreditDeps = DepositDeps & { dualControl: AmountLimits | undefined };

export type CreditResult = { credited: Deposit } | { proposed: Proposal };

/**
 * Credits what was received to the wallet, once: the entry, the status, the event and the letter are one transaction. Above the limit of
 * dual control it becomes a proposal that another person approves. Locks: the deposit, the person, the wallet.
 */
export const creditDeposit = (
  { db, clock, dualControl }: CreditDeps,
  id: string,
  by: By,
): Promise<CreditResult> =>
  db.transaction(async (tx) => {
    const deposit = await lockOpen(tx, id);
    await lockPerson(tx, by);
    return creditLocked(tx, { clock, dualControl }, deposit, by);
  });

/** The same in a transaction that has locked the deposit and the person. */
export async function creditLocked(
  tx: Tx,
  { clock, dualControl }: Omit<CreditDeps, "db">,
  deposit: Deposit,
  by: By,
): Promise<CreditResult> {
  const amountMinor = amountToCredit(deposit);
  const head = await lockDepositWallet(tx, deposit);
  const movement = {
    direction: "credit",
    amountMinor,
    note: noteOf(deposit),
    by,
    depositId: deposit.id,
  } as const;
  if (approvalAbove(dualControl, deposit, deposit.currency, amountMinor) !== undefined) {
    refuseCommand(by);
    const waiting = await findWaitingProposal(tx, deposit.id, clock.now());
    if (waiting)
      throw new Refusal(
        "deposit_closed",
        `The credit of this deposit waits for a second person (${waiting.id}).`,
      );
    return { proposed: await propose(tx, clock, head, movement) };
  }
  const entryId = idsOf(clock)("ent");
  const moved = await refusing(() => bookMovement(tx, clock, head, { ...movement, entryId }));
  return { credited: await writeCredited(tx, clock, deposit, moved, by) };
}

/** How the approval of a proposal ends its deposit. The deposit is locked after the proposal, before people and wallet. */
export const openDepositOf =
  (clock: Clock): OpenDeposit =>
  async (tx, { depositId, amountMinor, resellerId, environment, currency }) => {
    const deposit = await lockOpen(tx, depositId);
    if (amountToCredit(deposit) !== amountMinor)
      throw new Refusal(
        "deposit_closed",
        "Another amount was received since this was proposed. Withdraw it and credit the deposit again.",
      );
    if (
      deposit.resellerId !== resellerId ||
      deposit.environment !== environment ||
      deposit.currency !== currency
    )
      throw new Error("a proposal for a deposit of another wallet");
    return async (moved, by) => {
      await writeCredited(tx, clock, deposit, moved, by);
    };
  };

async function writeCredited(
  tx: Tx,
  clock: Clock,
  deposit: Deposit,
  { entryId, balanceMinor }: MovedFunds,
  by: By,
): Promise<Deposit> {
  const now = clock.now();
  const credited = await markCredited(tx, deposit.id, { entryId, at: now });
  const { id, resellerId, environment, currency, reference } = deposit;
  const amountMinor = amountToCredit(deposit);
  await recordActivity(tx, clock, {
    ...by,
    action: "deposit.credited",
    object: { kind: "deposit", id },
    resellerId,
    environment,
    before: { status: deposit.status },
    after: { amount: showMoney(deposit, amountMinor), entryId, reference },
  });
  await emitEvents(
    tx,
    [
      {
        type: "deposit.credited",
        resellerId,
        environment,
        subject: { kind: "deposit", id },
        cause: entryId,
        data: { deposit_id: id, amount: { amount: toSafeInteger(amountMinor), currency } },
      },
    ],
    idsOf(clock),
    now,
  );
  if (environment === "live")
    await queueNotice(tx, resellerId, "deposit", creditedLetter(credited, amountMinor, balanceMinor), now);
  return credited;
}

function amountToCredit(deposit: Deposit): bigint {
  const next = accepted(nextDeposit(deposit, { kind: "credit" }));
  if (next.status !== "credited") throw new Error("crediting led elsewhere");
  return next.amountMinor;
}

async function lockDepositWallet(tx: Tx, deposit: Deposit): Promise<WalletHead> {
  const head = await lockWallet(tx, deposit);
  if (!head || head.currency !== deposit.currency) throw new Error("a deposit without its wallet");
  return head;
}

/** What the reseller reads in its statement. */
const noteOf = ({ reference }: Deposit): string => `Deposit ${reference}`;

/** A command does not say who runs it, so it cannot be one of two people. */
function refuseCommand({ actor }: By): void {
  if (actor.kind !== "staff")
    throw new Refusal(
      "not_permitted",
      "This amount is above CONSOLE_DUAL_CONTROL_ABOVE and takes two people. Credit the deposit in the console, where another person approves it.",
    );
}
