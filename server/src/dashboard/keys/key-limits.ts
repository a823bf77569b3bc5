import { type LimitChanges, limitText, VELOCITY_MAX, VELOCITY_MIN } from "../../keys/limits/read-limits.ts";
import type { KeyRow } from "../../keys/queries.ts";
import { formatAmount } from "../../lib/money.ts";
import { numberField } from "../../web/form/number-fields.ts";
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
  velocity: numberField({
    label: "Freeze above",
    min: VELOCITY_MIN,
    max: VELOCITY_MAX,
    unit: "times the usual hour",
    hint: "The key stops placing orders before it spends more than that in an hour. Leave it empty to never freeze it.",
  }),
};

type LimitValues = { maxOrder: string; maxDay: string; velocity?: number | undefined };

/** An empty field ends a limit. */
export const readLimitFields = ({ maxOrder, maxDay, velocity }: LimitValues): LimitChanges => ({
  maxOrder: limitOf(maxOrder),
  maxDay: limitOf(maxDay),
  velocityTimes: velocity ?? null,
});

const limitOf = (text: string): string | null => (text === "" ? null : text);

export const startLimits = (key: KeyRow) => ({
  maxOrder: amountText(key.maxOrderMinor, key.currency),
  maxDay: amountText(key.maxDayMinor, key.currency),
  velocity: key.velocityTimes === null ? "" : String(key.velocityTimes),
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
  const { maxOrderMinor, maxDayMinor, velocityTimes, usualHourMinor, currency } = key;
  const facts: [string, HtmlValue][] = [];
  if (maxOrderMinor !== null) facts.push(["Most for one order", moneyText(maxOrderMinor, currency)]);
  if (maxDayMinor !== null)
    facts.push([
      "Most in a day",
      html`${moneyText(maxDayMinor, currency)}<div class="quiet">${moneyText(spentMinor, currency)} spent today (UTC)</div>`,
    ]);
  if (velocityTimes !== null) {
    const usual =
      usualHourMinor === null ? "still learning it" : `${moneyText(usualHourMinor, currency)} an hour`;
    facts.push([
      "Freeze above",
      html`${velocityTimes} times the usual hour<div class="quiet">${usual}</div>`,
    ]);
  }
  return facts;
}

/** In a list: all limits in one cell. */
export function limitsCell(key: KeyRow): HtmlValue {
  const { maxOrderMinor, maxDayMinor, velocityTimes, currency } = key;
  const parts = [
    maxOrderMinor === null ? undefined : `${limitText(maxOrderMinor, currency)} an order`,
    maxDayMinor === null ? undefined : `${limitText(maxDayMinor, currency)} a day`,
    velocityTimes === null ? undefined : `${velocityTimes} times the usual hour`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? html`<span class="quiet">none</span>` : parts.join(", ");
}
