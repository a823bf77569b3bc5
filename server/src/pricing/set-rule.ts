import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Queryable } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { checkFixedAmount, parseRule, type RuleText } from "./parse-rule.ts";
import { type PriceRule, sayRule, sayWhat, sayWho } from "./rule.ts";
import {
  findFaceCurrency,
  findResellerCurrency,
  insertRule,
  listWalletCurrencies,
  lockRivals,
  markRuleRemoved,
} from "./rule-queries.ts";

/**
 * Sets the rule of a scope. A rule of the same scope and the same period is removed in the same transaction. One whose period
 * only overlaps is in the way, because there would be two winners.
 */
export async function setRule(db: Db, clock: Clock, by: By, text: RuleText): Promise<PriceRule> {
  const parsed = parseRule(text);
  return db.transaction(async (tx) => {
    const currency = await resolveCurrency(tx, parsed);
    const rule: PriceRule = { ...parsed, currency, id: idsOf(clock)("rul") };
    checkFixedAmount(rule);
    const now = clock.now();
    for (const rival of await lockRivals(tx, rule)) {
      if (!isSamePeriod(rival, rule) || rival.currency !== rule.currency)
        throw new RangeError(
          `${rival.id} has the same scope in an overlapping period; remove it first: scrip rule remove ${rival.id}`,
        );
      await markRuleRemoved(tx, rival.id, now);
    }
    await insertRule(tx, rule, now);
    await recordActivity(tx, clock, {
      ...by,
      action: "rule.set",
      object: { kind: "rule", id: rule.id },
      after: { for: sayWho(rule), on: sayWhat(rule), country: rule.country, price: sayRule(rule) },
    });
    return rule;
  });
}

export async function removeRule(db: Db, clock: Clock, by: By, id: string): Promise<PriceRule> {
  return db.transaction(async (tx) => {
    const rule = await markRuleRemoved(tx, id, clock.now());
    if (!rule) throw new RangeError(`there is no rule "${id}"; see: scrip rule list`);
    await recordActivity(tx, clock, {
      ...by,
      action: "rule.removed",
      object: { kind: "rule", id },
      before: { for: sayWho(rule), on: sayWhat(rule), country: rule.country, price: sayRule(rule) },
    });
    return rule;
  });
}

const isSamePeriod = (a: PriceRule, b: PriceRule): boolean =>
  a.validFrom?.getTime() === b.validFrom?.getTime() && a.validTo?.getTime() === b.validTo?.getTime();

/** Checks that reseller and product exist, and finds the currency of a fixed price where there is only one. */
async function resolveCurrency(db: Queryable, rule: Omit<PriceRule, "id">): Promise<string> {
  const face = rule.what === "product" ? await findFaceCurrency(db, rule.whatId) : undefined;
  if (rule.what === "product" && face === undefined)
    throw new RangeError(`there is no product "${rule.whatId}"`);
  const wallet = rule.who === "reseller" ? await findResellerCurrency(db, rule.whoId) : undefined;
  if (rule.who === "reseller" && wallet === undefined)
    throw new RangeError(`there is no reseller "${rule.whoId}"`);
  if (wallet !== undefined && rule.currency !== "" && rule.currency !== wallet)
    throw new RangeError(`the wallet of ${rule.whoId} is in ${wallet}, so its prices must be too`);
  if (rule.kind !== "fixed" || rule.currency !== "") return rule.currency;
  if (wallet !== undefined) return wallet;
  const used = await listWalletCurrencies(db, rule.who === "list" ? rule.whoId : null);
  const [only] = used;
  if (used.length === 1 && only !== undefined) return only;
  if (used.length === 0 && face !== undefined) return face;
  throw new RangeError(
    used.length === 0
      ? "set --currency: no reseller pays this price yet"
      : `set --currency: resellers pay this price in ${used.join(", ")}`,
  );
}
