import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuleBook } from "./choose-rule.ts";
import type { PriceRule } from "./rule.ts";

const PRODUCT = { id: "card", brand: "Acme", category: "games", country: "DE" };
const TARGET = { resellerId: "rsl_1", priceList: "standard", currency: "EUR" };

const rule = (id: string, scope: Partial<PriceRule>): PriceRule =>
  ({ id, who: "all", whoId: "", what: "all", whatId: "", country: "", currency: "", ...scope }) as PriceRule;

/** From the strongest to the weakest. */
const RULES = [
  rule("reseller", { who: "reseller", whoId: "rsl_1" }),
  rule("list, product in country", {
    who: "list",
    whoId: "standard",
    what: "product",
    whatId: "card",
    country: "DE",
  }),
  rule("list, product", { who: "list", whoId: "standard", what: "product", whatId: "card" }),
  rule("list, brand", { who: "list", whoId: "standard", what: "brand", whatId: "Acme" }),
  rule("list, category", { who: "list", whoId: "standard", what: "category", whatId: "games" }),
  rule("list", { who: "list", whoId: "standard" }),
  rule("all, product", { what: "product", whatId: "card" }),
  rule("all", {}),
];

test("who counts before what, what before country, and the strongest rule wins", () => {
  for (const [index, { id }] of RULES.entries()) {
    const book = createRuleBook(RULES.slice(index).toReversed());
    assert.equal(book.find(PRODUCT, TARGET)?.id, id);
  }
});

test("a rule for one reseller sets no price of a list, and a rule of another currency none at all", () => {
  const book = createRuleBook(RULES);
  assert.equal(book.find(PRODUCT, { ...TARGET, resellerId: null })?.id, "list, product in country");
  assert.deepEqual([book.hasRulesFor("rsl_1"), book.hasRulesFor("rsl_2")], [true, false]);
  const dollars = createRuleBook([rule("dollars", { currency: "USD" })]);
  assert.equal(dollars.find(PRODUCT, TARGET), undefined);
});
