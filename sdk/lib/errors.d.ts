/** One field at fault: a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = {
    pointer: string;
    code: string;
    detail: string;
};
/** Codes that the API never sends: what went wrong was not told by it. */
export type LocalErrorCode = "connection_failed" | "timeout" | "aborted" | "invalid_response";
export type ErrorContext = {
    /** The HTTP status, 0 when no whole answer came. */
    status?: number;
    requestId?: string | undefined;
    errors?: readonly FieldError[];
    members?: Readonly<Record<string, unknown>>;
    retryAfterMs?: number | undefined;
    idempotencyKey?: string | undefined;
};
/**
 * Everything that a call can fail with. Decide by `code`: one of the API's, or a `LocalErrorCode`. It carries no cause,
 * because what fetch throws may quote the headers, and the API key with them.
 */
export declare class ScripError extends Error {
    readonly code: string;
    /** 0 when there was no answer; whether the API did what it was asked to is then not known. */
    readonly status: number;
    readonly requestId: string | undefined;
    readonly errors: readonly FieldError[];
    /** Further members of the answer, such as `orderStatus` or `currentTotal`. */
    readonly members: Readonly<Record<string, unknown>>;
    readonly retryAfterMs: number | undefined;
    /**
     * Of a placement that failed: place again with it, or look it up with `orders.list({ idempotencyKey })`, and there will
     * never be a second order.
     */
    readonly idempotencyKey: string | undefined;
    constructor(code: string, message: string, context?: ErrorContext);
    /** Whether the same call may well succeed later. The API may add codes at any time, so it is judged by status. */
    get isRetryable(): boolean;
}
export declare const localError: (code: LocalErrorCode, message: string, context?: ErrorContext) => ScripError;
