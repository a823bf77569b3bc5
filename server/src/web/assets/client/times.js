const REFRESH_MS = 30_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From here on the server wrote a date. */
const RELATIVE_MAX_MS = 45 * DAY_MS;

/** Relative times stay true while the page is open. They are counted from the server's clock, because this one can be wrong. */
export function startTimes() {
  const aheadMs = Date.now() - Date.parse(document.documentElement.dataset.now);
  setInterval(() => {
    if (document.hidden) return;
    for (const element of document.querySelectorAll("time[tabindex]"))
      refreshTime(element, Date.now() - aheadMs);
  }, REFRESH_MS);
}

function refreshTime(element, nowMs) {
  const distanceMs = nowMs - Date.parse(element.dateTime);
  const span = Math.abs(distanceMs);
  if (!(span < RELATIVE_MAX_MS)) return;
  const text = spanOf(span);
  const said = span < 5_000 ? "just now" : distanceMs > 0 ? `${text} ago` : `in ${text}`;
  if (element.textContent !== said) element.textContent = said;
}

function spanOf(spanMs) {
  if (spanMs < MINUTE_MS) return `${Math.floor(spanMs / 1_000)} s`;
  if (spanMs < HOUR_MS) return `${Math.floor(spanMs / MINUTE_MS)} min`;
  if (spanMs < 2 * DAY_MS) return `${Math.floor(spanMs / HOUR_MS)} h`;
  return `${Math.floor(spanMs / DAY_MS)} days`;
}
