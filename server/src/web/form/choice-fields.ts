import { attrs, type HtmlValue, html } from "../template/html.ts";
import {
  controlAttributes,
  type Field,
  type FieldOptions,
  fieldFrame,
  GIVEN_TWICE,
  groupFrame,
  requiredError,
} from "./field.ts";

export type Choice<T extends string> = { value: T; label: string; hint?: HtmlValue };

const labelsOf = (choices: readonly Choice<string>[], given: readonly string[]): string =>
  choices
    .filter(({ value }) => given.includes(value))
    .map(({ label }) => label)
    .join(", ");

const NOT_OFFERED = "Choose one of the options.";

/** One of a list. `undefined` when it is optional and nothing is chosen. */
export function selectField<const T extends string>(
  options: FieldOptions & { choices: readonly Choice<T>[] },
): Field<T | undefined> {
  return {
    label: options.label,
    read(given) {
      if (given.length > 1) return { error: GIVEN_TWICE };
      const [text = ""] = given;
      if (text === "")
        return options.required ? { error: requiredError(options.label) } : { value: undefined };
      const found = options.choices.find(({ value }) => value === text);
      return found ? { value: found.value } : { error: NOT_OFFERED };
    },
    say: (given) => labelsOf(options.choices, given),
    render: (name, state) =>
      fieldFrame(
        options,
        state,
        html`<select${attrs({ ...controlAttributes(options, state), name })}>${
          options.required && state.given[0]
            ? undefined
            : html`<option value="">${options.required ? "Choose…" : "–"}</option>`
        }${options.choices.map(
          ({ value, label }) =>
            html`<option value="${value}"${attrs({ selected: state.given[0] === value })}>${label}</option>`,
        )}</select>`,
      ),
  };
}

/** One of few, all of them visible, each with a sentence where that helps. */
export function radioField<const T extends string>(
  options: FieldOptions & { choices: readonly Choice<T>[] },
): Field<T> {
  return {
    label: options.label,
    read(given) {
      const found = options.choices.find(({ value }) => value === given[0]);
      if (given.length > 1) return { error: GIVEN_TWICE };
      return found ? { value: found.value } : { error: NOT_OFFERED };
    },
    say: (given) => labelsOf(options.choices, given),
    render: (name, state) =>
      groupFrame(
        options,
        state,
        options.choices.map((choice) => option("radio", name, choice, state.given.includes(choice.value))),
      ),
  };
}

/** Any number of a list. */
export function checkboxesField<const T extends string>(
  options: FieldOptions & { choices: readonly Choice<T>[] },
): Field<readonly T[]> {
  return {
    label: options.label,
    read(given) {
      const values = options.choices.map(({ value }) => value).filter((value) => given.includes(value));
      if (new Set(given).size !== values.length) return { error: "Choose from the options." };
      if (options.required && values.length === 0) return { error: "Choose at least one." };
      return { value: values };
    },
    say: (given) => labelsOf(options.choices, given),
    render: (name, state) =>
      groupFrame(
        options,
        state,
        options.choices.map((choice) => option("checkbox", name, choice, state.given.includes(choice.value))),
      ),
  };
}

/** Yes or no. `required` means that only yes is accepted. */
export function checkboxField(options: FieldOptions): Field<boolean> {
  return {
    label: options.label,
    read(given) {
      const isChecked = given.includes("yes");
      return options.required && !isChecked ? { error: "Tick the box to go on." } : { value: isChecked };
    },
    say: (given) => (given.includes("yes") ? "yes" : "no"),
    render: (name, state) =>
      html`<div class="field${state.error === undefined ? "" : " wrong"}"><label class="option"><input${attrs(
        {
          ...controlAttributes(options, state),
          type: "checkbox",
          name,
          value: "yes",
          checked: state.given.includes("yes"),
        },
      )}><span>${options.label}${options.hint === undefined ? undefined : html`<small id="${state.id}-hint">${options.hint}</small>`}</span></label>${
        state.error === undefined
          ? undefined
          : html`<p class="error" id="${state.id}-error">${state.error}</p>`
      }</div>`,
  };
}

const option = (type: "radio" | "checkbox", name: string, choice: Choice<string>, isChecked: boolean) =>
  html`<label class="option"><input type="${type}" name="${name}" value="${choice.value}"${attrs({ checked: isChecked })}><span>${choice.label}${
    choice.hint === undefined ? undefined : html`<small>${choice.hint}</small>`
  }</span></label>`;
