/** Of each process that serves. */
export const SERVER_POOL_SIZE = 16;
export const STATEMENT_TIMEOUT_MS = 15_000;
