import { attrs, type Html, type HtmlValue, html } from "../template/html.ts";

/** One main action a page at most. A `danger` button is red, and the page says before it what will happen. */
export type ButtonKind = "plain" | "main" | "danger";

export type ButtonOptions = {
  kind?: ButtonKind;
  /** What the form sends when it is submitted by this button. */
  name?: string;
  value?: string;
  /** The id of a form elsewhere on the page. */
  form?: string;
  /** Another address for the form. */
  action?: string;
  disabled?: boolean;
};

/** A button that submits its form. */
export const button = (label: HtmlValue, options: ButtonOptions = {}): Html =>
  html`<button class="btn ${options.kind ?? "plain"}"${attrs({
    type: "submit",
    name: options.name,
    value: options.value,
    form: options.form,
    formaction: options.action,
    disabled: options.disabled,
  })}>${label}</button>`;

/** A link that looks like a button, for what leads somewhere and changes nothing. */
export const linkButton = (
  label: HtmlValue,
  href: string,
  options: { kind?: ButtonKind; download?: boolean } = {},
): Html =>
  html`<a class="btn ${options.kind ?? "plain"}" href="${href}"${attrs({ download: options.download })}>${label}</a>`;

/** A file to download. Unpoly leaves it alone. */
export const csvLink = (href: string, label = "CSV"): Html =>
  html`<a class="btn plain small" href="${href}" download>${label}</a>`;
