import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseCurrency } from "../../lib/currencies.ts";
import { getCatalogProduct } from "../get-catalog-product.ts";
import { lockCatalog } from "../lock-catalog.ts";
import {
  deleteListPrice,
  deleteResellerPrice,
  type PriceRow,
  upsertListPrice,
  upsertResellerPrice,
} from "./price-queries.ts";
import { checkListName, parsePrices } from "./price-row.ts";

/** The owner of a price: one reseller, or a price list in one currency. */
export type PriceTarget =
  | { kind: "reseller"; resellerId: string; currency: string }
  | { kind: "list"; priceList: string; currency: string };

export type SetPriceInput = {
  productId: string;
  target: PriceTarget;
  amount: string;
  strike: string | undefined;
};

/** Sets a price from its decimal text, from the next request on. */
export async function setPrice(db: Db, clock: Clock, input: SetPriceInput): Promise<PriceRow> {
  const { productId } = input;
  const target = { ...input.target, currency: parseCurrency(input.target.currency) };
  if (target.kind === "list") checkListName(target.priceList);
  const price = { productId, ...parsePrices(input, target.currency) };
  await db.transaction(async (tx) => {
    await lockCatalog(tx);
    await getCatalogProduct(tx, productId);
    if (target.kind === "list") await upsertListPrice(tx, { ...price, ...target }, clock.now());
    else await upsertResellerPrice(tx, { ...price, resellerId: target.resellerId }, clock.now());
  });
  return { ...price, ...whose(target) };
}

/** Removes a price. A product without any price stays listed but cannot be bought. */
export async function removePrice(
  db: Db,
  { productId, target }: { productId: string; target: PriceTarget },
): Promise<PriceRow> {
  const [removed] = await db.transaction(async (tx) => {
    await lockCatalog(tx);
    await getCatalogProduct(tx, productId);
    return target.kind === "list"
      ? deleteListPrice(tx, { productId, ...target })
      : deleteResellerPrice(tx, productId, target.resellerId);
  });
  if (removed) return { ...removed, ...whose(target) };
  const owner =
    target.kind === "list" ? `the price list ${target.priceList} in ${target.currency}` : target.resellerId;
  throw new RangeError(
    `${productId} has no price for ${owner}; see: scrip price list --product ${productId}`,
  );
}

const whose = (target: PriceTarget): Pick<PriceRow, "currency" | "priceList" | "resellerId"> => ({
  currency: target.currency,
  priceList: target.kind === "list" ? target.priceList : null,
  resellerId: target.kind === "reseller" ? target.resellerId : null,
});
