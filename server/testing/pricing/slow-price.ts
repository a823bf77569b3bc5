import type { FxRate } from "../../src/fx/fx-rate.ts";
import type { PriceFor, RuledProduct } from "../../src/pricing/choose-rule.ts";
import type { PriceRule } from "../../src/pricing/rule.ts";

/**
 * The price of CONTRACT 8, written a second time: slowly, from the text, and sharing no code with the product. Numbers are pairs of
 * integers in lowest terms, in major units.
 */
export type Ratio = [bigint, bigint];

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
const ratio = (top: bigint, bottom: bigint): Ratio => {
  const by = gcd(top, bottom) || 1n;
  return [top / by, bottom / by];
};
const mul = ([a, b]: Ratio, [c, d]: Ratio): Ratio => ratio(a * c, b * d);
const add = ([a, b]: Ratio, [c, d]: Ratio): Ratio => ratio(a * d + c * b, b * d);
const isLess = ([a, b]: Ratio, [c, d]: Ratio): boolean => a * d < c * b;
const decimal = (text: string): Ratio => {
  const [whole = "0", rest = ""] = text.split(".");
  return ratio(BigInt(whole + rest), BigInt(`1${"0".repeat(rest.length)}`));
};
const percent = (basisPoints: number): Ratio => ratio(BigInt(basisPoints), 10_000n);

const UNITS: Readonly<Record<string, bigint>> = { USD: 100n, EUR: 100n, JPY: 1n, KWD: 1000n, BHD: 1000n };

export type SlowInput = {
  rules: readonly PriceRule[];
  product: RuledProduct & { face: { amount: string; currency: string } | undefined };
  target: PriceFor;
  cost: { amountMinor: bigint; currency: string } | undefined;
  rates: readonly FxRate[];
  now: Date;
  maxAgeMs: number;
};

export function slowPrice(input: SlowInput): { rule: string; amountMinor: bigint } | string {
  const rule = slowRule(input);
  if (!rule) return "no rule";
  const { currency } = input.target;
  const units = UNITS[currency] as bigint;
  let landed: Ratio | undefined;
  if (input.cost) {
    const rate = slowRate(input, input.cost.currency, currency);
    if (typeof rate === "string") return rate;
    landed = mul(ratio(input.cost.amountMinor, UNITS[input.cost.currency] as bigint), rate);
  }
  let face: Ratio | string | undefined;
  if (input.product.face) {
    const rate = slowRate(input, input.product.face.currency, currency);
    if (rate === "rate_stale") return rate;
    face = typeof rate === "string" ? rate : mul(decimal(input.product.face.amount), rate);
  }
  let ruled: Ratio;
  if (rule.kind === "fixed") ruled = decimal(rule.amount as string);
  else if (rule.kind === "over_cost") {
    if (!landed) return "no_cost";
    ruled = add(landed, mul(landed, percent(rule.valueBp as number)));
  } else {
    if (face === undefined) return "no_face_value";
    if (typeof face === "string") return face;
    ruled = add(face, mul(face, percent(-(rule.valueBp as number))));
  }
  ruled = add(ruled, decimal(rule.addAmount));
  let price = firstNotBelow(ruled, units, (minor) => isAllowed(minor, rule.rounding, units));
  if (landed) {
    const least = add(add(landed, mul(landed, percent(rule.minMarginBp))), decimal(rule.minAmount));
    const floor = firstNotBelow(least, units, () => true);
    if (floor > price) price = floor;
  }
  if (price < 1n) return "out_of_range";
  if (typeof face === "object" && isLess(face, ratio(price, units)) && !rule.mayExceedFace)
    return "above_face";
  return { rule: rule.id, amountMinor: price };
}

/** Tries one amount after the other. */
function firstNotBelow(least: Ratio, units: bigint, isGood: (minor: bigint) => boolean): bigint {
  let minor = (least[0] * units) / least[1];
  while (isLess(ratio(minor, units), least) || !isGood(minor)) minor += 1n;
  return minor;
}

function isAllowed(minor: bigint, rounding: string, units: bigint): boolean {
  if (rounding === "") return true;
  if (rounding.startsWith("x."))
    return units < 100n || (minor % units) * 100n === BigInt(rounding.slice(2)) * units;
  const [top, bottom] = mul(decimal(rounding), [units, 1n]);
  // The currency has no such increment.
  return bottom !== 1n || minor % top === 0n;
}

function slowRule({ rules, product, target, now }: SlowInput): PriceRule | undefined {
  const rank = ({ who, what, country }: PriceRule): number =>
    ["all", "list", "reseller"].indexOf(who) * 100 +
    ["all", "category", "brand", "product"].indexOf(what) * 10 +
    (country === "" ? 0 : 1);
  return rules
    .filter((rule) => {
      const isFor =
        rule.who === "all" ||
        (rule.who === "list" ? rule.whoId === target.priceList : rule.whoId === target.resellerId);
      const member = { product: product.id, brand: product.brand, category: product.category, all: "" }[
        rule.what
      ];
      return (
        isFor &&
        rule.whatId === member &&
        (rule.country === "" || rule.country === product.country) &&
        (rule.currency === "" || rule.currency === target.currency) &&
        (rule.validFrom === null || rule.validFrom.getTime() <= now.getTime()) &&
        (rule.validTo === null || rule.validTo.getTime() > now.getTime())
      );
    })
    .sort((a, b) => rank(b) - rank(a))[0];
}

function slowRate(input: SlowInput, from: string, to: string): Ratio | "rate_stale" | "rate_missing" {
  if (from === to) return [1n, 1n];
  const own = slowDirect(input, from, to);
  if (typeof own === "object") return own;
  const legs = [slowDirect(input, from, "EUR"), slowDirect(input, "EUR", to)];
  const [first, second] = legs;
  if (from !== "EUR" && to !== "EUR") {
    if (typeof first === "object" && typeof second === "object") return mul(first, second);
    if (legs.every((leg) => leg !== "rate_missing")) return "rate_stale";
  }
  return own;
}

/** The newest of the strongest source that has not ended. */
function slowDirect(
  { rates, now, maxAgeMs }: SlowInput,
  from: string,
  to: string,
): Ratio | "rate_stale" | "rate_missing" {
  const about = rates.filter(
    ({ base, quote }) => (base === from && quote === to) || (base === to && quote === from),
  );
  if (about.length === 0) return "rate_missing";
  for (const source of ["pin", "supplier", "reference"]) {
    const pairs = [`${from}/${to}`, `${to}/${from}`].flatMap((pair) => {
      const ofPair = about.filter((one) => one.source === source && `${one.base}/${one.quote}` === pair);
      const newest = ofPair.sort((a, b) => b.at.getTime() - a.at.getTime() || Number(b.id - a.id))[0];
      if (!newest) return [];
      const ends = newest.until?.getTime() ?? newest.at.getTime() + maxAgeMs;
      return ends > now.getTime() ? [newest] : [];
    });
    const best = pairs.sort((a, b) => b.at.getTime() - a.at.getTime())[0];
    if (best) {
      const [top, bottom] = decimal(best.rate);
      return best.base === from ? [top, bottom] : [bottom, top];
    }
  }
  return "rate_stale";
}
