import type { Open } from "./http/shapes.js";
import type { ACCOUNT_CHECK_RESULTS, CATALOG_CHANGES, DEPOSIT_STATUSES, FULFILMENTS, INPUT_FIELD_TYPES, ORDER_STATUSES, PRODUCT_TYPES, TEST_SCENARIOS, TIMELINE_TYPES, WALLET_ENTRY_TYPES } from "./words.js";
/** An integer in minor units of the currency. */
export type Money = {
    amount: number;
    currency: string;
};
/** `minorUnitExponent` is how many decimals the currency has: 250 with 2 of them is 2.50. */
export type ScaledMoney = Money & {
    minorUnitExponent: number;
};
/** The parameters of a list. */
export type PageFilters = {
    /** Items per page, 1 to 100. The default is 50. */
    limit?: number | undefined;
    /** `nextCursor` of the previous page. */
    cursor?: string | undefined;
};
export type CreatedFilters = {
    /** Inclusive; a text is RFC 3339. */
    createdFrom?: string | Date | undefined;
    /** Exclusive; a text is RFC 3339. */
    createdTo?: string | Date | undefined;
};
/** `nextCursor` is empty on the last page. */
export type Page<T> = {
    data: T[];
    hasMore: boolean;
    nextCursor: string;
};
/** A page of a list as CSV, with the names of the columns in its first line. `nextCursor` is empty on the last page. */
export type CsvPage = {
    csv: string;
    nextCursor: string;
};
export type CallOptions = {
    /** Ends the call, its retries and the pauses between them at once. */
    signal?: AbortSignal | undefined;
    /** The time limit of one try of this call. */
    timeoutMs?: number | undefined;
    /** How often this call is retried. */
    retries?: number | undefined;
    /** In the sandbox: simulates a rare case. */
    testScenario?: TestScenario | undefined;
};
/** For a test key; ignored with a live key. `rate_limited` and other errors apply to any call, the rest to an order. */
export type TestScenario = Open<(typeof TEST_SCENARIOS)[number]>;
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
type ProductOf<FaceValue> = {
    id: string;
    name: string;
    faceValue: FaceValue;
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
export type Product = ProductOf<{
    amount: string;
    currency: string;
}>;
/** With `isMoney` the amount is money; otherwise it counts the in-game units named by `unit`. */
export type CatalogProduct = ProductOf<{
    amount: string;
    currency: string;
    unit: string;
    isMoney: boolean;
}>;
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
export type KnownOrderStatus = (typeof ORDER_STATUSES)[number];
/** Later versions of the API can add more. */
export type OrderStatus = Open<KnownOrderStatus>;
export type PlaceOrderInput = {
    lines: readonly {
        productId: string;
        quantity: number;
        /** Values by the `key` of each input field of the product. */
        inputFields?: Readonly<Record<string, string | number>> | undefined;
    }[];
    /** Your own identifier. You can search by it later. */
    reference?: string | undefined;
    /** In minor units. If the order costs a different amount now, nothing is placed. */
    expectedTotal?: number | undefined;
    /** `partial`, the default, delivers what is available and refunds the rest; `all_or_nothing` delivers or refunds all. */
    fulfilment?: (typeof FULFILMENTS)[number] | undefined;
};
export type PlaceOrderOptions = CallOptions & {
    /**
     * One key for each order: the same key is the same order. The SDK generates one by default. Pass your own, such as your
     * invoice number, to stay safe if your program ends before it has the response.
     */
    idempotencyKey?: string | undefined;
};
/** An order of a batch, with its own key. The SDK generates one by default. */
export type BatchOrderInput = PlaceOrderInput & {
    idempotencyKey?: string | undefined;
};
export type PlacedOrder = {
    id: string;
    status: OrderStatus;
    total: Money;
};
export type Placement = {
    order: PlacedOrder;
    /** Whether an earlier try with this key placed the order. */
    replayed: boolean;
    idempotencyKey: string;
};
export type WaitOptions = {
    signal?: AbortSignal | undefined;
    /** How long to wait in total. The default is two minutes. */
    timeoutMs?: number | undefined;
};
export type Order = PlacedOrder & {
    createdAt: string;
    updatedAt: string;
    reference?: string;
    /** Absent when it is `partial`. */
    fulfilment?: Open<(typeof FULFILMENTS)[number]>;
    refundedTotal: Money;
    lines: OrderLine[];
};
export type OrderLine = {
    productId: string;
    name: string;
    unitPrice: Money;
    quantity: number;
    lineTotal: Money;
    inputFields?: Record<string, string>;
    fulfilledQuantity: number;
    refundedQuantity: number;
    /** Why units of this line could not be delivered. */
    failureCode?: string;
};
export type OrderFilters = PageFilters & CreatedFilters & {
    status?: KnownOrderStatus | undefined;
    /** Exact match. */
    reference?: string | undefined;
    /** Exact match: finds out whether a request that timed out placed an order. */
    idempotencyKey?: string | undefined;
    productId?: string | undefined;
};
export type OrderPage = Page<Order>;
/** 32 bytes, or the same in base64url. Several for codes that were sealed before and after a change of the key. */
export type PrivateKeys = string | Uint8Array | readonly (string | Uint8Array)[];
/** The codes as the API returns them. */
export type OrderCodesReply = {
    orderId: string;
    status: OrderStatus;
    data: DeliveredCode[];
};
export type OrderCodes = OrderCodesReply & {
    /**
     * The codes with those that are sealed opened. Pass the private key of the registered encryption key, or several if it has
     * changed. Throws a `SealedCodeError` for a code that does not open.
     */
    open(privateKeys: PrivateKeys): Promise<OrderCodesReply>;
};
/** A code that only your private key opens: `open` of the codes does it. */
export type SealedParts = {
    kid: string;
    enc: string;
    ciphertext: string;
};
/** The public key that codes are sealed to. `kid` names it in each sealed code. */
export type EncryptionKey = {
    kid: string;
    publicKey: string;
    registeredAt: string;
};
/** What one unit delivered. `type` is `code`, `url` or `topup`, and says which other member is present. */
export type DeliveredCode = {
    id: string;
    lineIndex: number;
    /** With `sealed`. */
    unitIndex?: number;
    productId: string;
    type: string;
    code?: string;
    pin?: string;
    serial?: string;
    url?: string;
    receipt?: string;
    /** Instead of `code`, `pin`, `serial` and `url`, if an encryption key was registered when it was delivered. */
    sealed?: SealedParts;
    expiresAt?: string;
    deliveredAt: string;
};
/** One thing that happened to an order. */
export type TimelineEntry = {
    at: string;
    type: Open<(typeof TIMELINE_TYPES)[number]>;
    lineIndex?: number;
    unitIndex?: number;
    /** With `unit_refused`: why the unit could not be delivered. */
    failureCode?: string;
    /** With `refunded`: how much. */
    amount?: Money;
    eventId?: string;
    eventType?: string;
    webhookId?: string;
    codeCount?: number;
    keyId?: string;
};
/** A request to the API, as the server remembers it for 14 days. */
export type LoggedRequest = {
    id: string;
    createdAt: string;
    method: string;
    /** Without its query string. */
    path: string;
    status: number;
    errorCode?: string;
    keyId?: string;
    /** Prefix and last four characters of a key that was not accepted. */
    keyHint?: string;
    address: string;
    durationMs: number;
};
/** `error` is the body of the answer, for requests that failed. */
export type LoggedRequestDetail = LoggedRequest & {
    error?: LoggedProblem;
};
export type LoggedProblem = {
    type: string;
    title: string;
    status: number;
    code: string;
    detail: string;
    request_id: string;
    errors?: {
        pointer: string;
        code: string;
        detail: string;
    }[];
    orderStatus?: string;
    available?: number;
    currentTotal?: Money;
};
export type RequestFilters = PageFilters & CreatedFilters & {
    /** A status such as `404`, or a class such as `4xx`. */
    status?: string | undefined;
    errorCode?: string | undefined;
    keyId?: string | undefined;
};
/** `balance` is what can be spent now. */
export type Balance = {
    balance: ScaledMoney;
    asOf: string;
};
/** Without a threshold there is no alert. */
export type WalletAlert = {
    threshold?: ScaledMoney;
};
export type KnownWalletEntryType = (typeof WALLET_ENTRY_TYPES)[number];
export type WalletEntry = {
    id: string;
    type: Open<KnownWalletEntryType>;
    /** The change of the balance in minor units; negative when the wallet paid. */
    amount: number;
    balanceAfter: number;
    currency: string;
    orderId?: string;
    note?: string;
    createdAt: string;
};
export type WalletEntryFilters = PageFilters & CreatedFilters & {
    type?: KnownWalletEntryType | undefined;
    orderId?: string | undefined;
};
export type KnownDepositStatus = (typeof DEPOSIT_STATUSES)[number];
/** Money that you send to your wallet. */
export type Deposit = {
    id: string;
    status: Open<KnownDepositStatus>;
    /** What you requested, in minor units. */
    amount: number;
    currency: string;
    minorUnitExponent: number;
    /** Put it into the remittance text of your payment. */
    reference: string;
    /** How to pay, as text for people. */
    instructions: string;
    note?: string;
    /** What arrived, in minor units. This is what is credited. */
    receivedAmount?: number;
    /** The wallet entry of the credit. */
    entryId?: string;
    /** Why it was rejected. */
    reason?: string;
    createdAt: string;
    receivedAt?: string;
    creditedAt?: string;
    rejectedAt?: string;
};
export type CreateDepositInput = {
    /** In minor units of your wallet's currency. */
    amount: number;
    note?: string | undefined;
};
/** Without an `idempotencyKey`, a random one makes the retries of this call safe. */
export type CreateDepositOptions = CallOptions & {
    idempotencyKey?: string | undefined;
};
export type DepositFilters = PageFilters & {
    status?: KnownDepositStatus | undefined;
};
export {};
