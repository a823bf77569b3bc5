import { type ErrorContext, type FieldError, localError, ScripError } from "../errors.ts";
import { isRecord } from "./shapes.ts";

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const REDACTED = "[redacted]";

/**
 * The API's own error, or `invalid_response` when the response is not one: a page of a proxy, or a body that does not match its
 * status.
 */
export function toProblemError(body: unknown, context: ErrorContext, apiKey: string): ScripError {
  const { status, ...problem } = asProblem(redact(body, apiKey)) ?? {};
  const { code, detail, request_id, errors, type: _type, title: _title, ...members } = problem;
  if (
    status !== context.status ||
    typeof status !== "number" ||
    status < 400 ||
    typeof code !== "string" ||
    !CODE.test(code) ||
    typeof detail !== "string"
  ) {
    const message = `The API responded with status ${context.status} and no error body.`;
    return localError("invalid_response", message, context);
  }
  return new ScripError(code, detail, {
    ...context,
    requestId: typeof request_id === "string" ? request_id : context.requestId,
    errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
    members,
  });
}

const asProblem = (body: unknown): Record<string, unknown> | undefined => (isRecord(body) ? body : undefined);

/** A server or a proxy can quote what it was sent. The key has no character that JSON escapes. */
function redact(body: unknown, apiKey: string): unknown {
  try {
    return JSON.parse(JSON.stringify(body).replaceAll(apiKey, REDACTED));
  } catch {
    return undefined;
  }
}

const isFieldError = (value: unknown): value is FieldError =>
  isRecord(value) && ["pointer", "code", "detail"].every((name) => typeof value[name] === "string");
