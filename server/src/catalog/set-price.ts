import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { isCurrency } from "../lib/currencies.ts";
import { parseAmount } from "../lib/money.ts";
import { getCatalogProduct } from "./get-catalog-product.ts";
import { lockCatalog } from "./lock-catalog.ts";
import { type PriceRow, upsertListPrice, upsertResellerPrice } from "./price-queries.ts";

/** Whose price: one reseller's own, or a price list's in one currency. */
export type PriceTarget =
  | { kind: "reseller"; resellerId: string; currency: string }
  | { kind: "list"; priceList: string; currency: string };

export type SetPriceInput = {
  productId: string;
  target: PriceTarget;
  amount: string;
  strike: string | undefined;
};

const PRICE_LIST_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/;

/** Sets a price from its decimal text. It holds from the next request on. */
export async function setPrice(db: Db, clock: Clock, input: SetPriceInput): Promise<PriceRow> {
  const { target, productId } = input;
  if (!isCurrency(target.currency))
    throw new RangeError(`"${target.currency}" is not an ISO-4217 currency, such as USD`);
  if (target.kind === "list" && !PRICE_LIST_PATTERN.test(target.priceList)) {
    throw new RangeError(`"${target.priceList}" is not a price list's name: 1 to 64 of A-Z a-z 0-9 . _ : -`);
  }
  const amountMinor = parsePrice(input.amount, target.currency);
  const strikeMinor = input.strike === undefined ? null : parsePrice(input.strike, target.currency);
  const price = { productId, amountMinor, strikeMinor };
  await db.transaction(async (tx) => {
    await lockCatalog(tx);
    await getCatalogProduct(tx, productId);
    if (target.kind === "list") await upsertListPrice(tx, { ...price, ...target }, clock.now());
    else await upsertResellerPrice(tx, { ...price, resellerId: target.resellerId }, clock.now());
  });
  return {
    ...price,
    currency: target.currency,
    priceList: target.kind === "list" ? target.priceList : null,
    resellerId: target.kind === "reseller" ? target.resellerId : null,
  };
}

function parsePrice(text: string, currency: string): bigint {
  const amountMinor = parseAmount(text, currency);
  if (amountMinor === 0n) throw new RangeError("a price is more than zero");
  return amountMinor;
}
