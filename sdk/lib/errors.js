const NOT_IMPLEMENTED = 501;
/**
 * Every failure of a call. Handle its `code`: one of the API's, or a `LocalErrorCode`. It has no cause, because an error of
 * fetch can quote the headers, which include the API key.
 */
export class ScripError extends Error {
    code;
    /** 0 when there was no response. It is then unknown whether the API did what it was asked to do. */
    status;
    requestId;
    errors;
    /** Additional members of the response, such as `orderStatus` or `currentTotal`. */
    members;
    retryAfterMs;
    /**
     * The key of a failed placement. Place the order again with it, or search with `orders.list({ idempotencyKey })`. There is
     * never a second order.
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
    /** Whether the same call can succeed later. It depends on the status, because the API can add codes at any time. */
    get isRetryable() {
        if (this.status === 0)
            return this.code === "connection_failed" || this.code === "timeout";
        if (this.status === 409)
            return this.code === "idempotency_in_progress";
        return this.status === 429 || (this.status >= 500 && this.status !== NOT_IMPLEMENTED);
    }
}
export const localError = (code, message, context) => new ScripError(code, message, context);
