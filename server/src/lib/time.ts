const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3}(\d{0,6}))?(?:Z|[+-]\d{2}:\d{2})$/i;

const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A time, or a plain date such as 2030-01-31, which stands for 00:00:00.000Z of that day. */
export const parseTimeOrDate = (text: string): Date | undefined =>
  parseTime(PLAIN_DATE.test(text) ? `${text}T00:00:00Z` : text);

/** Parses an RFC 3339 time, such as 2030-01-31T12:00:00Z. Fractions of a millisecond are rounded up. */
export function parseTime(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  const time = new Date(text.toUpperCase());
  if (!match || Number.isNaN(time.getTime())) return undefined;
  const [, date = "", , finer = ""] = match;
  // JavaScript reads February 31 as March 3.
  if (!new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return undefined;
  return /[1-9]/.test(finer) ? new Date(time.getTime() + 1) : time;
}
