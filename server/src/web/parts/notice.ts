import { type Html, type HtmlValue, html } from "../template/html.ts";
import type { Tone } from "./chip.ts";

/** Something that a person should know before going on: what happened, then what to do. */
export const notice = (tone: Tone, title: string, body?: HtmlValue): Html =>
  html`<section class="notice ${tone}"><h2>${title}</h2>${body === undefined ? undefined : html`<div>${body}</div>`}</section>`;

/** What a place says that has nothing to show: why that is, and what to do next. */
export const emptyState = (title: string, body: HtmlValue, action?: HtmlValue): Html =>
  html`<div class="empty"><h3>${title}</h3><p>${body}</p>${action === undefined ? undefined : html`<div class="row">${action}</div>`}</div>`;

export type ToDo = { chip: Html; what: string; href: string; note: string };

/** Things that a person should do, each with its state, the way to it, and why. */
export const toDoList = (items: readonly ToDo[]): Html =>
  html`<ul class="to-do">${items.map(
    ({ chip, what, href, note }) =>
      html`<li>${chip}<p><a class="link" href="${href}">${what}</a> <span class="quiet">${note}</span></p></li>`,
  )}</ul>`;
