import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import { type BatchResult } from "./place-batch.js";
import type { OrderCodes } from "./types/codes.js";
import type { CallOptions, CsvPage } from "./types/common.js";
import type { BatchOrderInput, Order, OrderFilters, Placement, PlaceOrderInput, PlaceOrderOptions, TimelineEntry, WaitOptions } from "./types/orders.js";
export type OrderMethods = {
    /** Safe to retry: the key ensures that there is one order, no matter how many requests arrive. */
    place(input: PlaceOrderInput, options?: PlaceOrderOptions): Promise<Placement>;
    /**
     * Up to 500 orders, each accepted or refused separately. The results are in the order of the input; a refused order has
     * an `error`. Safe to retry with the same keys.
     */
    placeBatch(orders: readonly BatchOrderInput[], options?: CallOptions): Promise<BatchResult[]>;
    get(id: string, options?: CallOptions): Promise<Order>;
    /** Newest first. */
    list(filters?: OrderFilters, options?: CallOptions): Listing<Order>;
    /** A page of the list as CSV. Money is in the currency's major unit. */
    listCsv(filters?: OrderFilters, options?: CallOptions): Promise<CsvPage>;
    codes(id: string, options?: CallOptions): Promise<OrderCodes>;
    /** The codes as CSV. */
    codesCsv(id: string, options?: CallOptions): Promise<string>;
    /** What happened to the order, oldest first. */
    timeline(id: string, options?: CallOptions): Promise<TimelineEntry[]>;
    /** The order, once it is completed or refunded, or stays failed. */
    wait(id: string, options?: WaitOptions): Promise<Order>;
};
export declare function orderMethods(connection: Connection): OrderMethods;
