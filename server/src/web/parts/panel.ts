import { attrs, type Html, type HtmlValue, html, NOTHING } from "../template/html.ts";

export type PanelOptions = {
  title?: string;
  /** Beside the title: a link, a sum, a choice. */
  aside?: HtmlValue;
  /** Below its content. */
  foot?: HtmlValue;
  /** Its content has its own edges, as a table does. */
  flush?: boolean;
  /** Read again every few seconds while it is visible and not under the pointer. It needs an id. */
  live?: boolean;
  id?: string;
};

/** A sheet with a title. */
export function panel(options: PanelOptions, content: HtmlValue): Html {
  const { title, aside, foot, flush = false, live = false, id } = options;
  if (live && id === undefined) throw new Error("a live panel needs an id");
  const head =
    title === undefined && aside === undefined
      ? NOTHING
      : html`<header><h2>${title}</h2>${aside === undefined ? undefined : html`<div class="aside">${aside}</div>`}</header>`;
  return html`<section class="panel"${attrs({ id, "up-poll": live })}>
    ${head}${flush ? content : html`<div class="body">${content}</div>`}
    ${foot === undefined ? undefined : html`<footer>${foot}</footer>`}
  </section>`;
}

/** Parts below each other, with the distance that all pages have. */
export const stack = (...parts: readonly HtmlValue[]): Html => html`<div class="stack">${parts}</div>`;

/** What matters and what belongs to it, beside each other where there is room. */
export const columns = (wide: HtmlValue, narrow: HtmlValue): Html =>
  html`<div class="columns"><div class="stack">${wide}</div><div class="stack">${narrow}</div></div>`;

/** Two parts of the same weight, beside each other where there is room. */
export const halves = (first: HtmlValue, second: HtmlValue): Html =>
  html`<div class="columns even"><div class="stack">${first}</div><div class="stack">${second}</div></div>`;

/** A row of buttons or small parts. */
export const row = (...parts: readonly HtmlValue[]): Html => html`<div class="row">${parts}</div>`;

/** Names and values below each other. What is absent is left out by the caller. Sums have their values at the right. */
export const facts = (
  list: readonly (readonly [name: string, value: HtmlValue])[],
  { areSums = false } = {},
): Html =>
  html`<dl class="facts${areSums ? " sums" : ""}">${list.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export type StatTile = {
  label: string;
  value: HtmlValue;
  unit?: string;
  note?: HtmlValue;
  href?: string;
};

/** The few numbers that a page begins with. */
export const statTiles = (tiles: readonly StatTile[]): Html =>
  html`<dl class="stats">${tiles.map(
    ({ label, value, unit, note, href }) =>
      html`<div class="panel"><dt>${href === undefined ? label : html`<a href="${href}">${label}</a>`}</dt><dd><b>${value}</b>${
        unit === undefined ? undefined : html` <small>${unit}</small>`
      }</dd>${note === undefined ? undefined : html`<dd class="note">${note}</dd>`}</div>`,
  )}</dl>`;
