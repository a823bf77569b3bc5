import type { OrderStatus } from "../../src/orders/status.ts";
import { FAILURE_CODES, type FailureCode } from "../../src/suppliers/supplier.ts";
import type { Random } from "../seed.ts";
import { after, before, drawError, drawNonsense, honest, type Step, type Verb } from "./upstream-steps.ts";

/**
 * What happens to a request that is heard: it is refused, or sold, and then each poll moves it one stage further.
 */
export type Course =
  | { refusal: Refusal }
  | {
      stages: readonly OrderStatus[];
      failureCode?: FailureCode;
      repeatsCode?: boolean;
      /** Charged instead of the price. */
      priceMinor?: number;
      /** Charged in another currency than that of the price. */
      currency?: string;
      /** The code is a number of 19 digits, more than a float holds. */
      isLongNumber?: boolean;
      /** It ends as partly failed: with the code, or without. */
      partial?: "sold" | "unsold";
      /** Once it is completed, the supplier can take it back. */
      reverses?: boolean;
    };

export type Refusal =
  | "insufficient_funds"
  | "not_found"
  | "out_of_stock"
  | "invalid_input_field"
  | "product_not_purchasable";

export type Plan = {
  kind: string;
  course: Course;
  /** The faults of the first, second, … call of each kind. All later ones succeed. */
  steps: Partial<Record<Verb, readonly Step[]>>;
  /** The last fault of each kind of call goes on, however often it is called. */
  forever?: boolean;
  /** A request that was held back lands after this many unsuccessful lookups. */
  landsAfterLooks?: number;
};

export type FaultPlan = Omit<Plan, "kind">;

/** The ways in which a supplier treats a unit. Each ends: every fault occurs a few times and then no more. */
export const UPSTREAM_FAULTS = {
  "completes-at-once": () => sells({ stages: ["completed"] }),
  "completes-later": (random) => sells(slowly(random)),

  "request-lost": (random) => sells(anyhow(random), { place: times(1 + random.below(2), before("reset")) }),
  "answer-lost": (random) => sells(anyhow(random), { place: times(1 + random.below(2), after("reset")) }),
  "answer-cut": (random) => sells(anyhow(random), { place: times(1 + random.below(2), after("cut")) }),
  "answer-late": (random) => sells(anyhow(random), { place: [after("late")] }),
  "lands-late": (random) => ({
    ...sells(anyhow(random), { place: [before("hold")] }),
    landsAfterLooks: 1 + random.below(2),
  }),
  // The second request is refused while the first is still on its way, and then the first one lands.
  "refused-then-lands": (random) => sells(anyhow(random), { place: [before("hold"), before("refuse")] }),
  "found-late": (random) =>
    sells(anyhow(random), {
      place: [after("reset")],
      list: times(1 + random.below(2), after("missing")),
      read: times(random.below(2), after("missing")),
    }),

  "nonsense-placement": (random) => {
    const heard = drawNonsense("place", random);
    const unheard = before(random.pick(["html", "half-json", "blank", "redirect"]));
    return sells(anyhow(random), { place: [random.chance(0.5) ? heard : unheard] });
  },
  "nonsense-order": (random) =>
    sells(slowly(random), {
      list: draws(1 + random.below(2), () => drawNonsense("list", random)),
      read: draws(1 + random.below(3), () => drawNonsense("read", random)),
    }),
  "nonsense-codes": (random) =>
    sells(anyhow(random), { codes: draws(1 + random.below(3), () => drawNonsense("codes", random)) }),

  hangs: (random) => sells(anyhow(random), somewhere(random, "hang")),
  drips: (random) => sells(anyhow(random), somewhere(random, "drip")),

  "error-before": (random) =>
    sells(anyhow(random), { place: draws(1 + random.below(2), () => before(drawError(random))) }),
  "error-after": (random) =>
    sells(anyhow(random), {
      place: draws(1 + random.below(2), () => after(drawError(random))),
      list: draws(random.below(2), () => after(drawError(random))),
      read: draws(random.below(2), () => after(drawError(random))),
    }),

  refuses: (random) => ({ course: { refusal: random.pick(REFUSALS) }, steps: {} }),
  "fails-after-accepting": (random) =>
    sells({
      stages: [...wait(random), ...times(random.below(3), "failed" as const), "refunded"],
      failureCode: random.pick(FAILURE_CODES),
    }),
  "codes-late": (random) =>
    sells(anyhow(random), {
      codes: draws(1 + random.below(3), () =>
        after(random.pick(["internal_error", "not-fulfilled", "missing"])),
      ),
    }),
  "completed-too-early": (random) =>
    sells(slowly(random), random.chance(0.5) ? { place: [after("early")] } : { read: [after("early")] }),
  "processing-again": (random) =>
    sells(anyhow(random), { list: [after("back")], read: [after("back"), honest, after("back")] }),
  "repeats-code": (random) => sells({ ...anyhow(random), repeatsCode: true }),
} satisfies Record<string, (random: Random) => FaultPlan>;

export type FaultKind = keyof typeof UPSTREAM_FAULTS;

const REFUSALS: readonly Refusal[] = [
  "insufficient_funds",
  "not_found",
  "out_of_stock",
  "invalid_input_field",
  "product_not_purchasable",
];

/** A plan for a test that wants exactly one thing. */
export const sale = (stages: readonly OrderStatus[], steps: Plan["steps"] = {}): Plan => ({
  kind: "sale",
  course: { stages },
  steps,
});

export const sells = (course: Course, steps: Plan["steps"] = {}): FaultPlan => ({ course, steps });

type Sale = { stages: readonly OrderStatus[] };

export const anyhow = (random: Random): Sale =>
  random.chance(0.5) ? { stages: ["completed"] } : slowly(random);

const slowly = (random: Random): Sale => ({ stages: [...wait(random), "completed"] });

/** A number of polls in which nothing is decided yet. */
const wait = (random: Random): OrderStatus[] => ["pending", ...times(random.below(3), "processing" as const)];

/** On one call of one kind. */
function somewhere(random: Random, mishap: "hang" | "drip"): Plan["steps"] {
  const verb = random.pick(["place", "place", "list", "read", "codes"] as const);
  const step = verb === "place" && random.chance(0.5) ? before(mishap) : after(mishap);
  // An order whose placement was answered is not looked up.
  return verb === "list" ? { place: [after("reset")], list: [step] } : { [verb]: [step] };
}

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

const draws = (count: number, draw: () => Step): Step[] => Array.from({ length: count }, draw);
