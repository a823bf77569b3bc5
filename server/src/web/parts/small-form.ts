import type { PageContext } from "../pages/define-page.ts";
import { attrs, type Html, html } from "../template/html.ts";

/** One button that does one thing. `row` names what it is done to, for those who hear the page. */
export const smallForm = (
  ctx: Pick<PageContext<unknown>, "hidden">,
  action: string,
  id: string,
  label: string,
  row?: string,
): Html =>
  html`<form method="post" action="${action}">${ctx.hidden()}<input type="hidden" name="id" value="${id}"><button class="btn plain small" type="submit"${attrs(
    { "aria-label": row === undefined ? undefined : `${label}: ${row}` },
  )}>${label}</button></form>`;

/** A link that looks like a small button, for the head of a panel. */
export const smallLink = (label: string, to: string): Html =>
  html`<a class="btn plain small" href="${to}">${label}</a>`;
