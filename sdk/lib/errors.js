const NOT_IMPLEMENTED = 501;
/**
 * Everything that a call can fail with. Decide by `code`: one of the API's, or a `LocalErrorCode`. It carries no cause,
 * because what fetch throws may quote the headers, and the API key with them.
 */
export class ScripError extends Error {
    code;
    /** 0 when there was no answer; whether the API did what it was asked to is then not known. */
    status;
    requestId;
    errors;
    /** Further members of the answer, such as `orderStatus` or `currentTotal`. */
    members;
    retryAfterMs;
    /**
     * Of a placement that failed: place again with it, or look it up with `orders.list({ idempotencyKey })`, and there will
     * never be a second order.
     */
    idempotencyKey;
    constructor(code, message, context = {}) {
        super(message);
        this.name = "ScripError";
        this.code = code;
        this.status = context.status ?? 0;
        this.requestId = context.requestId;
        this.errors = context.errors ?? [];
        this.members = context.members ?? {};
        this.retryAfterMs = context.retryAfterMs;
        this.idempotencyKey = context.idempotencyKey;
    }
    /** Whether the same call may well succeed later. The API may add codes at any time, so it is judged by status. */
    get isRetryable() {
        if (this.status === 0)
            return this.code === "connection_failed" || this.code === "timeout";
        if (this.status === 409)
            return this.code === "idempotency_in_progress";
        return this.status === 429 || (this.status >= 500 && this.status !== NOT_IMPLEMENTED);
    }
}
export const localError = (code, message, context) => new ScripError(code, message, context);
