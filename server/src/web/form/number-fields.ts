import { formatAmount, parseTypedAmount } from "../../lib/money.ts";
import { attrs, type Html, html } from "../template/html.ts";
import {
  controlAttributes,
  type Field,
  type FieldOptions,
  type FieldRead,
  type FieldState,
  fieldFrame,
  GIVEN_TWICE,
  requiredError,
} from "./field.ts";

/** A whole number within bounds. `undefined` when it is optional and left empty. */
export function numberField(
  options: FieldOptions & { min: number; max: number; unit?: string },
): Field<number | undefined> {
  const { min, max } = options;
  return {
    label: options.label,
    read: (given) =>
      readOne(options, given, (text) => {
        const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
        if (value >= min && value <= max) return { value };
        return { error: `Enter a whole number from ${min} to ${max}.` };
      }),
    say: (given) => withUnitText(given, options.unit),
    render: (name, state) =>
      fieldFrame(
        options,
        state,
        withUnit(options.unit, input(options, name, state, { type: "number", min, max, step: 1 })),
      ),
  };
}

/** Money in a currency, typed as people write it (`1234.50`), read as minor units. */
export function amountField(
  options: FieldOptions & { currency: string; minMinor?: bigint; maxMinor?: bigint },
): Field<bigint | undefined> {
  const { currency, minMinor = 1n, maxMinor } = options;
  return {
    label: options.label,
    read: (given) =>
      readOne(options, given, (text) => {
        const value = readAmount(text, currency);
        if (value === undefined)
          return { error: `Enter an amount such as ${formatAmount(2_500n, currency)}.` };
        if (value < minMinor)
          return { error: `Enter at least ${formatAmount(minMinor, currency)} ${currency}.` };
        if (maxMinor !== undefined && value > maxMinor)
          return { error: `Enter at most ${formatAmount(maxMinor, currency)} ${currency}.` };
        return { value };
      }),
    say: (given) => withUnitText(given, currency),
    render: (name, state) =>
      fieldFrame(
        options,
        state,
        withUnit(
          currency,
          input(options, name, state, { type: "text", inputmode: "decimal", class: "numeric" }),
        ),
      ),
  };
}

/** A day in UTC, read as its beginning. */
export function dateField(options: FieldOptions): Field<Date | undefined> {
  return {
    label: options.label,
    read: (given) =>
      readOne(options, given, (text) => {
        const value = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
        const isDay = !Number.isNaN(value.getTime()) && value.toISOString().startsWith(text);
        return isDay ? { value } : { error: "Enter a date such as 2030-01-31." };
      }),
    say: (given) => given[0],
    render: (name, state) => fieldFrame(options, state, input(options, name, state, { type: "date" })),
  };
}

const withUnitText = ([text = ""]: readonly string[], unit: string | undefined): string =>
  unit === undefined || text === "" ? text : `${text} ${unit}`;

function readOne<T>(
  options: FieldOptions,
  given: readonly string[],
  read: (text: string) => FieldRead<T>,
): FieldRead<T | undefined> {
  if (given.length > 1) return { error: GIVEN_TWICE };
  const text = (given[0] ?? "").trim();
  if (text !== "") return read(text);
  return options.required ? { error: requiredError(options.label) } : { value: undefined };
}

function readAmount(text: string, currency: string): bigint | undefined {
  try {
    return parseTypedAmount(text, currency);
  } catch {
    return undefined;
  }
}

const input = (
  options: FieldOptions,
  name: string,
  state: FieldState,
  more: Readonly<Record<string, string | number>>,
): Html =>
  html`<input${attrs({ ...controlAttributes(options, state), name, value: state.given[0] ?? "", autocomplete: "off", ...more })}>`;

const withUnit = (unit: string | undefined, control: Html): Html =>
  unit === undefined ? control : html`<div class="with-unit">${control}<span>${unit}</span></div>`;
