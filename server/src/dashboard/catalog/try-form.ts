import type { InputFieldOption, InputFieldSpec } from "../../catalog/input-field-spec.ts";
import {
  checkInputValues,
  INPUT_VALUE_MAX_CHARACTERS,
  type InputValues,
} from "../../catalog/input-values.ts";
import type { CatalogEntry } from "../../catalog/search-catalog.ts";
import { isForcedAnswer, isForcedRefusal, SCENARIO_NAMES, SCENARIOS } from "../../sandbox/scenarios.ts";
import { selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type Fields, type Form, type FormState } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import { numberField } from "../../web/form/number-fields.ts";
import { textField } from "../../web/form/text-fields.ts";

const INPUT_PREFIX = "input.";
const REFERENCE_MAX_CHARACTERS = 128;

/** What becomes of the order. Scenarios that refuse it show nothing here that an order page could follow. */
const SCENARIO_CHOICES = SCENARIO_NAMES.filter(
  (name) => name !== "success" && !isForcedAnswer(name) && !isForcedRefusal(name),
).map((value) => ({ value, label: `${value}: ${SCENARIOS[value].replaceAll("`", "")}` }));

/** The form by which one product is tried: its quantity and its own input fields. */
export function tryForm(product: CatalogEntry): Form<Fields> {
  const inputs = product.inputFields.map((spec, index): [string, Field<unknown>] => [
    INPUT_PREFIX + spec.key,
    inputField(spec, product.inputFields.slice(0, index)),
  ]);
  return defineForm<Fields>({
    quantity: numberField({
      label: "Quantity",
      required: true,
      min: product.minQuantity,
      max: product.maxQuantity,
    }),
    ...Object.fromEntries(inputs),
    reference: textField({ label: "Reference", maxLength: REFERENCE_MAX_CHARACTERS }),
    scenario: selectField({
      label: "Scenario",
      hint: "Without one the order completes within a second or two.",
      choices: SCENARIO_CHOICES,
    }),
  });
}

function inputField(spec: InputFieldSpec, earlier: readonly InputFieldSpec[]): Field<unknown> {
  const { key: label, required } = spec;
  if (spec.type === "select") {
    const parent = earlier.findLast(({ type }) => type === "select");
    const choices = spec.options.map((option) => ({
      value: option.value,
      label: optionLabel(option, parent),
    }));
    return selectField({ label, required, choices });
  }
  return textField({
    label,
    required,
    maxLength: INPUT_VALUE_MAX_CHARACTERS,
    ...(spec.regex === "" ? {} : { hint: `Pattern: ${spec.regex}` }),
    ...(spec.type === "number" ? { inputmode: "decimal" as const } : {}),
  });
}

/** Without JavaScript all options are offered, so each says which choice above it needs. */
function optionLabel(option: InputFieldOption, parent: InputFieldSpec | undefined): string {
  if (option.parentValue === "") return option.label;
  const above = parent?.options.find(({ value }) => value === option.parentValue);
  return `${above?.label ?? option.parentValue}: ${option.label}`;
}

/** The product's own values as they were typed. A field that was left empty is not sent. */
export function inputValues(product: CatalogEntry, state: FormState): InputValues {
  const values: InputValues = {};
  for (const { key } of product.inputFields) {
    const text = state.typed[INPUT_PREFIX + key]?.[0]?.trim() ?? "";
    if (text !== "") values[key] = text;
  }
  return values;
}

/** What is wrong with what was typed: by the form's fields, and by the same rules that an order is judged by. */
export function judgeTry(product: CatalogEntry, state: FormState): FormState {
  const { state: read } = tryForm(product).read(new Map(Object.entries(state.typed)));
  const errors: Record<string, string> = { ...read.errors };
  for (const { pointer, detail } of checkInputValues(product.inputFields, inputValues(product, state), ""))
    errors[INPUT_PREFIX + pointer.slice(1)] ??= detail;
  return {
    typed: state.typed,
    errors,
    formError: Object.keys(errors).length > 0 ? undefined : state.formError,
  };
}
