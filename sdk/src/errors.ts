/** One field at fault: a JSON Pointer into the body, or `?name` for a query parameter. */
export type FieldError = { pointer: string; code: string; detail: string };

/** Codes that the API never sends: what went wrong was not told by it. */
export type LocalErrorCode = "connection_failed" | "timeout" | "aborted" | "invalid_response";

export type ErrorContext = {
  /** The HTTP status, 0 when no whole answer came. */
  status?: number;
  requestId?: string | undefined;
  errors?: readonly FieldError[];
  members?: Readonly<Record<string, unknown>>;
  retryAfterMs?: number | undefined;
};

/**
 * Everything that a call can fail with. Decide by `code`: one of the API's, or a `LocalErrorCode`. It carries no cause,
 * because what fetch throws may quote the headers, and the API key with them.
 */
export class ScripError extends Error {
  readonly code: string;
  /** 0 when there was no answer; whether the API did what it was asked to is then not known. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];
  /** Further members of the answer, such as `orderStatus` or `currentTotal`. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, context: ErrorContext = {}) {
    super(message);
    this.name = "ScripError";
    this.code = code;
    this.status = context.status ?? 0;
    this.requestId = context.requestId;
    this.errors = context.errors ?? [];
    this.members = context.members ?? {};
    this.retryAfterMs = context.retryAfterMs;
  }
}

export const localError = (code: LocalErrorCode, message: string, context?: ErrorContext): ScripError =>
  new ScripError(code, message, context);
