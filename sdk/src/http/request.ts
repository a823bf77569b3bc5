import { type ErrorContext, localError, ScripError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { startDeadline } from "./deadline.ts";
import { toProblemError } from "./problem.ts";
import { readBytes } from "./read-bytes.ts";
import { readAs, type Shape, ShapeError } from "./shapes.ts";

export type Call<T> = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body?: string | undefined;
  /** The one status that means success. */
  expected: number;
  shape: Shape<T>;
  /** Asks for CSV. The answer is its text, and `shape` is not used. */
  readsCsv?: boolean;
};

/** The settings of one try. */
export type Limits = { timeoutMs: number; signal: AbortSignal | undefined };

export type Answer<T> = { value: T; headers: Headers };

/** One try of a call. The deadline covers all of it, regardless of how fetch treats the signal. */
export async function request<T>(
  connection: Connection,
  call: Call<T>,
  { timeoutMs, signal }: Limits,
): Promise<Answer<T>> {
  const deadline = startDeadline(timeoutMs, signal);
  try {
    return await deadline.race(exchange(connection, call, deadline.signal));
  } catch (error) {
    // The rest of the response is not needed.
    deadline.abandon();
    throw error;
  } finally {
    deadline.clear();
  }
}

async function exchange<T>(connection: Connection, call: Call<T>, signal: AbortSignal): Promise<Answer<T>> {
  signal.throwIfAborted();
  const response = await reach(() => send(connection, call, signal));
  const context = contextOf(response, connection.apiKey);
  if (isRedirect(response)) {
    throw localError(
      "invalid_response",
      "The API responded with a redirect, which is not followed.",
      context,
    );
  }
  const bytes = await reach(() => readBytes(response, connection.maxResponseBytes));
  if (!bytes) throw localError("invalid_response", "The API's response is too large.", context);
  if (call.readsCsv && response.status === call.expected) {
    return readCsv(response, bytes, context) as Answer<T>;
  }
  const body = parseJson(bytes);
  if (response.status !== call.expected) {
    const isProblem = hasType(response, "application/problem+json");
    throw toProblemError(isProblem ? body : undefined, context, connection.apiKey);
  }
  if (body === undefined || !hasType(response, "application/json")) {
    throw localError("invalid_response", "The API's response is not JSON.", context);
  }
  return { value: readShape(call, body, context), headers: response.headers };
}

/** An error of fetch can quote the headers, so only its code, such as ECONNREFUSED, is kept. */
async function reach<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof ScripError) throw error;
    const code = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
    const told = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : "";
    throw localError("connection_failed", `The connection to the API failed${told}.`);
  }
}

function send<T>(
  { fetch, baseUrl, apiKey }: Connection,
  { method, path, headers, body, readsCsv }: Call<T>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(baseUrl + path, {
    method,
    headers: {
      ...headers,
      accept: `${readsCsv ? "text/csv" : "application/json"}, application/problem+json`,
      "x-api-key": apiKey,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
    // A redirect would send the key to the host that it names.
    redirect: "manual",
    signal,
  });
}

/** Browsers hide the target of a redirect, and its status. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

function contextOf({ status, headers }: Response, apiKey: string): ErrorContext {
  const requestId = headers.get("x-request-id") ?? "";
  const isUsable = /^[\x21-\x7e]{1,100}$/.test(requestId) && !requestId.includes(apiKey);
  return {
    status,
    requestId: isUsable ? requestId : undefined,
    retryAfterMs: toMilliseconds(headers.get("retry-after")),
  };
}

/** Retry-After is a number of seconds, or a date if a proxy wrote it. */
function toMilliseconds(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const time = Date.parse(retryAfter);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}

function readCsv(response: Response, bytes: Uint8Array, context: ErrorContext): Answer<unknown> {
  if (!hasType(response, "text/csv")) {
    throw localError("invalid_response", "The API's response is not CSV.", context);
  }
  return { value: new TextDecoder().decode(bytes), headers: response.headers };
}

/** The error of JSON.parse quotes the text, so it is not kept. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function hasType({ headers }: Response, type: string): boolean {
  const [given = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return given.trim().toLowerCase() === type;
}

function readShape<T>({ shape }: Call<T>, body: unknown, context: ErrorContext): T {
  try {
    return readAs(shape, body);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw localError(
      "invalid_response",
      `The API's response does not match its description: ${error.message}.`,
      context,
    );
  }
}
