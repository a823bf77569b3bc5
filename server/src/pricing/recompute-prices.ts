import { recordActivity, SCRIP_ITSELF } from "../activity/record-activity.ts";
import { lockCatalog } from "../catalog/lock-catalog.ts";
import type { Db, Queryable } from "../db/database.ts";
import { createRateTable, endOf } from "../fx/choose-rate.ts";
import type { FxRate } from "../fx/fx-rate.ts";
import { listCurrentRates } from "../fx/queries.ts";
import type { Clock } from "../lib/clock.ts";
import type { PricingConfig } from "../lib/settings/pricing-config.ts";
import { writeJudged } from "./apply-queries.ts";
import { createRuleBook, type PriceFor, type RuleBook } from "./choose-rule.ts";
import { type Acts, judgePrices, type WorkedPrice } from "./judge-queries.ts";
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
import { noteSaleChanges } from "./sale-queries.ts";
import { type Worth, workOutChunk } from "./work-out-chunk.ts";

export type RecomputeDeps = { db: Db; clock: Clock; settings: PricingConfig["pricing"] };

/** A chunk is one transaction. With twenty lists it has 20,000 prices. */
const PRODUCTS_AT_ONCE = 1_000;
const CHANGES_MAX = 10_000;

/** `unsellable` counts every price that the rules withhold now, `withhold` those that went with this pass. */
export type Recomputed = { products: number; prices: number; unsellable: number } & Required<
  Pick<Acts, "publish" | "withhold" | "propose">
>;

/**
 * Works out the prices of what has changed: publishes small moves, withholds what must not be sold, and proposes the rest. What
 * changed is forgotten in the transaction of the last chunk, so a crash repeats work and loses none. One process does it at a
 * time; the others leave it to that one.
 */
export async function recomputeChanged(deps: RecomputeDeps): Promise<Recomputed | undefined> {
  const { which } = await findWork(deps, deps.db);
  return which.length === 0 ? undefined : recompute(deps, false);
}

/** The same for all products, for a person who waits for it. */
export async function recomputeAll(deps: RecomputeDeps): Promise<Recomputed> {
  const done = await recompute(deps, true);
  if (!done) throw new Error("prices were not worked out");
  return done;
}

type Work = { which: "all" | readonly string[]; places: readonly string[] };

async function findWork({ clock }: RecomputeDeps, db: Queryable): Promise<Work> {
  const { places, productIds } = await readChanges(db, CHANGES_MAX);
  const nextChange = await findNextChange(db);
  const isTime = nextChange !== undefined && nextChange <= clock.now();
  return { which: isTime || productIds.includes("") ? "all" : productIds, places };
}

async function recompute(deps: RecomputeDeps, isForAll: boolean): Promise<Recomputed | undefined> {
  return deps.db.transaction(async (guard) => {
    if (isForAll) await awaitPricing(guard);
    else if (!(await lockPricing(guard))) return undefined;
    // Under the lock: the places of rows that another process has deleted can belong to new rows by now.
    const work = await findWork(deps, guard);
    const which = isForAll ? "all" : work.which;
    const done: Recomputed = { products: 0, prices: 0, unsellable: 0, publish: 0, withhold: 0, propose: 0 };
    const pass = await openPass(deps);
    const add = ({ acts, prices, unsellable, products }: Written): void => {
      done.products += products;
      done.prices += prices;
      done.unsellable += unsellable;
      for (const act of ["publish", "withhold", "propose"] as const) done[act] += acts[act] ?? 0;
    };
    // While one chunk is written, the next one is read and worked out.
    let writing: Promise<Written> = Promise.resolve({ acts: {}, prices: 0, unsellable: 0, products: 0 });
    for await (const products of chunksOf(deps.db, which)) {
      const [written, prepared] = await Promise.all([writing, prepareChunk(deps, pass, products)]);
      add(written);
      writing = writeChunk(deps, pass, prepared, products.length);
      // Its failure is seen when it is awaited, after the next chunk has been read.
      writing.catch(() => {});
    }
    add(await writing);
    if (work.places.length > 0) await deleteChanges(guard, work.places);
    // Why a product has no price can be another reason now, although no price has moved.
    await noteSaleChanges(guard, which === "all" ? [""] : which);
    if (which === "all") await markNextChange(guard, pass.nextChange, pass.now);
    return done;
  });
}

/** What a pass over products goes by. */
export type Pass = {
  now: Date;
  worth: Worth;
  book: RuleBook;
  targets: readonly PriceFor[];
  ruledResellers: readonly string[];
  nextChange: Date | undefined;
};

/** Rules, rates and lists are read once: a change during the pass is noted, and makes another one. */
export async function openPass({ db, clock, settings }: RecomputeDeps): Promise<Pass> {
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

type Written = { acts: Acts; prices: number; unsellable: number; products: number };

/** Nothing is locked here: whatever changes meanwhile is noted, and makes another pass. */
async function prepareChunk(
  { db }: RecomputeDeps,
  pass: Pass,
  products: readonly PricedProductRow[],
): Promise<WorkedPrice[]> {
  const ids = products.map(({ id }) => id);
  const routes = await listEnabledRoutes(db, ids);
  const targets = [...pass.targets, ...(await listOwnTargets(db, ids, pass.ruledResellers))];
  return workOutChunk(products, routes, targets, pass.book, pass.worth);
}

/** Compared with the present prices and written under the catalog's lock: an import of prices comes before it or after it. */
function writeChunk(
  { db, clock, settings }: RecomputeDeps,
  pass: Pass,
  prices: readonly WorkedPrice[],
  products: number,
): Promise<Written> {
  const unsellable = prices.filter(({ rule, reason }) => rule !== "" && reason !== "").length;
  return db.transaction(async (tx) => {
    if (prices.length === 0) return { acts: {}, prices: 0, unsellable, products };
    await lockCatalog(tx);
    const acts = await judgePrices(tx, prices, settings.autoPublishWithinBp);
    if (Object.values(acts).some((count) => count > 0)) await writeJudged(tx, acts, pass.now);
    const { publish = 0, withhold = 0 } = acts;
    if (publish + withhold > 0)
      await recordActivity(tx, clock, {
        ...SCRIP_ITSELF,
        action: "prices.moved",
        object: { kind: "prices", id: prices[0]?.productId ?? "" },
        after: { published: publish, withheld: withhold },
      });
    return { acts, prices: prices.length, unsellable, products };
  });
}
