import assert from "node:assert/strict";
import { test } from "node:test";
import { type SlowInput, slowPrice } from "../../testing/pricing/slow-price.ts";
import { createRandom, type Random, SEED } from "../../testing/seed.ts";
import { createRateTable } from "../fx/choose-rate.ts";
import type { FxRate } from "../fx/fx-rate.ts";
import { createRuleBook } from "./choose-rule.ts";
import { roundPrice } from "./round-price.ts";
import { isInForce, type PriceRule, RULE_KINDS, WHAT, WHO } from "./rule.ts";
import { workOutPrice } from "./work-out-price.ts";

const CURRENCIES = ["USD", "EUR", "JPY", "KWD", "BHD"] as const;
const NOW = new Date("2030-01-15T12:00:00Z");
const HOUR_MS = 3_600_000;
const MAX_AGE_MS = 24 * HOUR_MS;
const ROUNDS = 3_000;

const decimalOf = (random: Random, digits: number, decimals: number): string =>
  `${random.below(10 ** digits)}.${String(random.below(10 ** decimals)).padStart(decimals, "0")}`;

function anyRates(random: Random): FxRate[] {
  return Array.from({ length: random.below(14) }, (_, index): FxRate => {
    const base = random.pick(CURRENCIES);
    const quote = random.pick(CURRENCIES.filter((one) => one !== base));
    const source = random.pick(["pin", "supplier", "reference"] as const);
    return {
      id: BigInt(index),
      base,
      quote,
      rate: `${random.below(200)}.${String(1 + random.below(9_998)).padStart(4, "0")}`,
      source,
      supplierId: source === "supplier" ? "sup_one" : null,
      at: new Date(NOW.getTime() - random.below(40) * HOUR_MS),
      until:
        source === "pin" && random.chance(0.5)
          ? new Date(NOW.getTime() + (random.below(9) - 4) * HOUR_MS)
          : null,
    };
  });
}

function anyRule(random: Random, index: number): PriceRule {
  const [who, what, kind] = [random.pick(WHO), random.pick(WHAT), random.pick(RULE_KINDS)];
  const time = () => (random.chance(0.3) ? new Date(NOW.getTime() + (random.below(9) - 4) * HOUR_MS) : null);
  return {
    id: `rul_${index}`,
    who,
    whoId: { all: "", list: random.pick(["gold", "tin"]), reseller: random.pick(["rsl_1", "rsl_2"]) }[who],
    what,
    whatId: { all: "", category: "games", brand: random.pick(["Nimbus", "Other"]), product: "card" }[what],
    country: random.chance(0.3) ? random.pick(["DE", "FR"]) : "",
    currency: kind === "fixed" ? random.pick(CURRENCIES) : random.chance(0.2) ? random.pick(CURRENCIES) : "",
    kind,
    valueBp: kind === "fixed" ? null : random.below(kind === "off_face" ? 10_001 : 3_000),
    amount: kind === "fixed" ? decimalOf(random, 3, 2) : null,
    addAmount: random.chance(0.3) ? decimalOf(random, 1, 2) : "0",
    minMarginBp: random.chance(0.5) ? random.below(800) : 0,
    minAmount: random.chance(0.2) ? decimalOf(random, 1, 3) : "0",
    rounding: random.pick(["", "", "0.01", "0.05", "x.99", "x.49", "1", "0.5"]),
    mayExceedFace: random.chance(0.6),
    validFrom: time(),
    validTo: time(),
  };
}

/** As the database has it: no two rules of one scope. */
const withoutTies = (rules: readonly PriceRule[]): PriceRule[] => [
  ...new Map(
    rules.map((one) => [[one.who, one.whoId, one.what, one.whatId, one.country].join(), one]),
  ).values(),
];

function anyInput(random: Random): SlowInput {
  const resellerId = random.chance(0.5) ? random.pick(["rsl_1", "rsl_2", "rsl_3"]) : null;
  return {
    rules: withoutTies(Array.from({ length: 1 + random.below(12) }, (_, index) => anyRule(random, index))),
    product: {
      id: random.pick(["card", "card", "coin"]),
      brand: random.pick(["Nimbus", "Other", null]),
      category: random.pick(["games", null]),
      country: random.pick(["DE", "FR", null]),
      face: random.chance(0.8)
        ? { amount: decimalOf(random, 3, 2), currency: random.pick(CURRENCIES) }
        : undefined,
    },
    target: {
      resellerId,
      priceList: random.pick(["gold", "tin", "standard"]),
      currency: random.pick(CURRENCIES),
    },
    cost: random.chance(0.8)
      ? { amountMinor: BigInt(random.below(200_000)), currency: random.pick(CURRENCIES) }
      : undefined,
    rates: anyRates(random),
    now: NOW,
    maxAgeMs: MAX_AGE_MS,
  };
}

