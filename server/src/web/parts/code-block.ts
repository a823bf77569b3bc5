import { type Html, html } from "../template/html.ts";
import { copyIcon } from "./copy.ts";

/** Text as it was sent or received, in monospace. `copied` is what the button copies where the text is laid out for reading. */
export const codeBlock = (label: string, text: string, copied = text): Html =>
  html`<div class="code-block"><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>${copyIcon(copied, label.toLowerCase())}</div>`;

/** JSON on several lines; text that is no JSON stays as it is. */
export function layOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A part that is opened by a click and needs no JavaScript. */
export const disclosure = (summary: string, content: Html): Html =>
  html`<details class="disclosure"><summary>${summary}</summary>${content}</details>`;

/** How far something is, as a bar with its numbers in words beside it. */
export const progressBar = (label: string, done: number, total: number): Html =>
  html`<progress class="progress" aria-label="${label}" value="${done}" max="${Math.max(total, 1)}">${done} of ${total}</progress>`;
