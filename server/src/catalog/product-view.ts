import type { Tenant } from "../http/caller.ts";
import { toMoney } from "../lib/money.ts";
import { purchasePrice } from "./prices/purchase-price.ts";
import { toDetails } from "./product-details.ts";
import type { CatalogRow } from "./queries.ts";
import type { CatalogProductView, ProductView } from "./schemas.ts";

/**
 * The wallet that pays. A live and a test key of one reseller see the same catalog, but can buy different products
 * from it.
 */
export type Buyer = Pick<Tenant, "environment"> & { currency: string };

/** A catalog entry: its face value has all four members. */
export const toCatalogProduct = (row: CatalogRow, buyer: Buyer): CatalogProductView => ({
  ...toTerms(row, buyer),
  faceValue: {
    amount: row.faceValueAmount,
    currency: row.faceValueCurrency,
    unit: row.faceValueUnit,
    isMoney: row.faceValueIsMoney,
  },
});

/** A single product: its face value has only amount and currency. */
export const toProduct = (row: CatalogRow, buyer: Buyer): ProductView => ({
  ...toTerms(row, buyer),
  faceValue: { amount: row.faceValueAmount, currency: row.faceValueCurrency },
});

/** Absent values are omitted, never null. */
const toTerms = (row: CatalogRow, { environment, currency }: Buyer) => ({
  id: row.id,
  name: row.name,
  ...(row.amountMinor === null ? {} : { price: toMoney(row.amountMinor, currency) }),
  ...(row.amountMinor === null || row.strikeMinor === null
    ? {}
    : { strikePrice: toMoney(row.strikeMinor, currency) }),
  bonus: row.bonus,
  minQuantity: row.minQuantity,
  maxQuantity: row.maxQuantity,
  purchasable: typeof purchasePrice(row, environment) === "bigint",
  ...(row.inputFields.length === 0 ? {} : { inputFields: row.inputFields }),
  ...toDetails(row),
  ...(row.deliverySeconds === null ? {} : { estimatedDeliverySeconds: row.deliverySeconds }),
  updatedAt: row.updatedAt.toISOString(),
});
