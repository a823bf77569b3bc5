import type { Random } from "../seed.ts";

/** What a buying Scrip asks: POST an order, GET it by its idempotency key, GET it by its id, GET its codes. */
export const VERBS = ["place", "list", "read", "codes"] as const;
export type Verb = (typeof VERBS)[number];

/** What goes wrong with one call. */
export type Step = {
  mishap: Mishap;
  /** Whether the upstream has done what it was asked before it goes wrong. */
  heard: boolean;
  /** Which of the many wrong shapes it is. */
  variant: number;
};

/** The line or the server behind it. These spoil an answer whatever it says, also one that was never to come. */
const WIRE = ["reset", "cut", "late", "hang", "drip"] as const;
const ERRORS = ["internal_error", "service_unavailable", "rate_limited"] as const;
const JUNK = ["html", "half-json", "blank", "redirect"] as const;
/** Good JSON that says what cannot be. */
const WRONG_ORDERS = ["wrong-shape", "other-order", "banana"] as const;
const WRONG_CODES = ["wrong-shape", "other-order", "empty-codes", "extra-code"] as const;

export type ErrorMishap = (typeof ERRORS)[number];
export type Mishap =
  | "none"
  | (typeof WIRE)[number]
  | ErrorMishap
  | (typeof JUNK)[number]
  | (typeof WRONG_ORDERS)[number]
  | (typeof WRONG_CODES)[number]
  /** The answer is lost at once, and the request lands some time later. */
  | "hold"
  /** Refused, unless it has been bought already. */
  | "refuse"
  /** Not found, though it is there. */
  | "missing"
  /** Completed, though it is not. */
  | "early"
  /** Processing, whatever it was before. */
  | "back"
  /** No codes yet, though there are. */
  | "not-fulfilled";

export type UnheardMishap =
  | Exclude<(typeof WIRE)[number], "late" | "cut">
  | ErrorMishap
  | (typeof JUNK)[number]
  | "hold"
  | "refuse";

const UNHEARD: readonly UnheardMishap[] = ["reset", "hang", "drip", ...ERRORS, ...JUNK];

export const honest: Step = { mishap: "none", heard: true, variant: 0 };

/** The upstream does what it was asked, and then this goes wrong. */
export const after = (mishap: Mishap, variant = 0): Step => ({ mishap, heard: true, variant });

/** This goes wrong before anything was done. */
export const before = (mishap: UnheardMishap): Step => ({ mishap, heard: false, variant: 0 });

export const drawError = (random: Random): ErrorMishap => random.pick(ERRORS);

/** An answer that makes no sense for such a call. */
export function drawNonsense(verb: Verb, random: Random): Step {
  const mishap = random.pick([...JUNK, ...(verb === "codes" ? WRONG_CODES : WRONG_ORDERS)]);
  return after(mishap, random.below(VARIANTS));
}

/** Whatever can befall any call. `missing` is not among it: it would hide what has landed late from a second look. */
export function drawMishap(verb: Verb, random: Random): Step {
  if (verb === "place" && random.chance(0.3)) return before(random.pick(UNHEARD));
  return random.chance(0.4) ? drawNonsense(verb, random) : after(random.pick([...WIRE, ...ERRORS]));
}

const VARIANTS = 64;
