import { button } from "../web/parts/button.ts";
import { type Html, html } from "../web/template/html.ts";
import { BASE, type DashboardContext, here } from "./session.ts";

/** One button that does one thing. `spoken` names the row that it belongs to, for those who hear the page. */
export const smallForm = (
  ctx: DashboardContext,
  path: string,
  id: string,
  label: string,
  spoken = label,
): Html =>
  html`<form method="post" action="${here(ctx, `${BASE}${path}`)}">${ctx.hidden()}<input type="hidden" name="id" value="${id}">${button(
    spoken === label
      ? label
      : html`<span aria-hidden="true">${label}</span><span class="hidden">${spoken}</span>`,
  )}</form>`;
