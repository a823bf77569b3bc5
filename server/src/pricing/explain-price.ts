import { getCatalogProduct } from "../catalog/get-catalog-product.ts";
import type { Queryable } from "../db/database.ts";
import { type ChosenRate, createRateTable } from "../fx/choose-rate.ts";
import { roundUp } from "../fx/fraction.ts";
import { listCurrentRates } from "../fx/queries.ts";
import type { Clock } from "../lib/clock.ts";
import type { PricingConfig } from "../lib/settings/pricing-config.ts";
import { createRuleBook, type PriceFor } from "./choose-rule.ts";
import { findPublished, findTarget, type Published } from "./explain-queries.ts";
import type { SaleReason } from "./not-for-sale.ts";
import { listEnabledRoutes, listProductsById } from "./recompute-queries.ts";
import { isInForce, type PriceRule } from "./rule.ts";
import { listRules } from "./rule-queries.ts";
import { listUnsold } from "./sale-queries.ts";
import { chooseCost, type RouteCost } from "./work-out-chunk.ts";
import { landedCost, type Unsellable, workOutPrice } from "./work-out-price.ts";

/** Why a price is what it is, as of now. */
export type Explained = {
  productId: string;
  target: PriceFor;
  currency: string;
  /** The price by the rules, or the one that was set by hand. Null where there is none. */
  priceMinor: bigint | null;
  /** What orders pay now. */
  publishedMinor: bigint | null;
  /** Whose price that is: the reseller's own, or that of its list. */
  publishedFrom: "reseller" | "list" | null;
  rule: PriceRule | undefined;
  isByHand: boolean;
  cost: RouteCost | undefined;
  rate: ChosenRate | undefined;
  landedMinor: bigint | null;
  floorMinor: bigint | null;
  floorReached: boolean;
  unsellable: Unsellable | undefined;
  /** Why it cannot be bought at any price, as of now. */
  blocked: SaleReason | undefined;
  now: Date;
};

/** The price of one reseller, or of a list in a currency. */
export type AskedPrice = { productId: string } & (
  | { resellerId: string }
  | { priceList: string; currency: string }
);

/** The same steps as the recomputation takes, for one product and one target. */
export async function explainPrice(
  db: Queryable,
  clock: Clock,
  settings: PricingConfig["pricing"],
  asked: AskedPrice,
): Promise<Explained> {
  const now = clock.now();
  await getCatalogProduct(db, asked.productId);
  const target =
    "resellerId" in asked ? await findTarget(db, asked.resellerId) : { resellerId: null, ...asked };
  if (!target)
    throw new RangeError(`there is no reseller "${"resellerId" in asked ? asked.resellerId : ""}"`);
  const [product] = await listProductsById(db, [asked.productId]);
  if (!product) throw new RangeError(`there is no product "${asked.productId}"`);
  const rates = createRateTable(await listCurrentRates(db), now, settings.rateMaxAgeMs);
  const worth = { rates, bufferBp: settings.bufferBp };
  const { currency } = target;
  const cost = chooseCost(product, await listEnabledRoutes(db, [product.id]), currency, worth);
  const landed = cost && landedCost({ cost, currency, ...worth });
  const known = typeof landed === "object" ? landed : undefined;
  const published = await findPublished(db, product.id, target);
  const rules = (await listRules(db, now)).filter((rule) => isInForce(rule, now));
  const rule = createRuleBook(rules).find(product, target);
  const isByHand = handWins(published, rule);
  const about = {
    productId: product.id,
    target,
    currency,
    publishedMinor: published?.amountMinor ?? null,
    publishedFrom: published ? (published.isOwn ? ("reseller" as const) : ("list" as const)) : null,
    cost,
    rate: known?.rate,
    landedMinor: known ? roundUp(known.value) : null,
    blocked: await findBlocked(db, product.id, target, now),
    now,
  };
  if (isByHand || rule === undefined) {
    const priceMinor = isByHand ? (published?.amountMinor ?? null) : null;
    const isBelow = priceMinor !== null && about.landedMinor !== null && priceMinor < about.landedMinor;
    const floorMinor = about.landedMinor;
    return {
      ...about,
      priceMinor,
      rule: undefined,
      isByHand,
      floorMinor,
      floorReached: isBelow,
      unsellable: !isByHand && typeof landed === "string" ? landed : undefined,
    };
  }
  const face = product.faceIsMoney
    ? { amount: product.faceAmount, currency: product.faceCurrency }
    : undefined;
  const worked = workOutPrice({ rule, cost, face, currency, ...worth });
  return worked.kind === "price"
    ? {
        ...about,
        priceMinor: worked.amountMinor,
        rule,
        isByHand,
        floorMinor: worked.landed ? worked.floorMinor : null,
        floorReached: worked.floorReached,
        unsellable: undefined,
      }
    : {
        ...about,
        priceMinor: null,
        rule,
        isByHand,
        floorMinor: null,
        floorReached: false,
        unsellable: worked.reason,
      };
}

/** What has nothing to do with the price: the list's entry counts where the reseller has none of its own. */
async function findBlocked(
  db: Queryable,
  productId: string,
  target: PriceFor,
  now: Date,
): Promise<SaleReason | undefined> {
  const unsold = await listUnsold(db, [productId], now);
  const entry =
    unsold.find(({ resellerId }) => resellerId !== "" && resellerId === target.resellerId) ??
    unsold.find(({ priceList, currency }) => priceList === target.priceList && currency === target.currency);
  return entry?.reason !== "withheld" ? (entry?.reason ?? undefined) : undefined;
}

/** A price that was set by hand is the strongest rule for its reseller or its list. A reseller's rule comes before a list's price. */
const handWins = (published: Published | undefined, rule: PriceRule | undefined): boolean =>
  published?.byHand === true && (published.isOwn || rule?.who !== "reseller");
