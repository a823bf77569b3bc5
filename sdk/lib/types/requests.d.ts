import type { CreatedFilters, Money, PageFilters } from "./common.js";
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
    expectedTotal?: Money;
    required?: Money;
    balance?: Money;
    orderId?: string;
    differs?: string[];
};
export type RequestFilters = PageFilters & CreatedFilters & {
    /** A status such as `404`, or a class such as `4xx`. */
    status?: string | undefined;
    errorCode?: string | undefined;
    keyId?: string | undefined;
};
