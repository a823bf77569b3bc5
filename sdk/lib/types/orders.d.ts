import type { Open } from "../http/shapes.js";
import type { FULFILMENTS, ORDER_STATUSES, TIMELINE_TYPES } from "../words.js";
import type { CallOptions, CreatedFilters, Money, Page, PageFilters } from "./common.js";
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
    /** One, or several separated by commas. */
    status?: KnownOrderStatus | `${KnownOrderStatus},${string}` | undefined;
    /** Exact match. */
    reference?: string | undefined;
    /** Exact match: finds out whether a request that timed out placed an order. */
    idempotencyKey?: string | undefined;
    productId?: string | undefined;
};
export type OrderPage = Page<Order>;
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
