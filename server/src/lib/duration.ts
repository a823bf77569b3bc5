const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time in milliseconds, such as 30m, 24h or 0. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const [, digits = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? undefined : Number(digits) * unitMs;
}

/** In the largest unit that says it exactly. */
export function durationText(ms: number): string {
  if (ms === 0) return "0";
  const [unit = "s", unitMs = 1_000] = Object.entries(UNITS_MS).findLast(([, one]) => ms % one === 0) ?? [];
  return `${ms / unitMs}${unit}`;
}
