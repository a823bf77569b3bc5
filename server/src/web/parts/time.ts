import { type Html, html } from "../template/html.ts";

/** How long ago, or until when, with the exact time in UTC on hover and focus. */
export const time = (at: Date, now: Date): Html =>
  html`<time datetime="${at.toISOString()}" tabindex="0" title="${exactTime(at)}">${relativeTime(at, now)}</time>`;

/** The exact time itself, where that is what matters: `15 Nov 2026, 11:47:03 UTC`. */
export const exactly = (at: Date): Html => html`<time datetime="${at.toISOString()}">${exactTime(at)}</time>`;

export const exactTime = (at: Date): string => `${dateText(at)}, ${at.toISOString().slice(11, 19)} UTC`;

/** `15 Nov 2026` in UTC. */
export const dateText = (at: Date): string => `${dayText(at)} ${at.getUTCFullYear()}`;

/** `15 Nov` in UTC. */
export const dayText = (at: Date): string => `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From here on a date says more than a number of days. */
const RELATIVE_MAX_MS = 45 * DAY_MS;

/** `12 min ago`, `in 5 h`, `just now`; a date when it is far away. */
export function relativeTime(at: Date, now: Date): string {
  const distanceMs = now.getTime() - at.getTime();
  const span = Math.abs(distanceMs);
  if (span >= RELATIVE_MAX_MS)
    return at.getUTCFullYear() === now.getUTCFullYear() ? dayText(at) : dateText(at);
  if (span < 5_000) return "just now";
  const text = spanText(span);
  return distanceMs > 0 ? `${text} ago` : `in ${text}`;
}

/** `42 s`, `12 min`, `3 h`, `5 days`: the largest unit that fits, rounded down. */
export function spanText(spanMs: number): string {
  if (spanMs < MINUTE_MS) return `${Math.floor(spanMs / 1_000)} s`;
  if (spanMs < HOUR_MS) return `${Math.floor(spanMs / MINUTE_MS)} min`;
  if (spanMs < 2 * DAY_MS) return `${Math.floor(spanMs / HOUR_MS)} h`;
  return `${Math.floor(spanMs / DAY_MS)} days`;
}
