import { parseCurrency } from "../../lib/currencies.ts";
import { isPlainText } from "../../lib/plain-text.ts";
import { attrs, html } from "../template/html.ts";
import {
  controlAttributes,
  type Field,
  type FieldOptions,
  type FieldRead,
  fieldFrame,
  GIVEN_TWICE,
  requiredError,
} from "./field.ts";

export type TextOptions = FieldOptions & {
  maxLength?: number;
  type?: "text" | "email" | "url" | "search" | "tel";
  autocomplete?: string;
  placeholder?: string;
  /** Ids, codes and addresses are shown in monospace, and no spelling is checked. */
  isCode?: boolean;
  inputmode?: "numeric" | "decimal";
  /** A further rule: the error, or undefined when the text is fine. */
  check?: (text: string) => string | undefined;
};

export const TEXT_MAX_CHARACTERS = 200;
export const TEXTAREA_MAX_CHARACTERS = 4_000;
export const PASSWORD_MAX_CHARACTERS = 256;

/** One line of text, without spaces around it. An optional one that is left empty is `""`. */
export function textField(options: TextOptions): Field<string> {
  const maxLength = options.maxLength ?? TEXT_MAX_CHARACTERS;
  return {
    label: options.label,
    read(given) {
      const text = (given[0] ?? "").trim();
      if (!isPlainText(text))
        return { error: "Remove line breaks and characters that cannot be seen, then try again." };
      return checked(given, text, { ...options, maxLength });
    },
    ...(options.autocomplete === "one-time-code" ? {} : { say: (given) => given[0] }),
    render: (name, state) =>
      fieldFrame(
        options,
        state,
        html`<input${attrs({
          ...controlAttributes(options, state),
          type: options.type ?? "text",
          name,
          value: state.given[0] ?? "",
          maxlength: maxLength,
          autocomplete: options.autocomplete ?? "off",
          placeholder: options.placeholder,
          inputmode: options.inputmode,
          class: options.isCode ? "code" : undefined,
          spellcheck: options.isCode ? "false" : undefined,
        })}>`,
      ),
  };
}

/** Longer than a code: what is none is quoted whole. */
const CURRENCY_MAX_CHARACTERS = 20;

/** A currency: "eur" is read as EUR. */
export function currencyField(options: FieldOptions & { placeholder?: string }): Field<string> {
  const typed = textField({ ...options, isCode: true, maxLength: CURRENCY_MAX_CHARACTERS });
  return {
    ...typed,
    read(given) {
      const read = typed.read(given);
      if ("error" in read || read.value === "") return read;
      try {
        return { value: parseCurrency(read.value) };
      } catch (error) {
        if (error instanceof RangeError) return { error: `${error.message}.` };
        throw error;
      }
    },
  };
}

/** A password. It is never written back into the page, and nothing of it is trimmed. */
export function passwordField(
  options: FieldOptions & { autocomplete: "current-password" | "new-password"; minLength?: number },
): Field<string> {
  return {
    label: options.label,
    read: (given) => checked(given, given[0] ?? "", { ...options, maxLength: PASSWORD_MAX_CHARACTERS }),
    render: (name, state) =>
      fieldFrame(
        options,
        state,
        html`<input${attrs({
          ...controlAttributes(options, state),
          type: "password",
          name,
          maxlength: PASSWORD_MAX_CHARACTERS,
          minlength: options.minLength,
          autocomplete: options.autocomplete,
        })}>`,
      ),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f\p{Cf}\p{Cs}]/u;

/** Several lines of text. */
export function textareaField(
  options: FieldOptions & { maxLength?: number; rows?: number; isCode?: boolean },
): Field<string> {
  const maxLength = options.maxLength ?? TEXTAREA_MAX_CHARACTERS;
  return {
    label: options.label,
    read(given) {
      const text = (given[0] ?? "").trim();
      if (UNSEEN.test(text)) return { error: "Remove characters that cannot be seen, then try again." };
      return checked(given, text, { ...options, maxLength });
    },
    say: (given) => given[0],
    render: (name, state) =>
      fieldFrame(
        options,
        state,
        html`<textarea${attrs({
          ...controlAttributes(options, state),
          name,
          rows: options.rows ?? 4,
          maxlength: maxLength,
          class: options.isCode ? "code" : undefined,
        })}>
${state.given[0] ?? ""}</textarea>`,
      ),
  };
}

/** A value that the page carries and nobody sees. It comes back as text and is to be judged like any other. */
export const hiddenField = (label: string): Field<string> => ({
  label,
  read: (given) => (given.length > 1 ? { error: GIVEN_TWICE } : { value: given[0] ?? "" }),
  render: (name, state) => html`<input type="hidden" name="${name}" value="${state.given[0] ?? ""}">`,
});

type Rules = {
  label: string;
  required?: boolean;
  minLength?: number;
  maxLength: number;
  check?: (text: string) => string | undefined;
};

function checked(given: readonly string[], text: string, rules: Rules): FieldRead<string> {
  if (given.length > 1) return { error: GIVEN_TWICE };
  if (text === "") return rules.required ? { error: requiredError(rules.label) } : { value: "" };
  const length = [...text].length;
  if (length > rules.maxLength)
    return { error: `${rules.label} is ${length} characters long. Use at most ${rules.maxLength}.` };
  if (rules.minLength !== undefined && length < rules.minLength)
    return { error: `Use at least ${rules.minLength} characters.` };
  const error = rules.check?.(text);
  return error === undefined ? { value: text } : { error };
}
