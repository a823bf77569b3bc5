/** How long a connection may take to send the head of a request. */
export const HEADERS_TIMEOUT_MS = 5_000;
export const REQUEST_TIMEOUT_MS = 15_000;
/** How long an idle connection stays open. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
