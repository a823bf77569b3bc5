import type { ChosenRate } from "../fx/choose-rate.ts";
import { formatDecimal } from "../fx/fraction.ts";
import { formatAmount, toMoney } from "../lib/money.ts";
import { sayPercent } from "../lib/percent.ts";
import type { Explained } from "./explain-price.ts";
import { SALE_WORDS, type SaleReason } from "./not-for-sale.ts";
import { type PriceRule, sayRule, sayWhat, sayWho } from "./rule.ts";
import type { Unsellable } from "./work-out-price.ts";

const RATE_DECIMALS = 12;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const UNSELLABLE_SAID: Readonly<Record<Unsellable, string>> = {
  no_cost: "no route has a cost",
  no_face_value: "the face value is not money",
  rate_stale: "the exchange rate is too old",
  rate_missing: "there is no exchange rate",
  above_face: "the price is above the face value",
  out_of_range: "the price is zero or too large",
};

/** What `scrip price explain --json` prints (CONTRACT 8). */
export function toExplanation(explained: Explained) {
  const { currency, rule, isByHand, cost, rate, floorReached, unsellable } = explained;
  const money = (minor: bigint | null) => (minor === null ? null : moneyView(minor, currency));
  return {
    productId: explained.productId,
    resellerId: explained.target.resellerId,
    price: money(explained.priceMinor),
    published: money(explained.publishedMinor),
    publishedFrom: explained.publishedFrom,
    rule: rule ? ruleView(rule) : isByHand ? { id: null, kind: "fixed", byHand: true } : null,
    cost: cost
      ? {
          ...moneyView(cost.amountMinor, cost.currency),
          supplierId: cost.supplierId,
          learntAt: cost.learntAt.toISOString(),
        }
      : null,
    rate: rate ? rateView(rate, cost?.currency ?? "", currency, explained.now) : null,
    landed: money(explained.landedMinor),
    floor: money(explained.floorMinor),
    floorReached,
    ...(unsellable === undefined ? {} : { unsellable }),
    ...(explained.blocked === undefined ? {} : { notForSale: explained.blocked }),
    sentence: sayPrice(explained),
  };
}

export const moneyView = (amountMinor: bigint, currency: string) => ({
  ...toMoney(amountMinor, currency),
  amountText: formatAmount(amountMinor, currency),
});

const rateView = (rate: ChosenRate, from: string, to: string, now: Date) => ({
  pair: `${from}/${to}`,
  rate: formatDecimal(rate.value, RATE_DECIMALS),
  source: rate.parts.map(({ source }) => source).join("+"),
  at: rate.at.toISOString(),
  ageSeconds: Math.max(0, Math.floor((now.getTime() - rate.at.getTime()) / 1_000)),
});

/** A rule as `--json` and pages show it. */
export const ruleView = (rule: PriceRule) => ({
  id: rule.id,
  for: sayWho(rule),
  on: sayWhat(rule),
  ...(rule.country === "" ? {} : { country: rule.country }),
  ...(rule.currency === "" ? {} : { currency: rule.currency }),
  kind: rule.kind,
  value: rule.amount ?? sayPercent(rule.valueBp ?? 0),
  ...(Number(rule.addAmount) === 0 ? {} : { add: rule.addAmount }),
  ...(rule.minMarginBp === 0 ? {} : { minMargin: sayPercent(rule.minMarginBp) }),
  ...(Number(rule.minAmount) === 0 ? {} : { minAmount: rule.minAmount }),
  ...(rule.rounding === "" ? {} : { round: rule.rounding }),
  ...(rule.mayExceedFace ? { allowAboveFace: true } : {}),
  ...(rule.validFrom === null ? {} : { from: rule.validFrom.toISOString() }),
  ...(rule.validTo === null ? {} : { to: rule.validTo.toISOString() }),
});

/** The one sentence: rule, cost, rate with its age, floor, result. */
export function sayPrice(explained: Explained): string {
  const { currency, priceMinor, rule, isByHand, unsellable } = explained;
  const { resellerId, priceList } = explained.target;
  const name = `${explained.productId} for ${resellerId ?? `list ${priceList} in ${currency}`}`;
  if (!rule && !isByHand) {
    const rate = unsellable === undefined ? "" : `, and ${UNSELLABLE_SAID[unsellable]}`;
    return `${name} has no price: no rule applies, and none was set by hand${rate}.`;
  }
  const why = isByHand ? "set by hand" : sayWinner(rule);
  const result =
    priceMinor === null
      ? `cannot be sold, because ${unsellable === undefined ? "it has no price" : UNSELLABLE_SAID[unsellable]}`
      : `costs ${formatAmount(priceMinor, currency)} ${currency}`;
  const parts = [
    `${name} ${result}: ${why}`,
    ...sayCost(explained),
    ...sayFloor(explained),
    ...sayPublished(explained),
  ];
  return `${parts.join("; ")}.`;
}

const sayWinner = (rule: PriceRule | undefined): string =>
  rule
    ? `${sayRule(rule)}, by ${rule.id} for ${sayWho(rule)} on ${sayWhat(rule)}${rule.country === "" ? "" : ` in ${rule.country}`}${rule.rounding === "" ? "" : `, rounded up to ${rule.rounding}`}`
    : "";

function sayCost({ cost, rate, landedMinor, currency, now }: Explained): string[] {
  if (!cost) return ["no route has a cost"];
  const paid = `cost ${formatAmount(cost.amountMinor, cost.currency)} ${cost.currency}`;
  if (landedMinor === null) return [paid];
  if (!rate) return [`${paid}, which is the landed cost`];
  const value = formatDecimal(rate.value, RATE_DECIMALS);
  const age = sayAge(now.getTime() - rate.at.getTime());
  return [
    `${paid} at ${value} ${cost.currency}/${currency} (${rate.parts.map(({ source }) => source).join(" and ")}, ${age} old) is landed at ${formatAmount(landedMinor, currency)} ${currency}`,
  ];
}

function sayFloor({ floorMinor, floorReached, currency, isByHand }: Explained): string[] {
  if (floorMinor === null) return [];
  const floor = `${formatAmount(floorMinor, currency)} ${currency}`;
  if (!floorReached) return [`the floor is ${floor}`];
  return [isByHand ? `below the floor of ${floor}` : `raised to the floor of ${floor}`];
}

/** What orders pay, where that is something else: the price before, or that of the list while the reseller never had its own. */
function sayPublished({ priceMinor, publishedMinor, publishedFrom, target, currency }: Explained): string[] {
  if (priceMinor === publishedMinor) return [];
  if (publishedMinor === null) return ["orders cannot buy it until this price is published"];
  const whose =
    publishedFrom === "reseller" ? "its own price so far" : `the price of the list ${target.priceList}`;
  const until = priceMinor === null ? "until it has another" : "until this one is published";
  return [`orders pay ${formatAmount(publishedMinor, currency)} ${currency}, ${whose}, ${until}`];
}

/** What keeps orders from buying it at any price, as a sentence. */
export const sayBlocked = (blocked: SaleReason): string =>
  `It cannot be bought now, because ${SALE_WORDS[blocked].because}.`;

const sayAge = (ageMs: number): string => {
  if (ageMs < MINUTE_MS) return `${Math.max(0, Math.floor(ageMs / 1_000))} s`;
  return ageMs < HOUR_MS ? `${Math.floor(ageMs / MINUTE_MS)} min` : `${Math.floor(ageMs / HOUR_MS)} h`;
};
