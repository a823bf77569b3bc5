import type { PriceRule, What, Who } from "./rule.ts";

/** What a rule asks of a product. */
export type RuledProduct = {
  id: string;
  brand: string | null;
  category: string | null;
  country: string | null;
};

/** A list in a currency, or a reseller with its list. */
export type PriceFor = { resellerId: string | null; priceList: string; currency: string };

export type RuleBook = {
  /** The one rule that sets this price, or undefined. Of a list, rules for single resellers are left out. */
  find(product: RuledProduct, target: PriceFor): PriceRule | undefined;
  /** Whether any rule is for this one reseller. */
  hasRulesFor(resellerId: string): boolean;
};

const WHATS_STRONGEST_FIRST: readonly What[] = ["product", "brand", "category", "all"];

/**
 * Rules that are in force, found by their scope. Precedence, in this order: who (reseller, list, all), what (product, brand,
 * category, all), a country before none. A scope has one rule at a time, so there is one winner.
 */
export function createRuleBook(rules: readonly PriceRule[]): RuleBook {
  const shelves = new Map<string, Map<string, PriceRule[]>>();
  const whats = new Map<string, Set<What>>();
  for (const rule of rules) {
    const owner = ownerKey(rule.who, rule.whoId);
    const shelf = shelves.get(owner) ?? new Map<string, PriceRule[]>();
    shelves.set(owner, shelf);
    whats.set(owner, (whats.get(owner) ?? new Set()).add(rule.what));
    const key = scopeKey(rule.what, rule.whatId, rule.country);
    shelf.set(key, [...(shelf.get(key) ?? []), rule]);
  }

  const findIn = (owner: string, product: RuledProduct, currency: string): PriceRule | undefined => {
    const shelf = shelves.get(owner);
    if (!shelf) return undefined;
    for (const what of WHATS_STRONGEST_FIRST) {
      if (!whats.get(owner)?.has(what)) continue;
      const whatId = memberOf(product, what);
      if (whatId === null) continue;
      for (const country of product.country ? [product.country, ""] : [""]) {
        const found = shelf
          .get(scopeKey(what, whatId, country))
          ?.find((rule) => rule.currency === "" || rule.currency === currency);
        if (found) return found;
      }
    }
    return undefined;
  };

  return {
    find: (product, { resellerId, priceList, currency }) =>
      (resellerId === null ? undefined : findIn(ownerKey("reseller", resellerId), product, currency)) ??
      findIn(ownerKey("list", priceList), product, currency) ??
      findIn(ownerKey("all", ""), product, currency),
    hasRulesFor: (resellerId) => shelves.has(ownerKey("reseller", resellerId)),
  };
}

const ownerKey = (who: Who, whoId: string): string => `${who} ${whoId}`;
const scopeKey = (what: What, whatId: string, country: string): string => `${what} ${country} ${whatId}`;

function memberOf(product: RuledProduct, what: What): string | null {
  switch (what) {
    case "product":
      return product.id;
    case "brand":
      return product.brand;
    case "category":
      return product.category;
    case "all":
      return "";
  }
}
