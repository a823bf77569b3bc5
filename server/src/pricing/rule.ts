import { sayPercent } from "../lib/percent.ts";

/** For whom a rule sets prices, strongest last. */
export const WHO = ["all", "list", "reseller"] as const;
export type Who = (typeof WHO)[number];

/** For which products, strongest last. */
export const WHAT = ["all", "category", "brand", "product"] as const;
export type What = (typeof WHAT)[number];

export const RULE_KINDS = ["fixed", "off_face", "over_cost"] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** A price rule (CONTRACT 8). Amounts are exact decimal text in major units; percents are basis points. */
export type PriceRule = {
  id: string;
  who: Who;
  /** The price list or the reseller; empty for all. */
  whoId: string;
  what: What;
  whatId: string;
  /** ISO 3166-1 alpha-2; empty for any. */
  country: string;
  /** Empty: amounts are in the currency of the price. */
  currency: string;
  kind: RuleKind;
  valueBp: number | null;
  amount: string | null;
  addAmount: string;
  minMarginBp: number;
  minAmount: string;
  /** "0.05", or "x.99" for prices that end in .99; empty for the smallest unit of the currency. */
  rounding: string;
  mayExceedFace: boolean;
  validFrom: Date | null;
  validTo: Date | null;
};

/** "reseller:rsl_…", as the command takes it. */
export const sayWho = ({ who, whoId }: Pick<PriceRule, "who" | "whoId">): string =>
  who === "all" ? who : `${who}:${whoId}`;
export const sayWhat = ({ what, whatId }: Pick<PriceRule, "what" | "whatId">): string =>
  what === "all" ? what : `${what}:${whatId}`;

/** What the rule does, such as "4.5% above landed cost plus 0.10". */
export function sayRule({ kind, valueBp, amount, addAmount, currency }: PriceRule): string {
  const plus = Number(addAmount) === 0 ? "" : ` plus ${addAmount}`;
  switch (kind) {
    case "fixed":
      return `fixed at ${amount} ${currency}${plus}`;
    case "off_face":
      return `${sayPercent(valueBp ?? 0)} below face value${plus}`;
    case "over_cost":
      return `${sayPercent(valueBp ?? 0)} above landed cost${plus}`;
  }
}

/** The lowest price that the rule gives, such as "1% + 0.05 above landed cost"; empty where there is none. */
export function sayFloor({ minMarginBp, minAmount, currency }: PriceRule): string {
  const amount = Number(minAmount) === 0 ? "" : `${minAmount}${currency === "" ? "" : ` ${currency}`}`;
  const parts = [minMarginBp === 0 ? "" : sayPercent(minMarginBp), amount].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join(" + ")} above landed cost`;
}

export const isInForce = ({ validFrom, validTo }: PriceRule, now: Date): boolean =>
  (validFrom === null || validFrom <= now) && (validTo === null || validTo > now);
