import { attrs, type Html, type HtmlValue, html } from "../template/html.ts";
import { href } from "../template/safe-url.ts";
import { icon } from "./icon.ts";

export type Tab = { label: string; href: string; isCurrent?: boolean; count?: number };

/** The parts of one thing, each with an address. */
export const tabs = (label: string, list: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${list.map(tabLink)}</nav>`;

/** A choice of few, such as 14, 30 or 90 days, or a filter by status. */
export const choice = (label: string, list: readonly Tab[]): Html =>
  html`<nav class="choice" aria-label="${label}">${list.map(tabLink)}</nav>`;

const tabLink = ({ label, href: to, isCurrent, count }: Tab): Html =>
  html`<a href="${to}"${attrs({ "aria-current": isCurrent ? "true" : undefined })}>${label}${
    count === undefined ? undefined : html` <span class="count">${count}</span>`
  }</a>`;

export type PagerOptions = {
  /** The address of the list with its filters, without a cursor. */
  path: string;
  /** Cursors, where there is such a page. */
  next?: string | undefined;
  previous?: string | undefined;
  /** Whether this is a page further on, from which the first one is a step. */
  hasFirst?: boolean;
  /** For example "50 orders". */
  shown?: HtmlValue;
};

/** The way through a keyset list. Cursors go into the address beside the filters. */
export const pager = ({ path, next, previous, hasFirst = false, shown }: PagerOptions): Html =>
  html`<nav class="pager" aria-label="Pages"><span class="quiet">${shown}</span><span class="row">${
    hasFirst ? html`<a class="btn plain small" href="${path}">First</a>` : undefined
  }${step("Previous", previous && href(path, { before: previous }), "left")}${step("Next", next && href(path, { cursor: next }), "right")}</span></nav>`;

function step(label: string, to: string | undefined, name: "left" | "right"): Html {
  const words = name === "left" ? html`${icon("left")}${label}` : html`${label}${icon("right")}`;
  return to
    ? html`<a class="btn plain small" rel="${name === "left" ? "prev" : "next"}" href="${to}">${words}</a>`
    : html`<span class="btn plain small off" aria-disabled="true">${words}</span>`;
}
