import { escapeHtml } from "./escape-html.ts";
import { type Hole, readTemplate } from "./read-template.ts";
import { safeUrl } from "./safe-url.ts";

const MARKUP = Symbol("markup");
const ATTRIBUTES = Symbol("attributes");

/** Markup that was made by `html`. No string is ever one, so text from elsewhere cannot pass as markup. */
export type Html = { readonly [MARKUP]: string };
/** Attributes that were made by `attrs`. */
export type Attributes = { readonly [ATTRIBUTES]: string };

/** What may stand in a template. Text is escaped; `undefined`, `null` and `false` are nothing; a list is its parts. */
export type HtmlValue = Html | Attributes | Scalar | readonly HtmlValue[];
type Scalar = string | number | bigint | false | null | undefined;

/**
 * A template of HTML. Where a value stands decides what becomes of it: it is escaped as text, as the value of an attribute
 * (which must be quoted) or as an address. At the start of `href`, `src` or `action` only relative, https and mailto
 * addresses pass, others become `#`; further inside an address a value is percent-encoded. A template that is not whole by
 * itself, or has a value where none can be made safe, throws when it is first used.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const holes = readTemplate(strings);
  let markup = strings[0] as string;
  for (let index = 0; index < values.length; index += 1)
    markup += fill(holes[index] as Hole, values[index]) + strings[index + 1];
  return { [MARKUP]: markup };
}

/** Optional attributes: `undefined`, `null` and `false` leave one out, `true` writes its name alone. */
export function attrs(
  list: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Attributes {
  let text = "";
  for (const [name, value] of Object.entries(list)) {
    if (value === undefined || value === null || value === false) continue;
    if (!ATTRIBUTE_NAME.test(name) || isForbidden(name))
      throw new Error(`${name} is not an attribute that may be written here`);
    text += value === true ? ` ${name}` : ` ${name}="${escapeAttribute(name, String(value))}"`;
  }
  return { [ATTRIBUTES]: text };
}

/** For markup that is a constant of ours, or the output of a renderer that escapes. Never for text from elsewhere. */
export const trustedHtml = (markup: string): Html => ({ [MARKUP]: markup });

export const renderHtml = (page: Html): string => page[MARKUP];

export const NOTHING: Html = { [MARKUP]: "" };

export const isHtml = (value: unknown): value is Html =>
  typeof value === "object" && value !== null && MARKUP in value;

const ATTRIBUTE_NAME = /^[a-z][a-z0-9:_-]*$/i;
const URL_ATTRIBUTES = new Set(["href", "src", "action", "formaction", "poster", "xlink:href", "up-href"]);

/** The policy forbids inline scripts and styles, so a template that writes one is a mistake. */
const isForbidden = (name: string): boolean => /^(on|up-on-)/i.test(name) || name === "style";

function fill(hole: Hole, value: HtmlValue): string {
  if (hole.kind === "text") return toMarkup(value);
  if (hole.kind === "attributes") {
    if (value === undefined || value === null || value === false) return "";
    if (typeof value === "object" && ATTRIBUTES in value) return value[ATTRIBUTES];
    throw new Error("between the attributes of a tag only attrs({…}) may stand");
  }
  const text = toText(value);
  if (!URL_ATTRIBUTES.has(hole.attribute)) return escapeHtml(text);
  return escapeHtml(hole.isFirst ? safeUrl(text) : encodeURIComponent(text.toWellFormed()));
}

function toMarkup(value: HtmlValue): string {
  if (typeof value === "string") return escapeHtml(showDirections(value));
  if (value === undefined || value === null || value === false) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    let markup = "";
    for (const part of value) markup += toMarkup(part);
    return markup;
  }
  if (MARKUP in value) return value[MARKUP];
  throw new Error("only html`…` and text may stand between tags");
}

function toText(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value === "object") throw new Error("the value of an attribute is text");
  return String(value);
}

const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;

/** Characters that turn the direction of what follows could make one amount look like another: they are shown, not obeyed. */
const showDirections = (text: string): string =>
  DIRECTION.test(text)
    ? text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, (one) => `\\u{${one.charCodeAt(0).toString(16)}}`)
    : text;

const escapeAttribute = (name: string, value: string): string =>
  escapeHtml(URL_ATTRIBUTES.has(name) ? safeUrl(value) : value);
