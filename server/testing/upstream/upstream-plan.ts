import { createHash } from "node:crypto";
import { createRandom, type Random } from "../seed.ts";
import { type FaultKind, type FaultPlan, type Plan, UPSTREAM_FAULTS } from "./upstream-faults.ts";
import { drawMishap, honest, type Step, VERBS, type Verb } from "./upstream-steps.ts";

/**
 * One attempt to buy one unit, without anything that differs between runs: `unit` is a reference after its first
 * dot.
 */
export type UnitDraw = { account: string; sku: string; unit: string };

export type FaultWeights = Partial<Record<FaultKind, number>>;
/** Every kind of fault that can be drawn, by name. */
export type FaultTable = Readonly<Record<string, (random: Random) => FaultPlan>>;

export type PlanOptions = {
  /** How often each kind is drawn. Kinds that are not listed are never drawn. */
  faults?: FaultWeights;
  /** Draws from these kinds, all as often, and the good ones five times as often. Without it: `faults`, of our own table. */
  table?: FaultTable;
  /** The share of calls that fail in addition to the kind's own plan. */
  noise?: number;
  /** Only this many calls under one reference can fail. All later ones succeed. */
  faultyCallsMax?: number;
};

export const FAULTY_CALLS_MAX = 12;

const GOOD_KINDS: readonly string[] = ["completes-at-once", "completes-later"];
const GOOD_WEIGHT = 5;

/** Everything, with a third of it good. */
export const ALL_FAULTS: FaultWeights = weigh(UPSTREAM_FAULTS);

function weigh(table: FaultTable): Record<string, number> {
  return Object.fromEntries(
    Object.keys(table).map((kind) => [kind, GOOD_KINDS.includes(kind) ? GOOD_WEIGHT : 1]),
  );
}

/**
 * What the upstream will do to a unit. It depends only on the seed and the unit, so a seed gives the same faults
 * whatever else happens.
 */
export function planUnit(seed: number, draw: UnitDraw, options: PlanOptions = {}): Plan {
  const random = randomFor(seed, draw, "kind");
  const table: FaultTable = options.table ?? UPSTREAM_FAULTS;
  const weights = options.table ? weigh(options.table) : (options.faults ?? ALL_FAULTS);
  const kind = pickKind(random, weights);
  const plan: FaultPlan = table[kind]?.(random) ?? { course: { stages: ["completed"] }, steps: {} };
  const steps = VERBS.map((verb) => [verb, addNoise(seed, draw, verb, plan.steps[verb] ?? [], options)]);
  return { ...plan, kind, steps: Object.fromEntries(steps) };
}

/** The plans of one account, to help understand a failure. */
export function describeFaults(
  seed: number,
  account: string,
  options: PlanOptions & { sku: string; units?: readonly string[] },
): string {
  const units = options.units ?? ["0.0.1", "0.0.2"];
  return units
    .map((unit) =>
      describePlan(
        { account, sku: options.sku, unit },
        planUnit(seed, { ...options, account, unit }, options),
      ),
    )
    .join("\n");
}

export function describePlan({ account, sku, unit }: UnitDraw, { kind, course, steps }: Plan): string {
  const end =
    "refusal" in course
      ? `refused: ${course.refusal}`
      : [course.stages.join(", "), course.failureCode, course.repeatsCode && "a repeated code"]
          .filter(Boolean)
          .join("; ");
  const lines = VERBS.filter((verb) => steps[verb]?.length).map(
    (verb) => `  ${verb}: ${steps[verb]?.map(describeStep).join(", ")}`,
  );
  return [`${account} ${sku} ${unit}: ${kind}`, `  course: ${end}`, ...lines].join("\n");
}

const describeStep = ({ mishap, heard }: Step): string => (heard ? mishap : `${mishap} unheard`);

function pickKind(random: Random, weights: Readonly<Record<string, number>>): string {
  // In alphabetical order: the order in which the caller lists the weights must not matter.
  const kinds = Object.keys(weights)
    .sort()
    .filter((kind) => (weights[kind] ?? 0) > 0);
  const total = kinds.reduce((sum, kind) => sum + (weights[kind] ?? 0), 0);
  let rest = (random.below(PARTS) / PARTS) * total;
  for (const kind of kinds) {
    rest -= weights[kind] ?? 0;
    if (rest < 0) return kind;
  }
  throw new Error("no kind of fault has a weight");
}

const PARTS = 2 ** 30;

function addNoise(
  seed: number,
  draw: UnitDraw,
  verb: Verb,
  planned: readonly Step[],
  { noise = 0, faultyCallsMax = FAULTY_CALLS_MAX }: PlanOptions,
): Step[] {
  if (noise === 0) return [...planned];
  return Array.from({ length: faultyCallsMax }, (_, index) => {
    const step = planned[index] ?? honest;
    if (step.mishap !== "none") return step;
    const random = randomFor(seed, draw, `${verb} ${index + 1}`);
    return random.chance(noise) ? drawMishap(verb, random) : step;
  });
}

function randomFor(seed: number, { account, sku, unit }: UnitDraw, purpose: string): Random {
  const text = JSON.stringify([seed, account, sku, unit, purpose]);
  return createRandom(createHash("sha256").update(text).digest().readUInt32BE(0));
}
