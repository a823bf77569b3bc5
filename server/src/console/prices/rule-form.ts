import { RULE_KINDS } from "../../pricing/rule.ts";
import { checkboxField, selectField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";

const KIND_LABELS: Readonly<Record<(typeof RULE_KINDS)[number], string>> = {
  over_cost: "Above landed cost",
  off_face: "Below face value",
  fixed: "Fixed amount",
};

/** A rule as `scrip rule set` takes it. */
export const ruleForm = defineForm({
  for: textField({ label: "For", required: true, hint: "all, list:NAME or reseller:ID", maxLength: 80 }),
  on: textField({
    label: "On",
    required: true,
    hint: "all, category:C, brand:B or product:ID",
    maxLength: 220,
  }),
  country: textField({ label: "Country", hint: "Two letters such as DE. Empty for any.", maxLength: 2 }),
  kind: selectField({
    label: "Kind",
    choices: RULE_KINDS.map((value) => ({ value, label: KIND_LABELS[value] })),
  }),
  value: textField({
    label: "Value",
    required: true,
    hint: "A percentage such as 4.5%, or an amount for a fixed price.",
    maxLength: 20,
  }),
  currency: textField({ label: "Currency", hint: "Of a fixed price. Empty for any.", maxLength: 3 }),
  add: textField({ label: "Add", hint: "An amount such as 0.10.", maxLength: 20 }),
  minMargin: textField({ label: "Minimum margin", hint: "Above landed cost, such as 1%.", maxLength: 10 }),
  round: textField({ label: "Round up to", hint: "An increment such as 0.05, or x.99.", maxLength: 12 }),
  allowAboveFace: checkboxField({ label: "Sell above face value" }),
});
