import type { Random } from "../seed.ts";

/** What a buying Scrip sends: POST an order, GET it by its idempotency key, GET it by its id, GET its codes. */
export const VERBS = ["place", "list", "read", "codes"] as const;
export type Verb = (typeof VERBS)[number];

/** The fault of one call. */
export type Step = {
  mishap: Mishap;
  /** Whether the upstream processes the request before the fault. */
  heard: boolean;
  /** Which of the many wrong shapes it is. */
  variant: number;
};

/** Faults of the connection or the server behind it. They affect any response, including one that was never sent. */
const WIRE = ["reset", "cut", "late", "hang", "drip"] as const;
const ERRORS = ["internal_error", "service_unavailable", "rate_limited"] as const;
/** Errors that Scrip does not send: 401 while the credentials are right, 429 without Retry-After. */
const OTHER_ERRORS = ["unauthorized", "busy"] as const;
/** Answers that never end: by the wire, or once they are unpacked. */
const FLOODS = ["endless", "gzip-bomb"] as const;
const JUNK = ["html", "half-json", "blank", "redirect"] as const;
/** Valid JSON with impossible content. */
const WRONG_ORDERS = ["wrong-shape", "other-order", "banana"] as const;
const WRONG_CODES = ["wrong-shape", "other-order", "empty-codes", "extra-code"] as const;

export type ErrorMishap = (typeof ERRORS)[number] | (typeof OTHER_ERRORS)[number];
export type FloodMishap = (typeof FLOODS)[number];
export type Mishap =
  | "none"
  | (typeof WIRE)[number]
  | ErrorMishap
  | FloodMishap
  | (typeof JUNK)[number]
  | (typeof WRONG_ORDERS)[number]
  | (typeof WRONG_CODES)[number]
  /** The response is lost at once, and the request lands some time later. */
  | "hold"
  /** Refused, unless it has already been bought. */
  | "refuse"
  /** Not found, although it exists. */
  | "missing"
  /** Completed, although it is not. */
  | "early"
  /** Processing, whatever it was before. */
  | "back"
  /** No codes yet, although there are. */
  | "not-fulfilled"
  /** A code with characters that nobody can type. */
  | "odd-characters";

export type UnheardMishap =
  | Exclude<(typeof WIRE)[number], "late" | "cut">
  | ErrorMishap
  | FloodMishap
  | (typeof JUNK)[number]
  | "hold"
  | "refuse";

const UNHEARD: readonly UnheardMishap[] = ["reset", "hang", "drip", ...ERRORS, ...JUNK];

export const honest: Step = { mishap: "none", heard: true, variant: 0 };

/** The upstream processes the request, and then this fault occurs. */
export const after = (mishap: Mishap, variant = 0): Step => ({ mishap, heard: true, variant });

/** This fault occurs before anything was done. */
export const before = (mishap: UnheardMishap, variant = 0): Step => ({ mishap, heard: false, variant });

export const drawFlood = (random: Random): FloodMishap => random.pick(FLOODS);

export const drawError = (random: Random): ErrorMishap => random.pick(ERRORS);

/** A response that makes no sense for this call. */
export function drawNonsense(verb: Verb, random: Random): Step {
  const mishap = random.pick([...JUNK, ...(verb === "codes" ? WRONG_CODES : WRONG_ORDERS)]);
  return after(mishap, random.below(VARIANTS));
}

/**
 * Everything that can happen to any call. `missing` is excluded: it would hide what has landed late from a second
 * lookup.
 */
export function drawMishap(verb: Verb, random: Random): Step {
  if (verb === "place" && random.chance(0.3)) return before(random.pick(UNHEARD));
  return random.chance(0.4) ? drawNonsense(verb, random) : after(random.pick([...WIRE, ...ERRORS]));
}

const VARIANTS = 64;
