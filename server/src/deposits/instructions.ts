import { formatAmount } from "../lib/money.ts";
import type { Deposit } from "./deposit.ts";
import { isTestReference, showReference } from "./reference.ts";

/** How resellers pay: the operator's text by currency, and under `""` for all others. From DEPOSIT_INSTRUCTIONS. */
export type DepositInstructions = Readonly<Record<string, string>>;

const FALLBACK =
  "Send {amount} {currency} to our bank account, with {reference} in the remittance text. Ask us for the bank details.";

const SANDBOX = "This is a sandbox deposit. Do not send money: it is credited by itself.";

/** The text with the facts of this deposit. Nothing else in it is replaced. */
export function instructionsFor(
  texts: DepositInstructions,
  { currency, amountMinor, reference }: Pick<Deposit, "currency" | "amountMinor" | "reference">,
): string {
  const bank = texts[currency] ?? texts[""] ?? FALLBACK;
  const text = isTestReference(reference) ? `${SANDBOX} ${bank}` : bank;
  const facts: Readonly<Record<string, string>> = {
    "{amount}": formatAmount(amountMinor, currency),
    "{currency}": currency,
    "{reference}": showReference(reference),
  };
  return text.replaceAll(/\{(?:amount|currency|reference)\}/g, (name) => facts[name] ?? name);
}
