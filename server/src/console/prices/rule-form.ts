import type { RuleText } from "../../pricing/parse-rule.ts";
import { RULE_KINDS } from "../../pricing/rule.ts";
import { checkboxField, selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type ValuesOf } from "../../web/form/define-form.ts";
import { dateField } from "../../web/form/number-fields.ts";
import { currencyField, textField } from "../../web/form/text-fields.ts";
import type { OptionFields } from "../say-refusal.ts";

const KIND_LABELS: Readonly<Record<(typeof RULE_KINDS)[number], string>> = {
  over_cost: "Above landed cost",
  off_face: "Below face value",
  fixed: "Fixed amount",
};

const FIELDS = {
  for: selectField({
    label: "For",
    required: true,
    choices: [
      { value: "all", label: "Every reseller" },
      { value: "list", label: "A price list" },
      { value: "reseller", label: "One reseller" },
    ],
  }),
  forName: textField({
    label: "Price list or reseller",
    hint: "The name of the list, or the id of the reseller. Empty for every reseller.",
    maxLength: 80,
    isCode: true,
  }),
  on: selectField({
    label: "On",
    required: true,
    choices: [
      { value: "all", label: "Every product" },
      { value: "category", label: "A category" },
      { value: "brand", label: "A brand" },
      { value: "product", label: "One product" },
    ],
  }),
  onName: textField({
    label: "Category, brand or product",
    hint: "The name of the category or brand, or the id of the product. Empty for every product.",
    maxLength: 200,
  }),
  country: textField({ label: "Country", hint: "Two letters such as DE. Empty for any.", maxLength: 2 }),
  kind: selectField({
    label: "Kind",
    required: true,
    choices: RULE_KINDS.map((value) => ({ value, label: KIND_LABELS[value] })),
  }),
  value: textField({
    label: "Value",
    required: true,
    hint: "A percentage such as 4.5%, or an amount for a fixed price.",
    maxLength: 20,
  }),
  currency: currencyField({ label: "Currency", hint: "Of a fixed price. Empty for any." }),
  add: textField({ label: "Add", hint: "An amount such as 0.10.", maxLength: 20 }),
  minMargin: textField({ label: "Minimum margin", hint: "Above landed cost, such as 1%.", maxLength: 10 }),
  minAmount: textField({
    label: "Minimum amount",
    hint: "Above landed cost and minimum margin, such as 0.05.",
    maxLength: 20,
  }),
  round: textField({ label: "Round up to", hint: "An increment such as 0.05, or x.99.", maxLength: 12 }),
  from: dateField({ label: "From", hint: "The first day, in UTC. Empty: from now on." }),
  to: dateField({ label: "To", hint: "The day on which it ends, in UTC. Empty: it has no end." }),
  allowAboveFace: checkboxField({ label: "Sell above face value" }),
};

/** A price rule, as `scrip rule set` takes it. */
export const ruleForm = defineForm(FIELDS);

/** Which field is which option. */
export const RULE_OPTIONS: OptionFields = Object.fromEntries(
  (
    [
      ...[["--for", "forName"] as const, ["--on", "onName"] as const, ["--country", "country"] as const],
      ...[["--kind", "kind"] as const, ["--value", "value"] as const, ["--currency", "currency"] as const],
      ...[["--add", "add"] as const, ["--min-margin", "minMargin"] as const, ["--round", "round"] as const],
      ...[["--min-amount", "minAmount"] as const, ["--from", "from"] as const, ["--to", "to"] as const],
    ] as const
  ).map(([option, name]) => [option, { name, label: FIELDS[name].label }]),
);

export const ruleText = (typed: ValuesOf<typeof FIELDS>): RuleText => ({
  for: scopeText(typed.for ?? "all", typed.forName),
  on: scopeText(typed.on ?? "all", typed.onName),
  kind: typed.kind ?? "",
  value: typed.value,
  country: typed.country.toUpperCase() || undefined,
  currency: typed.currency.toUpperCase() || undefined,
  add: typed.add || undefined,
  minMargin: typed.minMargin || undefined,
  minAmount: typed.minAmount || undefined,
  round: typed.round || undefined,
  from: typed.from,
  to: typed.to,
  mayExceedFace: typed.allowAboveFace,
});

/** "list" and "gold" are "list:gold". A name beside "all" stays there, so that it is refused and not ignored. */
const scopeText = (word: string, name: string): string =>
  word === "all" && name === "" ? word : `${word}:${name}`;
