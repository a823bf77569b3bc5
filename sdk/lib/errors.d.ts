/** One invalid field: a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = {
    pointer: string;
    code: string;
    detail: string;
};
/** Codes of the SDK. The API never sends them. */
export type LocalErrorCode = "connection_failed" | "timeout" | "aborted" | "invalid_response";
export type ErrorContext = {
    /** The HTTP status; 0 when no complete response arrived. */
    status?: number;
    requestId?: string | undefined;
    errors?: readonly FieldError[];
    members?: Readonly<Record<string, unknown>>;
    retryAfterMs?: number | undefined;
    idempotencyKey?: string | undefined;
};
/**
 * Every failure of a call. Handle its `code`: one of the API's, or a `LocalErrorCode`. It has no cause, because an error of
 * fetch can quote the headers, which include the API key.
 */
export declare class ScripError extends Error {
    readonly code: string;
    /** 0 when there was no response. It is then unknown whether the API did what it was asked to do. */
    readonly status: number;
    readonly requestId: string | undefined;
    readonly errors: readonly FieldError[];
    /** Additional members of the response, such as `orderStatus` or `currentTotal`. */
    readonly members: Readonly<Record<string, unknown>>;
    readonly retryAfterMs: number | undefined;
    /**
     * The key of a failed placement. Place the order again with it, or search with `orders.list({ idempotencyKey })`. There is
     * never a second order.
     */
    readonly idempotencyKey: string | undefined;
    constructor(code: string, message: string, context?: ErrorContext);
    /** Whether the same call can succeed later. It depends on the status, because the API can add codes at any time. */
    get isRetryable(): boolean;
}
export declare const localError: (code: LocalErrorCode, message: string, context?: ErrorContext) => ScripError;
