import { type Html, html } from "../template/html.ts";
import type { PageContent } from "./frame.ts";

/** Where this is, what it is, and what can be done. */
export const pageHead = ({ title, heading, subtitle, actions, crumbs = [] }: PageContent): Html =>
  html`<header class="head"><div>${
    crumbs.length === 0
      ? undefined
      : html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${crumbs.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)}</ol></nav>`
  }<h1>${heading ?? title}</h1>${subtitle === undefined ? undefined : html`<p class="sub">${subtitle}</p>`}</div>${
    actions === undefined ? undefined : html`<div class="row">${actions}</div>`
  }</header>`;
