import { REASON_MAX_CHARACTERS } from "../../fulfilment/operate/operator.ts";
import type { OrderAction } from "../../fulfilment/operate/order-actions.ts";
import type { UnitRef } from "../../fulfilment/operate/unit-choice.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import { html } from "../../web/template/html.ts";
import type { Effect } from "./consequences.ts";

const UNIT = /^(\d{1,2})\.(\d{1,6})$/;
const UNITS_MAX = 1_000;

export const unitText = ({ lineIndex, unitIndex }: UnitRef): string => `${lineIndex}.${unitIndex}`;

export function readUnit(text: string): UnitRef | undefined {
  const [, line, unit] = UNIT.exec(text) ?? [];
  return unit === undefined ? undefined : { lineIndex: Number(line), unitIndex: Number(unit) };
}

/** The chosen units, which the page carries as `line.unit`. None chosen means all of them. */
const unitsField: Field<readonly UnitRef[]> = {
  label: "Units",
  read(given) {
    const units = given.map(readUnit);
    if (units.length > UNITS_MAX || units.includes(undefined)) return { error: "Choose from the units." };
    return { value: units.filter((unit) => unit !== undefined) };
  },
  render: (name, state) =>
    html`${state.given.map((text) => html`<input type="hidden" name="${name}" value="${text}">`)}`,
};

/** A reason, and what the page said would happen. Without the latter nothing happens yet: the page says it first. */
export const actionForm = (action: OrderAction) =>
  defineForm({
    units: unitsField,
    expected: hiddenField("Expected"),
    reason: textField({
      label: "Reason",
      required: action !== "look_up" && action !== "keep",
      maxLength: Math.min(REASON_MAX_CHARACTERS, REASON_SHOWN_MAX),
      hint: REASON_HINTS[action] ?? "For the activity log. The reseller does not see it.",
    }),
  });

/** The activity log keeps so much of a text. */
const REASON_SHOWN_MAX = 300;

const REASON_HINTS: Partial<Readonly<Record<OrderAction, string>>> = {
  refund: "The reseller reads it in its statement. Name no supplier.",
  write_off: "The reseller reads it in its statement. Name no supplier.",
  charge_back: "The reseller reads it in its statement. Name no supplier.",
};

/** The whole form, whatever the action: it is chosen by the address. */
export const anyActionForm = actionForm("look_up");

export const writeExpected = ({ units, amountMinor }: Effect): string => `${units}:${amountMinor}`;

export function readExpected(text: string): Effect | undefined {
  const [, units, amountMinor] = /^(\d{1,9}):(\d{1,18})$/.exec(text) ?? [];
  return amountMinor === undefined ? undefined : { units: Number(units), amountMinor: BigInt(amountMinor) };
}
