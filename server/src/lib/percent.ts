const PERCENT_MAX_BP = 1_000_000;

/** "4.5%" → 450 basis points. The sign can be left out. */
export function parsePercent(text: string, option: string): number {
  const [, whole = "", decimals = ""] = /^(\d{1,5})(?:\.(\d{1,2}))?%?$/.exec(text) ?? [];
  const basisPoints = Number(whole + decimals.padEnd(2, "0"));
  if (whole === "" || basisPoints > PERCENT_MAX_BP)
    throw new RangeError(
      `${option} must be a percentage such as 4.5%, with at most 2 decimals, not "${text}"`,
    );
  return basisPoints;
}

/** 450 → "4.5%". */
export const sayPercent = (basisPoints: number): string => {
  const digits = String(basisPoints).padStart(3, "0");
  return `${`${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, "")}%`;
};
