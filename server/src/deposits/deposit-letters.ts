import { composeLetter } from "../mail/compose-letter.ts";
import type { Letter } from "../mail/queue-letter.ts";
import type { Deposit } from "./deposit.ts";
import { showMoney } from "./receive-deposit.ts";
import { showReference } from "./reference.ts";

type NoticeLetter = Omit<Letter, "to">;

const FOOTER = "You receive this because your address is set for deposits in the settings of your reseller.";

/** Says that a deposit is in the wallet. A deposit is credited once, so its id is the cause. */
export function creditedLetter(deposit: Deposit, amountMinor: bigint, balanceMinor: bigint): NoticeLetter {
  const amount = showMoney(deposit, amountMinor);
  const requested = showMoney(deposit, deposit.amountMinor);
  return letter(`deposit ${deposit.id} credited`, `Your deposit of ${amount} was credited`, [
    `Your deposit with the reference ${showReference(deposit.reference)} arrived. ${amount} was credited to your wallet.`,
    ...(amount === requested ? [] : [`You requested a deposit of ${requested}. We credit what arrived.`]),
    `The balance is ${showMoney(deposit, balanceMinor)} now.`,
  ]);
}

export const rejectedLetter = (deposit: Deposit, reason: string): NoticeLetter =>
  letter(`deposit ${deposit.id} rejected`, "Your deposit was rejected", [
    `Your deposit of ${showMoney(deposit, deposit.amountMinor)} with the reference ${showReference(deposit.reference)} was rejected. Nothing was credited.`,
    `Reason: ${reason}`,
  ]);

function letter(cause: string, subject: string, paragraphs: readonly string[]): NoticeLetter {
  const { to: _, ...composed } = composeLetter({ to: "", cause, subject, paragraphs, footer: FOOTER });
  return { ...composed, cause };
}
