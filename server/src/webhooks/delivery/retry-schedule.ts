const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** CONTRACT 6: the pauses before the second, third, … attempt; about three days in all. */
export const RETRY_PAUSES_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

const JITTER = 0.2;
/** The longest pause that an endpoint can ask for with Retry-After. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * How long to wait after attempt number `step`, from 1; undefined after the last one. Up to 20 % of jitter keeps deliveries
 * that failed together from coming back together. Retry-After can only lengthen the pause.
 */
export function retryPauseMs(
  step: number,
  retryAfterMs: number | undefined,
  chance: number = Math.random(),
): number | undefined {
  const pauseMs = RETRY_PAUSES_MS[step - 1];
  if (pauseMs === undefined) return undefined;
  const jittered = pauseMs * (1 + JITTER * chance);
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** Seconds or a date; undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * SECOND_MS;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - now.getTime());
}