function quickPrice(input: SlowInput): { rule: string; amountMinor: bigint } | string {
  const book = createRuleBook(input.rules.filter((one) => isInForce(one, input.now)));
  const rule = book.find(input.product, input.target);
  if (!rule) return "no rule";
  const rates = createRateTable(input.rates, input.now, input.maxAgeMs);
  const { currency } = input.target;
  const { cost, product } = input;
  const worked = workOutPrice({ rule, cost, face: product.face, currency, rates, bufferBp: 0 });
  return worked.kind === "price" ? { rule: rule.id, amountMinor: worked.amountMinor } : worked.reason;
}

test(`a price is what a slow reference in exact fractions says, for random rules, rates, costs and currencies (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const input = anyInput(random);
    const expected = slowPrice(input);
    assert.deepEqual(quickPrice(input), expected, `round ${round} of seed ${SEED}`);
    const name = typeof expected === "string" ? expected : "price";
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  for (const name of [
    "price",
    "no rule",
    "no_cost",
    "no_face_value",
    "rate_stale",
    "rate_missing",
    "above_face",
  ])
    assert.ok((seen.get(name) ?? 0) > 5, `${name} came up ${seen.get(name) ?? 0} times (seed ${SEED})`);
});

test("rounding goes up to the increment or the ending, as far as the currency has it", () => {
  const minor = (num: bigint) => ({ num, den: 10n });
  const cases: [bigint, string, string, bigint][] = [
    [9_401n, "", "USD", 941n],
    [9_410n, "", "USD", 941n],
    [9_410n, "0.05", "USD", 945n],
    [9_450n, "0.05", "USD", 945n],
    [9_410n, "x.99", "USD", 999n],
    [9_991n, "x.99", "USD", 1_099n],
    [9_401n, "x.99", "KWD", 990n],
    [9_905n, "x.99", "KWD", 1_990n],
    [9_401n, "x.99", "JPY", 941n],
    [9_401n, "0.05", "JPY", 941n],
    [9_401n, "50", "JPY", 950n],
    [0n, "x.99", "USD", 99n],
  ];
  for (const [num, rounding, currency, expected] of cases)
    assert.equal(roundPrice(minor(num), rounding, currency), expected, `${num} ${rounding} ${currency}`);
});

test("a buffer is added to what is converted, and to nothing else", () => {
  const at = new Date(NOW.getTime() - HOUR_MS);
  const rate = {
    id: 1n,
    base: "USD",
    quote: "EUR",
    rate: "0.9215",
    source: "pin",
    supplierId: null,
    at,
    until: null,
  } as const;
  const rates = createRateTable([rate], NOW, MAX_AGE_MS);
  const rule = {
    ...anyRule(createRandom(1), 1),
    kind: "over_cost",
    valueBp: 0,
    addAmount: "0",
    minAmount: "0",
  } as const;
  const plain = { ...rule, rounding: "", minMarginBp: 0, mayExceedFace: true };
  const price = (currency: string) => {
    const cost = { amountMinor: 10_000n, currency: "USD" };
    const worked = workOutPrice({ rule: plain, cost, face: undefined, currency, rates, bufferBp: 100 });
    return worked.kind === "price" ? worked.amountMinor : worked.reason;
  };
  assert.equal(price("EUR"), 9_308n, "100.00 × 0.9215 × 1.01 = 93.0715, rounded up");
  assert.equal(price("USD"), 10_000n);
});

test("a price of exactly the face value is sold, and one minor unit more is not unless the rule says so", () => {
  const rates = createRateTable([], NOW, MAX_AGE_MS);
  const face = { amount: "25.00", currency: "USD" };
  const price = (amount: string, mayExceedFace = false) => {
    const drawn = anyRule(createRandom(1), 1);
    const fixed = {
      kind: "fixed",
      valueBp: null,
      amount,
      addAmount: "0",
      rounding: "",
      mayExceedFace,
    } as const;
    const rule = { ...drawn, ...fixed, currency: "USD" };
    const worked = workOutPrice({ rule, cost: undefined, face, currency: "USD", rates, bufferBp: 0 });
    return worked.kind === "price" ? worked.amountMinor : worked.reason;
  };
  assert.deepEqual([price("25.00"), price("25.01"), price("25.01", true)], [2_500n, "above_face", 2_501n]);
});
