import { attrs, type Html, type HtmlValue, html } from "../template/html.ts";

/** A field of a form: how it is read and how it is shown. `T` is what a verb gets from it. */
export type Field<T> = {
  label: string;
  /** What was sent becomes a value, or an error that says what to do. */
  read(given: readonly string[]): FieldRead<T>;
  render(name: string, state: FieldState): Html;
  /** What was typed, in words, for a page that asks before anything is done. A field that nobody sees, and a secret, say nothing. */
  say?(given: readonly string[]): string | undefined;
};

export type FieldRead<T> = { value: T } | { error: string };

/** What was typed, or is there already, and what is wrong with it. */
export type FieldState = { given: readonly string[]; error: string | undefined; id: string };

export type FieldOptions = {
  label: string;
  hint?: HtmlValue;
  required?: boolean;
  /** In place of "optional" beside the label, such as "one of the two". */
  mark?: string;
};

export const requiredError = (label: string): string => `${label} is required.`;
export const GIVEN_TWICE = "This field was sent more than once. Send the form again.";

/** Label, hint and error around a control, each tied to it for those who hear the page. */
export const fieldFrame = (options: FieldOptions, { id, error }: FieldState, control: HtmlValue): Html =>
  html`<div class="field${error === undefined ? "" : " wrong"}"><div class="label"><label for="${id}">${options.label}</label>${options.required ? undefined : html`<small>${options.mark ?? "optional"}</small>`}</div>${hintOf(options, id)}${control}${errorOf(id, error)}</div>`;

/** The same around a group of controls. */
export const groupFrame = (options: FieldOptions, { id, error }: FieldState, controls: HtmlValue): Html =>
  html`<fieldset class="field${error === undefined ? "" : " wrong"}" id="${id}" tabindex="-1"${attrs({
    "aria-describedby": describedBy(options, { id, error }),
  })}><legend>${options.label}</legend>${hintOf(options, id)}<div class="options">${controls}</div>${errorOf(id, error)}</fieldset>`;

/** The attributes that every control has. */
export const controlAttributes = (
  options: FieldOptions,
  state: Pick<FieldState, "id" | "error">,
): Record<string, string | boolean | undefined> => ({
  id: state.id,
  required: options.required === true,
  "aria-invalid": state.error === undefined ? undefined : "true",
  "aria-describedby": describedBy(options, state),
});

function describedBy(
  options: FieldOptions,
  { id, error }: Pick<FieldState, "id" | "error">,
): string | undefined {
  const ids = [
    ...(options.hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  return ids.length === 0 ? undefined : ids.join(" ");
}

const hintOf = ({ hint }: FieldOptions, id: string): Html | undefined =>
  hint === undefined ? undefined : html`<p class="hint" id="${id}-hint">${hint}</p>`;

const errorOf = (id: string, error: string | undefined): Html | undefined =>
  error === undefined ? undefined : html`<p class="error" id="${id}-error">${error}</p>`;
