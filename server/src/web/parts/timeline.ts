import { type Html, type HtmlValue, html } from "../template/html.ts";
import type { Tone } from "./chip.ts";
import { dateText, exactTime } from "./time.ts";

export type TimelineEntry = { at: Date; title: HtmlValue; note?: HtmlValue; tone?: Tone };

/** What happened, oldest first, to the millisecond. A new day is named. */
export function timeline(entries: readonly TimelineEntry[]): Html {
  let day = "";
  return html`<ol class="timeline">${entries.map(({ at, title, note, tone = "quiet" }) => {
    const isNewDay = dateText(at) !== day;
    day = dateText(at);
    const item = html`<li class="${tone}"><div><span>${title}</span><time datetime="${at.toISOString()}" title="${exactTime(at)}">${at.toISOString().slice(11, 23)}</time></div>${note === undefined ? undefined : html`<p>${note}</p>`}</li>`;
    return isNewDay ? html`<li class="day">${dateText(at)}</li>${item}` : item;
  })}</ol>`;
}
