import type { ChosenRate, RateTable } from "../fx/choose-rate.ts";
import {
  compare,
  type Fraction,
  fraction,
  onePlus,
  parseDecimal,
  plus,
  roundUp,
  times,
} from "../fx/fraction.ts";
import { minorUnitExponent } from "../lib/currencies.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";
import { roundPrice } from "./round-price.ts";
import type { PriceRule } from "./rule.ts";

export type Cost = { amountMinor: bigint; currency: string };
export type FaceValue = { amount: string; currency: string };

/** Why a rule gives no price that could be sold. */
export type Unsellable =
  | "no_cost"
  | "no_face_value"
  | "rate_stale"
  | "rate_missing"
  | "above_face"
  | "out_of_range";

/** What a unit costs in the currency of the price, exact, and the rate that it was converted with. */
export type Landed = { value: Fraction; rate: ChosenRate | undefined };

export type WorkedOut =
  | {
      kind: "price";
      amountMinor: bigint;
      landed: Landed | undefined;
      floorMinor: bigint;
      floorReached: boolean;
    }
  | { kind: "unsellable"; reason: Unsellable; landed: Landed | undefined };

export type PriceInput = {
  rule: PriceRule;
  /** Of the route that would be used now; undefined where no route has a cost. */
  cost: Cost | undefined;
  /** Undefined for what is not money, such as coins of a game. */
  face: FaceValue | undefined;
  currency: string;
  rates: RateTable;
  /** Added to what is converted, in basis points. */
  bufferBp: number;
};

/**
 * Works out a price (CONTRACT 8), in exact numbers. `landed = cost × rate × (1 + buffer)`; the rule applies; the result is rounded
 * up to the rule's increment; `floor = landed × (1 + minMargin) + minAmount`, rounded up to the smallest unit; the price is the
 * larger one.
 */
export function workOutPrice(input: PriceInput): WorkedOut {
  const { rule, cost, face, currency, rates } = input;
  const landed = cost === undefined ? undefined : landedCost({ ...input, cost });
  return applyRuleTo({ rule, currency, landed, face: face && faceIn(face, currency, rates) });
}

type Converted = Landed | "rate_stale" | "rate_missing" | undefined;

/** The same once cost and face value are converted, which is done once for many rules. */
export function applyRuleTo({
  rule,
  currency,
  landed,
  face: faceValue,
}: {
  rule: PriceRule;
  currency: string;
  landed: Converted;
  face: Converted;
}): WorkedOut {
  if (typeof landed === "string") return { kind: "unsellable", reason: landed, landed: undefined };
  const no = (reason: Unsellable): WorkedOut => ({ kind: "unsellable", reason, landed });
  if (faceValue === "rate_stale") return no(faceValue);
  const ruled = applyRule(rule, currency, landed?.value, faceValue);
  if (typeof ruled === "string") return no(ruled);
  const rounded = roundPrice(ruled, rule.rounding, currency);
  const floorMinor = landed === undefined ? 0n : roundUp(floorOf(rule, currency, landed.value));
  const floorReached = landed !== undefined && rounded < floorMinor;
  const amountMinor = floorReached ? floorMinor : rounded;
  if (amountMinor < 1n || amountMinor > AMOUNT_MAX_MINOR) return no("out_of_range");
  // A face value whose rate was never given cannot be compared.
  const isAboveFace = typeof faceValue === "object" && compare(fraction(amountMinor), faceValue.value) > 0;
  if (isAboveFace && !rule.mayExceedFace) return no("above_face");
  return { kind: "price", amountMinor, landed, floorMinor, floorReached };
}

export const faceIn = (
  face: FaceValue,
  currency: string,
  rates: RateTable,
): Landed | "rate_stale" | "rate_missing" =>
  convert(toMinor(face.amount, face.currency), face.currency, currency, rates);

/** What a cost is in another currency, with the buffer where it had to be converted. */
export function landedCost({
  cost,
  currency,
  rates,
  bufferBp,
}: {
  cost: Cost;
  currency: string;
  rates: RateTable;
  bufferBp: number;
}): Landed | "rate_stale" | "rate_missing" {
  const converted = convert(fraction(cost.amountMinor), cost.currency, currency, rates);
  if (typeof converted === "string" || converted.rate === undefined) return converted;
  return { value: times(converted.value, onePlus(bufferBp)), rate: converted.rate };
}

function applyRule(
  rule: PriceRule,
  currency: string,
  landed: Fraction | undefined,
  face: Landed | "rate_missing" | undefined,
): Fraction | Unsellable {
  const add = toMinor(rule.addAmount, currency);
  switch (rule.kind) {
    case "fixed":
      return plus(toMinor(rule.amount ?? "0", currency), add);
    case "over_cost":
      return landed === undefined ? "no_cost" : plus(times(landed, onePlus(rule.valueBp ?? 0)), add);
    case "off_face":
      if (face === undefined) return "no_face_value";
      return face === "rate_missing" ? face : plus(times(face.value, onePlus(-(rule.valueBp ?? 0))), add);
  }
}

const floorOf = (rule: PriceRule, currency: string, landed: Fraction): Fraction =>
  plus(times(landed, onePlus(rule.minMarginBp)), toMinor(rule.minAmount, currency));

/** Decimal text in major units → an exact number of minor units, which need not be whole. */
function toMinor(amount: string, currency: string): Fraction {
  const value = parseDecimal(amount);
  if (value === undefined) throw new Error("an amount is not a decimal");
  return { num: value.num * 10n ** BigInt(minorUnitExponent(currency)), den: value.den };
}

/** Minor units of one currency in minor units of another. */
function convert(
  minor: Fraction,
  from: string,
  to: string,
  rates: RateTable,
): Landed | "rate_stale" | "rate_missing" {
  if (from === to) return { value: minor, rate: undefined };
  const answer = rates(from, to);
  if (answer.kind !== "rate") return answer.kind === "stale" ? "rate_stale" : "rate_missing";
  const scale = {
    num: 10n ** BigInt(minorUnitExponent(to)),
    den: 10n ** BigInt(minorUnitExponent(from)),
  };
  return { value: times(times(minor, answer.rate.value), scale), rate: answer.rate };
}
