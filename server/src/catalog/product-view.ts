import { toMoney } from "../lib/money.ts";
import type { VisibleProductRow } from "./queries.ts";
import type { CatalogProductView, ProductView } from "./schemas.ts";

/** A catalog entry: its face value has all four members. */
export const toCatalogProduct = (row: VisibleProductRow, currency: string): CatalogProductView => ({
  ...toTerms(row, currency),
  faceValue: {
    amount: row.faceValueAmount,
    currency: row.faceValueCurrency,
    unit: row.faceValueUnit,
    isMoney: row.faceValueIsMoney,
  },
});

/** The single product: its face value has amount and currency only. */
export const toProduct = (row: VisibleProductRow, currency: string): ProductView => ({
  ...toTerms(row, currency),
  faceValue: { amount: row.faceValueAmount, currency: row.faceValueCurrency },
});

/** What there is not is left out, never null. */
const toTerms = (row: VisibleProductRow, currency: string) => ({
  id: row.id,
  name: row.name,
  ...(row.amountMinor === null ? {} : { price: toMoney(row.amountMinor, currency) }),
  ...(row.amountMinor === null || row.strikeMinor === null
    ? {}
    : { strikePrice: toMoney(row.strikeMinor, currency) }),
  bonus: row.bonus,
  minQuantity: row.minQuantity,
  maxQuantity: row.maxQuantity,
  purchasable: row.amountMinor !== null,
  ...(row.inputFields.length === 0 ? {} : { inputFields: row.inputFields }),
});
