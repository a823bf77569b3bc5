import { checkListName } from "../catalog/prices/price-row.ts";
import { parseDecimal } from "../fx/fraction.ts";
import { parseCurrency } from "../lib/currencies.ts";
import { parseAmount, plainAmount } from "../lib/money.ts";
import { parsePercent } from "../lib/percent.ts";
import { parseRounding } from "./round-price.ts";
import { type PriceRule, RULE_KINDS, type RuleKind, WHAT, WHO, type What, type Who } from "./rule.ts";

/** A rule as a person writes it (CONTRACT 8). */
export type RuleText = {
  for: string;
  on: string;
  country?: string | undefined;
  currency?: string | undefined;
  kind: string;
  value: string;
  add?: string | undefined;
  minMargin?: string | undefined;
  minAmount?: string | undefined;
  round?: string | undefined;
  mayExceedFace?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

const NAME_MAX_CHARACTERS = 200;
const WHOLE_DIGITS_MAX = 13;
const DECIMALS_MAX = 4;

/** Reads what can be read without the database. The currency of a fixed price can still be missing. */
export function parseRule(text: RuleText): Omit<PriceRule, "id"> {
  const kind = parseKind(text.kind);
  const isFixed = kind === "fixed";
  if (text.from !== undefined && text.to !== undefined && text.from >= text.to)
    throw new RangeError("--from must be before --to");
  const currency = text.currency === undefined ? undefined : parseCurrency(text.currency);
  return {
    ...parseWho(text.for),
    ...parseWhat(text.on),
    country: parseCountry(text.country),
    currency: currency ?? "",
    kind,
    valueBp: isFixed ? null : parseValue(kind, text.value),
    amount: isFixed ? parsePositive(text.value, "--value of a fixed price", currency) : null,
    addAmount: parseAmountText(text.add ?? "0", "--add", currency),
    minMarginBp: text.minMargin === undefined ? 0 : parsePercent(text.minMargin, "--min-margin"),
    minAmount: parseAmountText(text.minAmount ?? "0", "--min-amount", currency),
    rounding: text.round === undefined ? "" : parseRounding(text.round),
    mayExceedFace: text.mayExceedFace ?? false,
    validFrom: text.from ?? null,
    validTo: text.to ?? null,
  };
}

function parseKind(text: string): RuleKind {
  const kind = RULE_KINDS.find((known) => known === text);
  if (!kind) throw new RangeError(`--kind must be ${RULE_KINDS.join(", ")}, not "${text}"`);
  return kind;
}

function parseWho(text: string): { who: Who; whoId: string } {
  const { word, rest } = split(text);
  const who = WHO.find((known) => known === word);
  if (!who || (who === "all") !== (rest === ""))
    throw new RangeError(`--for must be all, list:NAME or reseller:ID, not "${text}"`);
  if (who === "list") checkListName(rest);
  return { who, whoId: rest };
}

function parseWhat(text: string): { what: What; whatId: string } {
  const { word, rest } = split(text);
  const what = WHAT.find((known) => known === word);
  if (!what || (what === "all") !== (rest === "") || rest.length > NAME_MAX_CHARACTERS)
    throw new RangeError(`--on must be all, category:C, brand:B or product:ID, not "${text}"`);
  return { what, whatId: rest };
}

const split = (text: string): { word: string; rest: string } => {
  const at = text.indexOf(":");
  return at < 0 ? { word: text, rest: "" } : { word: text.slice(0, at), rest: text.slice(at + 1) };
};

function parseCountry(text: string | undefined): string {
  if (text === undefined || /^[A-Z]{2}$/.test(text)) return text ?? "";
  throw new RangeError(`"${text}" is not a country such as DE (ISO 3166-1 alpha-2)`);
}

function parseValue(kind: RuleKind, text: string): number {
  const basisPoints = parsePercent(text, "--value");
  if (kind === "off_face" && basisPoints > 10_000)
    throw new RangeError("--value of off_face must be at most 100%");
  return basisPoints;
}

function parseAmountText(given: string, option: string, currency: string | undefined): string {
  const text = plainAmount(given, currency);
  const [whole = "", decimals = ""] = text.split(".");
  if (parseDecimal(text) === undefined || whole.length > WHOLE_DIGITS_MAX || decimals.length > DECIMALS_MAX)
    throw new RangeError(`${option} must be an amount such as 0.10, not "${given}"`);
  return text;
}

function parsePositive(text: string, option: string, currency: string | undefined): string {
  const amount = parseAmountText(text, option, currency);
  if (parseDecimal(amount)?.num === 0n) throw new RangeError(`${option} must be more than zero`);
  return amount;
}

/** A fixed price must be a whole number of the currency's smallest unit. */
export function checkFixedAmount({ amount, currency }: Pick<PriceRule, "amount" | "currency">): void {
  if (amount !== null) parseAmount(amount, currency);
}
