import type { Tenant } from "../http/caller.ts";
import { toMoney } from "../lib/money.ts";
import { purchasePrice } from "./prices/purchase-price.ts";
import { toDetails } from "./product-details.ts";
import type { CatalogRow } from "./queries.ts";
import type { ProductView } from "./schemas.ts";

/**
 * The wallet that pays. A live and a test key of one reseller see the same catalog, but can buy different products
 * from it.
 */
export type Buyer = Pick<Tenant, "environment"> & { currency: string };

/** A product as its reseller reads it. Absent values are omitted, never null. */
export const toProduct = (row: CatalogRow, { environment, currency }: Buyer): ProductView => ({
  id: row.id,
  name: row.name,
  faceValue: {
    amount: row.faceValueAmount,
    currency: row.faceValueCurrency,
    unit: row.faceValueUnit,
    isMoney: row.faceValueIsMoney,
  },
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
