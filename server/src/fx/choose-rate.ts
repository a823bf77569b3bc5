import { type Fraction, fraction, over, times } from "./fraction.ts";
import { type FxRate, fractionOf, PIVOT, RATE_SOURCES } from "./fx-rate.ts";

/** A rate in use: exact, with the rates that it was made from and the time of the oldest of them. */
export type ChosenRate = { value: Fraction; parts: readonly FxRate[]; at: Date; endsAt: Date };

/** What one unit of a currency is worth in another now, or why that is not known. */
export type RateAnswer = { kind: "rate"; rate: ChosenRate } | { kind: "stale" } | { kind: "missing" };

export type RateTable = (base: string, quote: string) => RateAnswer;

const SAME: ChosenRate = {
  value: fraction(1n),
  parts: [],
  at: new Date(0),
  endsAt: new Date(8_640_000_000_000_000),
};

/**
 * Answers for any pair, from the newest rate of each source and pair. The pair itself, either way round, comes before the way over the
 * euro. Among rates that are in force the strongest source wins, then the newest. A rate that is too old is never used.
 */
export function createRateTable(rates: readonly FxRate[], now: Date, maxAgeMs: number): RateTable {
  const byPair = Map.groupBy(newestOfEach(rates), ({ base, quote }) => `${base}/${quote}`);
  const answers = new Map<string, RateAnswer>();

  const direct = (base: string, quote: string): RateAnswer => {
    const straight = (byPair.get(`${base}/${quote}`) ?? []).map((one) => ({ one, value: fractionOf(one) }));
    const inverse = (byPair.get(`${quote}/${base}`) ?? []).map((one) => ({
      one,
      value: over(fraction(1n), fractionOf(one)),
    }));
    const known = [...straight, ...inverse];
    if (known.length === 0) return { kind: "missing" };
    const [best] = known
      .filter(({ one }) => endOf(one, maxAgeMs) > now)
      .sort((a, b) => strength(a.one) - strength(b.one) || b.one.at.getTime() - a.one.at.getTime());
    if (!best) return { kind: "stale" };
    const { one, value } = best;
    return { kind: "rate", rate: { value, parts: [one], at: one.at, endsAt: endOf(one, maxAgeMs) } };
  };

  const answer = (base: string, quote: string): RateAnswer => {
    if (base === quote) return { kind: "rate", rate: SAME };
    const own = direct(base, quote);
    if (own.kind === "rate" || base === PIVOT || quote === PIVOT) return own;
    const [first, second] = [direct(base, PIVOT), direct(PIVOT, quote)];
    if (first.kind === "rate" && second.kind === "rate")
      return { kind: "rate", rate: joined(first.rate, second.rate) };
    const isStale = own.kind === "stale" || (first.kind !== "missing" && second.kind !== "missing");
    return { kind: isStale ? "stale" : "missing" };
  };

  return (base, quote) => {
    const name = `${base}/${quote}`;
    const kept = answers.get(name) ?? answer(base, quote);
    answers.set(name, kept);
    return kept;
  };
}

const ANY_AGE_MS = 100 * 365 * 86_400_000;

/** The same, and where every rate is too old, the newest of any source: no rate to sell at, but good enough to notice a loss. */
export function createLastRateTable(rates: readonly FxRate[], now: Date, maxAgeMs: number): RateTable {
  const inForce = createRateTable(rates, now, maxAgeMs);
  const alike = rates.map((one): FxRate => ({ ...one, source: "reference", supplierId: null, until: null }));
  const last = createRateTable(alike, now, ANY_AGE_MS);
  return (base, quote) => {
    const answer = inForce(base, quote);
    return answer.kind === "rate" ? answer : last(base, quote);
  };
}

/** When a rate stops being used: at the end of its pin, otherwise when it is too old. */
export const endOf = ({ at, until }: FxRate, maxAgeMs: number): Date =>
  until ?? new Date(at.getTime() + maxAgeMs);

const strength = ({ source }: FxRate): number => RATE_SOURCES.indexOf(source);

const joined = (a: ChosenRate, b: ChosenRate): ChosenRate => ({
  value: times(a.value, b.value),
  parts: [...a.parts, ...b.parts],
  at: a.at < b.at ? a.at : b.at,
  endsAt: a.endsAt < b.endsAt ? a.endsAt : b.endsAt,
});

/** A newer rate of a source replaces the older one, also where that would be valid for longer. */
function newestOfEach(rates: readonly FxRate[]): FxRate[] {
  const newest = new Map<string, FxRate>();
  for (const one of rates) {
    const name = `${one.source} ${one.supplierId ?? ""} ${one.base}/${one.quote}`;
    const other = newest.get(name);
    const isNewer =
      other === undefined ||
      one.at > other.at ||
      (one.at.getTime() === other.at.getTime() && one.id > other.id);
    if (isNewer) newest.set(name, one);
  }
  return [...newest.values()];
}
