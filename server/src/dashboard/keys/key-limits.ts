import { type LimitChanges, limitText } from "../../keys/limits/read-limits.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { formatAmount } from "../../lib/money.ts";
import { textField } from "../../web/form/text-fields.ts";
import { moneyText } from "../../web/parts/money.ts";
import { type HtmlValue, html } from "../../web/template/html.ts";

const AMOUNT_MAX_CHARACTERS = 24;

const amount = (label: string, hint: string) =>
  textField({ label, hint, inputmode: "decimal", maxLength: AMOUNT_MAX_CHARACTERS });

/** What a key may spend, as fields of its forms. */
export const limitFields = {
  maxOrder: amount("Most for one order", "In the currency of the wallet. Leave it empty for no limit."),
  maxDay: amount(
    "Most in a day",
    "From 00:00 to 24:00 UTC, less refunds of the same day. Leave it empty for no limit.",
  ),
};

type LimitValues = { maxOrder: string; maxDay: string };

/** An empty field ends a limit. */
export const readLimitFields = ({ maxOrder, maxDay }: LimitValues): LimitChanges => ({
  maxOrder: plainAmount(maxOrder),
  maxDay: plainAmount(maxDay),
});

const plainAmount = (text: string): string | null => (text === "" ? null : text.replaceAll(",", ""));

export const startLimits = (key: KeyRow): LimitValues => ({
  maxOrder: amountText(key.maxOrderMinor, key.currency),
  maxDay: amountText(key.maxDayMinor, key.currency),
});

const amountText = (minor: bigint | null, currency: string): string =>
  minor === null ? "" : formatAmount(minor, currency);

/** Which field a refusal of the verb is about. */
export const limitFieldOf = (detail: string): string | undefined => {
  if (/limit of an order/.test(detail)) return "/maxOrder";
  return /limit of a day/.test(detail) ? "/maxDay" : undefined;
};

/** The facts of a key that has limits. */
export function limitFacts(key: KeyRow, spentMinor: bigint): [string, HtmlValue][] {
  const { maxOrderMinor, maxDayMinor, currency } = key;
  const facts: [string, HtmlValue][] = [];
  if (maxOrderMinor !== null) facts.push(["Most for one order", moneyText(maxOrderMinor, currency)]);
  if (maxDayMinor !== null)
    facts.push([
      "Most in a day",
      html`${moneyText(maxDayMinor, currency)}<div class="quiet">${moneyText(spentMinor, currency)} spent today (UTC)</div>`,
    ]);
  return facts;
}

/** In a list: both limits in one cell. */
export function limitsCell(key: Pick<KeyRow, "maxOrderMinor" | "maxDayMinor" | "currency">): HtmlValue {
  const { maxOrderMinor, maxDayMinor, currency } = key;
  const parts = [
    maxOrderMinor === null ? undefined : `${limitText(maxOrderMinor, currency)} an order`,
    maxDayMinor === null ? undefined : `${limitText(maxDayMinor, currency)} a day`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? html`<span class="quiet">none</span>` : parts.join(", ");
}
