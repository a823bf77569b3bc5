import { type Html, html } from "../template/html.ts";
import { icon } from "./icon.ts";

/** An id in monospace with a button that copies all of it. `short` shows its ends, `href` links it. */
export function idText(id: string, options: { href?: string; short?: boolean } = {}): Html {
  const shown = options.short ? shortId(id) : id;
  const text = options.href
    ? html`<a class="id" href="${options.href}" title="${id}">${shown}</a>`
    : html`<span class="id" title="${id}">${shown}</span>`;
  return html`<span class="copyable">${text}${copyIcon(id, id)}</span>`;
}

const HEAD_CHARACTERS = 10;
const TAIL_CHARACTERS = 4;

/** `ord_01m7fg…nmyv`: enough to recognise it. */
export const shortId = (id: string): string =>
  id.length <= HEAD_CHARACTERS + TAIL_CHARACTERS + 1
    ? id
    : `${id.slice(0, HEAD_CHARACTERS)}…${id.slice(-TAIL_CHARACTERS)}`;

/** A small button beside a text. It is there from the start and only works with JavaScript, so nothing moves. */
export const copyIcon = (text: string, what: string): Html =>
  html`<button class="copy" type="button" data-copy="${text}" aria-label="Copy ${what}">${icon("copy")}</button>`;

export const copyButton = (text: string): Html =>
  html`<button class="btn plain small copy-text" type="button" data-copy="${text}">Copy</button>`;

/** A secret or a command that is shown this once, each with a button that copies it. */
export const secretOnce = (title: string, secrets: readonly string[], note?: string): Html =>
  html`<section class="notice good" aria-label="${title}">
    <h2>${title}</h2>${note === undefined ? undefined : html`<p>${note}</p>`}
    ${secrets.map((text) => html`<div class="secret"><code>${text}</code>${copyButton(text)}</div>`)}
  </section>`;
