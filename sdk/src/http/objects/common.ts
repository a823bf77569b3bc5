import type { Money, Page, ScaledMoney } from "../../types/common.ts";
import type { Shape } from "../shapes.ts";
import { count, flag, list, object, text } from "../shapes.ts";

export const pageOf = <T>(item: Shape<T>): Shape<Page<T>> =>
  object<Page<T>>({ data: list(item), hasMore: flag, nextCursor: text });

export const money = object<Money>({ amount: count, currency: text });

export const scaledMoney = object<ScaledMoney>({ amount: count, currency: text, minorUnitExponent: count });
