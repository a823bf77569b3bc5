import { lockCatalog } from "../catalog/lock-catalog.ts";
import type { Db } from "../db/database.ts";
import { createRateTable, endOf } from "../fx/choose-rate.ts";
import type { FxRate } from "../fx/fx-rate.ts";
import { listCurrentRates } from "../fx/queries.ts";
import type { Clock } from "../lib/clock.ts";
import type { PricingConfig } from "../lib/settings/pricing-config.ts";
import { writeJudged } from "./apply-queries.ts";
import { createRuleBook, type PriceFor, type RuleBook } from "./choose-rule.ts";
import { type Acts, judgePrices } from "./judge-queries.ts";
import {
  awaitPricing,
  deleteChanges,
  findNextChange,
  listEnabledRoutes,
  listOwnTargets,
  listProductsAfter,
  listProductsById,
  listTargets,
  lockPricing,
  markNextChange,
  type PricedProductRow,
  readChanges,
} from "./recompute-queries.ts";
import { isInForce, type PriceRule } from "./rule.ts";
import { listRules } from "./rule-queries.ts";
import { type Worth, workOutChunk } from "./work-out-chunk.ts";

export type RecomputeDeps = { db: Db; clock: Clock; settings: PricingConfig["pricing"] };

/** A chunk is one transaction. With twenty lists it has 20,000 prices. */
const PRODUCTS_AT_ONCE = 1_000;
const CHANGES_MAX = 10_000;

export type Recomputed = { products: number; prices: number } & Required<
  Pick<Acts, "publish" | "withhold" | "propose">
>;

/**
 * Works out the prices of what has changed: publishes small moves, withholds what must not be sold, and proposes the rest. What
 * changed is forgotten in the transaction of the last chunk, so a crash repeats work and loses none. One process does it at a
 * time; the others leave it to that one.
 */
export async function recomputeChanged(deps: RecomputeDeps): Promise<Recomputed | undefined> {
  const now = deps.clock.now();
  const { places, productIds } = await readChanges(deps.db, CHANGES_MAX);
  const nextChange = await findNextChange(deps.db);
  const isTime = nextChange !== undefined && nextChange <= now;
  if (places.length === 0 && !isTime) return undefined;
  return recompute(deps, isTime || productIds.includes("") ? "all" : productIds, places, false);
}

/** The same for all products, for a person who waits for it. */
export async function recomputeAll(deps: RecomputeDeps): Promise<Recomputed> {
  const { places } = await readChanges(deps.db, CHANGES_MAX);
  const done = await recompute(deps, "all", places, true);
  if (!done) throw new Error("prices were not worked out");
  return done;
}

async function recompute(
  deps: RecomputeDeps,
  which: "all" | readonly string[],
  places: readonly string[],
  mustRun: boolean,
): Promise<Recomputed | undefined> {
  return deps.db.transaction(async (guard) => {
    if (mustRun) await awaitPricing(guard);
    else if (!(await lockPricing(guard))) return undefined;
    const done: Recomputed = { products: 0, prices: 0, publish: 0, withhold: 0, propose: 0 };
    const pass = await openPass(deps);
    for await (const products of chunksOf(deps.db, which)) {
      const { acts, prices } = await recomputeChunk(deps, pass, products);
      done.products += products.length;
      done.prices += prices;
      for (const act of ["publish", "withhold", "propose"] as const) done[act] += acts[act] ?? 0;
    }
    if (places.length > 0) await deleteChanges(guard, places);
    if (which === "all") await markNextChange(guard, pass.nextChange, pass.now);
    return done;
  });
}

type Pass = {
  now: Date;
  worth: Worth;
  book: RuleBook;
  targets: readonly PriceFor[];
  ruledResellers: readonly string[];
  nextChange: Date | undefined;
};

/** Rules, rates and lists are read once: a change during the pass is noted, and makes another one. */
async function openPass({ db, clock, settings }: RecomputeDeps): Promise<Pass> {
  const now = clock.now();
  const [rules, rates, targets] = [
    await listRules(db, now),
    await listCurrentRates(db),
    await listTargets(db),
  ];
  const { rateMaxAgeMs, bufferBp } = settings;
  return {
    now,
    worth: { rates: createRateTable(rates, now, rateMaxAgeMs), bufferBp },
    book: createRuleBook(rules.filter((rule) => isInForce(rule, now))),
    targets,
    ruledResellers: [...new Set(rules.filter(({ who }) => who === "reseller").map(({ whoId }) => whoId))],
    nextChange: findFirstChange(rules, rates, now, rateMaxAgeMs),
  };
}

/** When a rule begins or ends, or a rate ends, prices change without anyone changing anything. */
function findFirstChange(
  rules: readonly PriceRule[],
  rates: readonly FxRate[],
  now: Date,
  maxAgeMs: number,
): Date | undefined {
  const times = [
    ...rules.flatMap(({ validFrom, validTo }) => [validFrom, validTo]),
    ...rates.map((rate) => endOf(rate, maxAgeMs)),
  ];
  return times
    .filter((time): time is Date => time !== null && time > now)
    .sort((a, b) => a.getTime() - b.getTime())[0];
}

async function* chunksOf(db: Db, which: "all" | readonly string[]): AsyncGenerator<PricedProductRow[]> {
  if (which !== "all") {
    for (let at = 0; at < which.length; at += PRODUCTS_AT_ONCE)
      yield await listProductsById(db, which.slice(at, at + PRODUCTS_AT_ONCE));
    return;
  }
  let afterId = "";
  for (;;) {
    const products = await listProductsAfter(db, afterId, PRODUCTS_AT_ONCE);
    const last = products.at(-1);
    if (!last) return;
    yield products;
    afterId = last.id;
  }
}

async function recomputeChunk(
  { db, settings }: RecomputeDeps,
  pass: Pass,
  products: readonly PricedProductRow[],
): Promise<{ acts: Acts; prices: number }> {
  const ids = products.map(({ id }) => id);
  return db.transaction(async (tx) => {
    // Before anything is read: an import of prices that is under way comes first.
    await lockCatalog(tx);
    const routes = await listEnabledRoutes(tx, ids, pass.now);
    const targets = [...pass.targets, ...(await listOwnTargets(tx, ids, pass.ruledResellers))];
    const prices = workOutChunk(products, routes, targets, pass.book, pass.worth);
    if (prices.length === 0) return { acts: {}, prices: 0 };
    const acts = await judgePrices(tx, prices, settings.autoPublishWithinBp);
    if (Object.keys(acts).length > 0) await writeJudged(tx, acts, pass.now);
    return { acts, prices: prices.length };
  });
}
