import { UNANSWERED_MESSAGE } from "./joined-query.ts";

/** Whether the error means that the database was unavailable, so that the caller can retry later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCodeOf(error);
  return (
    UNAVAILABLE_CODES.has(code) ||
    code.startsWith("08") ||
    UNAVAILABLE_MESSAGES.some((message) => error.message.includes(message))
  );
}

/** The SQLSTATE or system code of an error, or an empty string. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "53100", // disk_full
  "53200", // out_of_memory
  "53300", // too_many_connections
  "58030", // io_error
  "57014", // query_canceled: the statement timeout
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "25P03", // idle_in_transaction_session_timeout
  "25006", // read_only_sql_transaction: a standby that is not promoted yet
  "40003", // statement_completion_unknown
]);

/** The driver reports these without a code. */
const UNAVAILABLE_MESSAGES = [
  UNANSWERED_MESSAGE,
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "is not queryable",
];

/** Nothing was answered in time. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === UNANSWERED_MESSAGE;
