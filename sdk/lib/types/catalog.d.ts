import type { Open } from "../http/shapes.js";
import type { ACCOUNT_CHECK_RESULTS, CATALOG_CHANGES, INPUT_FIELD_TYPES, PRODUCT_TYPES } from "../words.js";
import type { Page, PageFilters, ScaledMoney } from "./common.js";
export type InputFieldOption = {
    value: string;
    label: string;
    parentValue: string;
};
/** An input field that an order line for the product must contain. */
export type InputField = {
    /** Its name in the `inputFields` of an order line. */
    key: string;
    type: Open<(typeof INPUT_FIELD_TYPES)[number]>;
    required: boolean;
    /** RE2 syntax; empty when there is none. */
    regex: string;
    /** The options of a select field, in display order. */
    options: InputFieldOption[];
};
export type Product = {
    id: string;
    name: string;
    /** With `isMoney` the amount is money; otherwise it counts the in-game units named by `unit`. */
    faceValue: {
        amount: string;
        currency: string;
        unit: string;
        isMoney: boolean;
    };
    /** Absent when you have no price for it; then you cannot order it. */
    price?: ScaledMoney;
    strikePrice?: ScaledMoney;
    /** Empty when there is none. */
    bonus: string;
    minQuantity: number;
    maxQuantity: number;
    purchasable: boolean;
    inputFields?: InputField[];
    brand?: string;
    category?: string;
    /** ISO 3166-1 alpha-2; absent when it works worldwide. */
    country?: string;
    /** Plain text; can have several lines. */
    description?: string;
    /** Plain text; can have several lines. */
    redeemInstructions?: string;
    /** Plain text; can have several lines. */
    terms?: string;
    /** An https address. */
    imageUrl?: string;
    /** 95 % of the orders of the last 7 days were delivered within it. Absent below 20 orders. */
    estimatedDeliverySeconds?: number;
    /** When the product itself last changed. Prices and availability are not part of it. */
    updatedAt?: string;
};
/** As in a page of the catalog. */
export type CatalogProduct = Product;
/** `unknown` means nothing: the account may exist or not. */
export type AccountCheck = {
    result: Open<(typeof ACCOUNT_CHECK_RESULTS)[number]>;
    /** With `valid`, where it is known. */
    displayName?: string;
};
export type CatalogFilters = PageFilters & {
    /** Words that must all be in the id, name or brand. Letter case and accents do not matter. */
    q?: string | undefined;
    /** Exact match. */
    brand?: string | undefined;
    /** Exact match. */
    category?: string | undefined;
    /** ISO 3166-1 alpha-2. Products that work worldwide have no country. */
    country?: string | undefined;
    type?: (typeof PRODUCT_TYPES)[number] | undefined;
    /** Whether it can be ordered now. */
    purchasable?: boolean | undefined;
};
/** Store `product` in place of what you have, or remove what you have. */
export type CatalogChange = {
    productId: string;
    change: Open<(typeof CATALOG_CHANGES)[number]>;
    product?: CatalogProduct;
};
/** `nextCursor` is never empty: pass it as `since` to go on. It does not expire. */
export type CatalogChangePage = Page<CatalogChange>;
export type CatalogChangeFilters = {
    /** Changes per page, 1 to 100. The default is 50. */
    limit?: number | undefined;
    /** `nextCursor` of the last page that you applied. Without it there are no changes, only a cursor that starts from now. */
    since?: string | undefined;
};
