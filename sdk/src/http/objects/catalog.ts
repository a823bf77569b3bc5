import type { CatalogChange, InputField, InputFieldOption, Product } from "../../types/catalog.ts";
import { CATALOG_CHANGES, INPUT_FIELD_TYPES } from "../../words.ts";
import { count, flag, list, object, optional, text, wordOf } from "../shapes.ts";
import { scaledMoney } from "./common.ts";

const inputField = object<InputField>({
  key: text,
  type: wordOf(INPUT_FIELD_TYPES),
  required: flag,
  regex: text,
  options: list(object<InputFieldOption>({ value: text, label: text, parentValue: text })),
});

export const product = object<Product>({
  id: text,
  name: text,
  faceValue: object<Product["faceValue"]>({ amount: text, currency: text, unit: text, isMoney: flag }),
  price: optional(scaledMoney),
  strikePrice: optional(scaledMoney),
  bonus: text,
  minQuantity: count,
  maxQuantity: count,
  purchasable: flag,
  inputFields: optional(list(inputField)),
  brand: optional(text),
  category: optional(text),
  country: optional(text),
  description: optional(text),
  redeemInstructions: optional(text),
  terms: optional(text),
  imageUrl: optional(text),
  estimatedDeliverySeconds: optional(count),
  updatedAt: optional(text),
});

export const catalogChange = object<CatalogChange>({
  productId: text,
  change: wordOf(CATALOG_CHANGES),
  product: optional(product),
});
