import { REAL_TIMING, type Timing } from "./timing.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type ClientOptions = {
  /** The address of the API, such as "https://api.example.com". It can have a path. */
  baseUrl: string;
  apiKey: string;
  /** The time limit of one try, including the body of the response. The default is 15 seconds. */
  timeoutMs?: number | undefined;
  /**
   * How often a call with a temporary failure is retried. The default is 2; 0 is never. A call with its pauses takes at
   * most `timeoutMs` times the number of tries.
   */
  retries?: number | undefined;
  maxResponseBytes?: number | undefined;
  fetch?: Fetch | undefined;
  /** Clock, pauses and randomness of the retries, for tests that must not wait. */
  timing?: Timing | undefined;
};

export type Connection = {
  readonly [K in keyof ClientOptions]-?: Exclude<ClientOptions[K], undefined>;
};

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_RETRIES = 2;
const RETRIES_MAX = 10;
const DEFAULT_MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** A timer set to more than this fires at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
const API_KEY = /^sc_(?:live|test)_[0-9A-Za-z]{1,200}$/;

export function openConnection(options: ClientOptions): Connection {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  // The value is never quoted: if the settings were mixed up, it is the key.
  if (typeof options.apiKey !== "string" || !API_KEY.test(options.apiKey)) {
    throw new RangeError("apiKey must be an API key that starts with sc_live_ or sc_test_");
  }
  if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
    throw new RangeError("maxResponseBytes must be a positive integer");
  }
  return {
    baseUrl: toBaseUrl(options.baseUrl),
    apiKey: options.apiKey,
    timeoutMs: checkTimeout(timeoutMs),
    retries: checkRetries(retries),
    maxResponseBytes,
    // Looked up at each call, so that a later replacement of the global, such as a test's, is used.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timing: options.timing ?? REAL_TIMING,
  };
}

export function checkTimeout(timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= TIMEOUT_MAX_MS) return timeoutMs;
  throw new RangeError(`timeoutMs must be an integer from 1 to ${TIMEOUT_MAX_MS}`);
}

export function checkRetries(retries: number): number {
  if (Number.isInteger(retries) && retries >= 0 && retries <= RETRIES_MAX) return retries;
  throw new RangeError(`retries must be an integer from 0 to ${RETRIES_MAX}`);
}

function toBaseUrl(text: string): string {
  const fault = new RangeError("baseUrl must be an http or https URL without credentials, query or fragment");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw fault;
  }
  const isPlain = url.username === "" && url.password === "" && !/[?#]/.test(text);
  if (!isPlain || !["http:", "https:"].includes(url.protocol)) throw fault;
  return url.origin + url.pathname.replace(/\/+$/, "");
}
