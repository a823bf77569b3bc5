import type { Money, Page, ScaledMoney } from "../../types/common.js";
import type { Shape } from "../shapes.js";
export declare const pageOf: <T>(item: Shape<T>) => Shape<Page<T>>;
export declare const money: Shape<Money>;
export declare const scaledMoney: Shape<ScaledMoney>;
