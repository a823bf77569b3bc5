import { count, flag, list, object, text } from "../shapes.js";
export const pageOf = (item) => object({ data: list(item), hasMore: flag, nextCursor: text });
export const money = object({ amount: count, currency: text });
export const scaledMoney = object({ amount: count, currency: text, minorUnitExponent: count });
