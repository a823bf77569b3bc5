import { type AmountLimits, parseAmountLimits } from "../lib/money.ts";

/** Every limit of fulfilment, in one place; tests change some of them. */
export type FulfilmentLimits = {
  /** Orders taken at once. */
  batchMax: number;
  /** Units of orders taken at once: their rows are made in one statement. One order is always taken. */
  batchUnitsMax: number;
  /** Units of one order that are handled in one run. */
  unitsMax: number;
  /** Units that one transaction settles, so that locks are short: sealing takes time. */
  settleUnitsMax: number;
  /** Orders that wait for a supplier at the same time, and calls at the same time for one of them. */
  inFlightMax: number;
  callsPerOrderMax: number;
  /** How long the orders of a dead worker wait for another. */
  leaseMs: number;
  pollMs: number;
  /** How long a supplier may take to answer one call. */
  callTimeoutMs: number;
  /** How long after it was sent a request can still arrive: until then a doubted refusal is not believed. */
  arrivalMs: number;
  /** The first and the longest pause between look-ups. */
  lookFirstMs: number;
  lookMaxMs: number;
  /** When to give up a unit that no supplier can be called for. */
  giveUpAfterMs: number;
  /** When to alert the operator of an attempt without an outcome. */
  alertAfterMs: number;
  /** How long after it was sent an attempt is followed that was written off, or that counts as not made. */
  writtenOffLookMs: number;
  /** Consecutive failures that open a supplier's circuit breaker, and how long it stays open. */
  breakerFailures: number;
  breakerFirstMs: number;
  breakerMaxMs: number;
  /** How much a unit may cost above what was paid for it (MAX_LOSS). */
  maxLoss: AmountLimits;
  /** A loss is judged by a rate that is no older, where there is one (FX_MAX_AGE). */
  rateMaxAgeMs: number;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export const FULFILMENT_LIMITS: FulfilmentLimits = {
  batchMax: 128,
  batchUnitsMax: 10_000,
  unitsMax: 256,
  settleUnitsMax: 512,
  inFlightMax: 128,
  callsPerOrderMax: 8,
  leaseMs: 30 * SECOND_MS,
  pollMs: SECOND_MS,
  callTimeoutMs: 15 * SECOND_MS,
  arrivalMs: 30 * SECOND_MS,
  lookFirstMs: SECOND_MS,
  lookMaxMs: 5 * MINUTE_MS,
  giveUpAfterMs: 15 * MINUTE_MS,
  alertAfterMs: HOUR_MS,
  writtenOffLookMs: 24 * HOUR_MS,
  breakerFailures: 5,
  breakerFirstMs: 5 * SECOND_MS,
  breakerMaxMs: 5 * MINUTE_MS,
  maxLoss: parseAmountLimits("0"),
  rateMaxAgeMs: 24 * HOUR_MS,
};

/** The pause before the next look-up: it doubles each time up to the maximum, plus up to 20% jitter. */
export const lookPauseMs = (
  limits: FulfilmentLimits,
  looks: number,
  chance: number = Math.random(),
): number => Math.min(limits.lookFirstMs * 2 ** Math.min(looks, 30), limits.lookMaxMs) * (1 + chance / 5);
