import type { FieldError } from "../../lib/problem.ts";
import { button } from "../parts/button.ts";
import { attrs, type Html, type HtmlValue, html } from "../template/html.ts";
import type { Field } from "./field.ts";
import type { FormBody } from "./parse-form-body.ts";

/** The fields of a form by their names. */
export type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<F> = F extends Field<infer T> ? T : never;
/** What a verb gets from a form whose fields were all fine. */
export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** What stands in the fields, and what is wrong. The empty state is a form that nobody has sent. */
export type FormState = {
  typed: Readonly<Record<string, readonly string[]>>;
  /** By the names of fields. */
  errors: Readonly<Record<string, string>>;
  /** What is wrong and belongs to no field. */
  formError?: string | undefined;
};

export type FormRead<F extends Fields> =
  | { values: ValuesOf<F>; state: FormState }
  | { values: undefined; state: FormState };

export type Form<F extends Fields> = {
  fields: F;
  read(body: FormBody): FormRead<F>;
  /** A form as it is shown first, with what is stored or likely. */
  start(values?: Partial<Record<keyof F & string, string | readonly string[]>>): FormState;
  render(options: FormOptions): Html;
};

export type FormOptions = {
  action: string;
  /** `hiddenFields(ctx)`: the session's token, and a form id where it must be sent once. */
  hidden: HtmlValue;
  state: FormState;
  /** What the button says: the verb itself. */
  submit: string;
  isDestructive?: boolean;
  cancelHref?: string;
  /** What the link back says, where "Cancel" says too little: "Keep waiting". */
  cancel?: string;
  /** Between the fields and the button. */
  note?: HtmlValue;
  id?: string;
  /** The form has a file. */
  takesFiles?: boolean;
  /** The browser sends it itself, because a file comes back. */
  isPlain?: boolean;
  /** Fields are judged by the server as soon as they are left, where JavaScript runs. The verb does not run. */
  validates?: boolean;
};

/** A form by its fields: one place says how each is read, shown and judged. */
export function defineForm<const F extends Fields>(fields: F): Form<F> {
  return {
    fields,
    read: (body) => readForm(fields, body),
    start: (values = {}) => ({ typed: toTyped(values), errors: {} }),
    render: (options) => renderForm(fields, options),
  };
}

/** What a verb refused, at the fields that it names (`/name` or `?name`), and above the form where it names none. */
export function refuseForm(
  state: FormState,
  fields: Fields,
  message: string,
  problems: readonly FieldError[] = [],
): FormState {
  const errors: Record<string, string> = { ...state.errors };
  for (const { pointer, detail } of problems) {
    const name = pointer.replace(/^[/?]/, "").split("/")[0] ?? "";
    if (Object.hasOwn(fields, name)) errors[name] ??= detail;
  }
  const isAtField = Object.keys(errors).length > 0;
  return { ...state, errors, formError: isAtField ? undefined : message };
}

const toTyped = (
  values: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "object" ? value : value === undefined ? [] : [value],
    ]),
  );

function readForm<F extends Fields>(fields: F, body: FormBody): FormRead<F> {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  const typed: Record<string, readonly string[]> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = body.get(name) ?? [];
    typed[name] = given;
    const read = field.read(given);
    if ("error" in read) errors[name] = read.error;
    else values[name] = read.value;
  }
  const state = { typed, errors };
  return Object.keys(errors).length > 0
    ? { values: undefined, state }
    : { values: values as ValuesOf<F>, state };
}

function renderForm(fields: Fields, options: FormOptions): Html {
  const { state, id = "form" } = options;
  const controls = Object.entries(fields).map(([name, field]) =>
    field.render(name, { given: state.typed[name] ?? [], error: state.errors[name], id: `${id}-${name}` }),
  );
  return html`<form class="form" method="post" action="${options.action}"${attrs({
    id,
    novalidate: true,
    "up-validate": options.validates,
    "data-plain": options.isPlain,
    enctype: options.takesFiles === true ? "multipart/form-data" : undefined,
  })}>${options.hidden}${errorSummary(fields, state, id)}${controls}${options.note}<div class="row">${button(
    options.submit,
    {
      kind: options.isDestructive ? "danger" : "main",
    },
  )}${options.cancelHref === undefined ? undefined : html`<a class="btn plain" href="${options.cancelHref}">${options.cancel ?? "Cancel"}</a>`}</div></form>`;
}

/** Above the form, and where the page begins for those who hear it: what is wrong, with a link to each field. */
function errorSummary(fields: Fields, { errors, formError }: FormState, id: string): Html | undefined {
  const wrong = Object.entries(errors);
  if (wrong.length === 0 && formError === undefined) return undefined;
  const title =
    formError ?? (wrong.length === 1 ? "One field needs a change." : `${wrong.length} fields need a change.`);
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus><h2>${title}</h2>${
    wrong.length === 0
      ? undefined
      : html`<ul>${wrong.map(([name, error]) => errorLine(fields[name]?.label ?? name, error, `#${id}-${name}`))}</ul>`
  }</div>`;
}

const errorLine = (label: string, error: string, to: string): Html =>
  error.startsWith(label)
    ? html`<li><a class="link" href="${to}">${error}</a></li>`
    : html`<li><a class="link" href="${to}">${label}</a>: ${error}</li>`;
