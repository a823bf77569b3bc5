import { RE2JS } from "re2js";
import type { FieldError } from "../lib/problem.ts";
import { type Json, toPointer } from "../lib/strict-json.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";

export const INPUT_VALUE_MAX_CHARACTERS = 256;

export type InputValues = Record<string, string>;

/**
 * Checks an order line's values against the product's input fields (CONTRACT 3). A JSON integer counts as its
 * decimal text. `pointer` is the location of the values in the body.
 */
export function checkInputValues(
  specs: readonly InputFieldSpec[],
  given: InputValues,
  pointer: string,
): FieldError[] {
  const known = new Set(specs.map((spec) => spec.key));
  const errors = Object.keys(given)
    .filter((key) => !known.has(key))
    .map((key) =>
      fault(pointer, key, "unknown_field", `The product has no input field ${JSON.stringify(key)}.`),
    );
  for (const [index, spec] of specs.entries()) {
    const value = given[spec.key];
    // Delivery needs an account name, so an empty value counts as missing.
    if (spec.required && !value) {
      errors.push(fault(pointer, spec.key, "required", `The input field "${spec.key}" is required.`));
      continue;
    }
    if (value === undefined) continue;
    // Forms send an empty value for fields that were not filled in. A select field must match an option instead.
    if (value === "" && spec.type !== "select") continue;
    const detail = checkValue(spec, value, parentValueOf(specs, index, given));
    if (detail !== undefined) errors.push(fault(pointer, spec.key, "invalid", detail));
  }
  return errors;
}

/** A line's values as text, and the keys of values that are neither text nor whole numbers. */
export function toInputValues(given: { [key: string]: Json }): { values: InputValues; badKeys: string[] } {
  const values: InputValues = Object.create(null);
  const badKeys: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === "string") values[key] = value;
    else if (typeof value === "number" && Number.isInteger(value)) values[key] = String(value);
    else badKeys.push(key);
  }
  return { values, badKeys };
}

function checkValue(
  spec: InputFieldSpec,
  value: string,
  parentValue: string | undefined,
): string | undefined {
  if ([...value].length > INPUT_VALUE_MAX_CHARACTERS) {
    return `The value of "${spec.key}" is longer than ${INPUT_VALUE_MAX_CHARACTERS} characters.`;
  }
  if (spec.type === "select") return checkOption(spec, value, parentValue);
  if (spec.type === "number" && !NUMBER.test(value)) return `The value of "${spec.key}" must be a number.`;
  if (spec.regex !== "" && !compiled(spec.regex).matcher(value).find()) {
    return `The value of "${spec.key}" does not have the required format. See the pattern in the product's inputFields.`;
  }
  return undefined;
}

function checkOption(
  spec: InputFieldSpec,
  value: string,
  parentValue: string | undefined,
): string | undefined {
  const options = spec.options.filter((option) => option.value === value);
  if (options.length === 0) return `${JSON.stringify(value)} is not one of the options of "${spec.key}".`;
  if (options.some((option) => option.parentValue === "" || option.parentValue === parentValue))
    return undefined;
  return `${JSON.stringify(value)} is not one of the options of "${spec.key}" for the selected parent value.`;
}

/** The parent of a cascading option is the nearest earlier select field. */
function parentValueOf(
  specs: readonly InputFieldSpec[],
  index: number,
  given: InputValues,
): string | undefined {
  const parent = specs.slice(0, index).findLast((spec) => spec.type === "select");
  return parent && given[parent.key];
}

const fault = (pointer: string, key: string, code: string, detail: string): FieldError => ({
  pointer: pointer + toPointer([key]),
  code,
  detail,
});

const NUMBER = /^-?\d+(\.\d+)?$/;
const COMPILED_MAX = 1_000;
const patterns = new Map<string, RE2JS>();

/** Patterns come from the operator's catalog and run in RE2, so none of them can block the server. */
function compiled(pattern: string): RE2JS {
  let found = patterns.get(pattern);
  if (!found) {
    if (patterns.size >= COMPILED_MAX) patterns.clear();
    found = RE2JS.compile(pattern);
    patterns.set(pattern, found);
  }
  return found;
}
