import { CATALOG_CHANGES, INPUT_FIELD_TYPES } from "../../words.js";
import { count, flag, list, object, optional, text, wordOf } from "../shapes.js";
import { scaledMoney } from "./common.js";
const inputField = object({
    key: text,
    type: wordOf(INPUT_FIELD_TYPES),
    required: flag,
    regex: text,
    options: list(object({ value: text, label: text, parentValue: text })),
});
export const product = object({
    id: text,
    name: text,
    faceValue: object({ amount: text, currency: text, unit: text, isMoney: flag }),
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
export const catalogChange = object({
    productId: text,
    change: wordOf(CATALOG_CHANGES),
    product: optional(product),
});
