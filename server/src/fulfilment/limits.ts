/** Every limit of fulfilment, in one place; tests change some of them. */
export type FulfilmentLimits = {
  /** Orders taken at once. */
  batchMax: number;
  /** Units of orders taken at once: their rows are made in one statement. One order is always taken. */
  batchUnitsMax: number;
  /** Units of one order that are looked at in one go. */
  unitsMax: number;
  /** Orders that wait for a supplier at the same time, and calls at the same time for one of them. */
  inFlightMax: number;
  callsPerOrderMax: number;
  /** A worker that dies leaves its orders alone for so long. */
  leaseMs: number;
  pollMs: number;
  /** How long a supplier may take to answer one call. */
  callTimeoutMs: number;
  /** How long after it was sent a purchase that nobody knows of is taken for not made. */
  settleDelayMs: number;
  /** From the first look-up to the longest pause between two. */
  lookFirstMs: number;
  lookMaxMs: number;
  /** A unit that cannot even be tried (no supplier answers) is given up after so long. */
  giveUpAfterMs: number;
  /** An attempt without an outcome for so long is told to the operator. */
  alertAfterMs: number;
  /** An attempt that the operator wrote off is taken for not made when it is not found so long after it was sent. */
  writtenOffSettleMs: number;
  /** Failures in a row that open a supplier's circuit breaker, and how long it then stays open. */
  breakerFailures: number;
  breakerFirstMs: number;
  breakerMaxMs: number;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export const FULFILMENT_LIMITS: FulfilmentLimits = {
  batchMax: 128,
  batchUnitsMax: 10_000,
  unitsMax: 256,
  inFlightMax: 128,
  callsPerOrderMax: 8,
  leaseMs: 30 * SECOND_MS,
  pollMs: SECOND_MS,
  callTimeoutMs: 15 * SECOND_MS,
  settleDelayMs: 30 * SECOND_MS,
  lookFirstMs: SECOND_MS,
  lookMaxMs: 5 * MINUTE_MS,
  giveUpAfterMs: 15 * MINUTE_MS,
  alertAfterMs: HOUR_MS,
  writtenOffSettleMs: 24 * HOUR_MS,
  breakerFailures: 5,
  breakerFirstMs: 5 * SECOND_MS,
  breakerMaxMs: 5 * MINUTE_MS,
};

/** The pause before the next look-up: it doubles with each, up to the longest, with up to a fifth more by chance. */
export const lookPauseMs = (
  limits: FulfilmentLimits,
  looks: number,
  chance: number = Math.random(),
): number => Math.min(limits.lookFirstMs * 2 ** Math.min(looks, 30), limits.lookMaxMs) * (1 + chance / 5);
