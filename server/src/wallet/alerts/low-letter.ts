import { formatAmount } from "../../lib/money.ts";
import { composeLetter } from "../../mail/compose-letter.ts";
import type { Letter } from "../../mail/queue-letter.ts";
import type { DueAlert } from "./alert-queries.ts";

/** Says that a balance fell below its threshold. The entry that did it is the cause, so one fall has one letter. */
export function lowLetter(alert: DueAlert, fall: { sequence: bigint; at: Date }): Omit<Letter, "to"> {
  const { resellerId, environment, balanceMinor, belowMinor, currency } = alert;
  const show = (amount: bigint) => `${formatAmount(amount, currency)} ${currency}`;
  const { to: _, ...letter } = composeLetter({
    to: "",
    cause: "wallet.low",
    subject: `Your ${environment} balance on Scrip is below ${show(belowMinor)}`,
    paragraphs: [
      `The balance of your ${environment} wallet fell below ${show(belowMinor)} at ${fall.at.toISOString().slice(0, 16).replace("T", " ")} UTC. It is ${show(balanceMinor)} now.`,
      "An order that costs more than the balance is refused. Add funds in time.",
      "You get this message once each time the balance falls below the threshold. Change it on the Wallet page of the dashboard.",
    ],
    footer: "You receive this because your address is set for low balances in the settings of your reseller.",
  });
  return { ...letter, cause: `wallet ${resellerId} ${environment} low at entry ${fall.sequence}` };
}
