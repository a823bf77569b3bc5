import { localError, ScripError } from "../errors.ts";
import type { CallOptions } from "../types/common.ts";
import { type Connection, checkRetries, checkTimeout } from "./connection.ts";
import { type Answer, type Call, request } from "./request.ts";

export type RepeatableCall<T> = Omit<Call<T>, "body"> & {
  body?: unknown;
  /** Whether the call is idempotent. Any other call is retried only when the API says that it has not started. */
  isRepeatable: boolean;
  /** The result of a 404 after a try without a response: that try did it. */
  whenGone?: T;
};

const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 8_000;
/** If the server asks for a longer pause than this, the call fails and the caller decides. */
const RETRY_AFTER_MAX_MS = 30_000;
const TEST_SCENARIO = /^[\x21-\x7e]{1,64}$/;

/** A call with its retries: at most `timeoutMs` per try, and at most that times the number of tries in all. */
export async function perform<T>(
  connection: Connection,
  call: RepeatableCall<T>,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const { timing } = connection;
  const { signal } = options;
  const timeoutMs = checkTimeout(options.timeoutMs ?? connection.timeoutMs);
  const retries = checkRetries(options.retries ?? connection.retries);
  const prepared = prepare(call, options.testScenario);
  const endMs = timing.now() + timeoutMs * (retries + 1);
  let wasUnanswered = false;
  for (let failures = 0; ; failures += 1) {
    const leftMs = Math.ceil(endMs - timing.now());
    try {
      return await request(connection, prepared, { timeoutMs: Math.min(timeoutMs, leftMs), signal });
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      if (wasUnanswered && error.status === 404 && call.whenGone !== undefined) {
        return { value: call.whenGone, headers: new Headers() };
      }
      const pauseMs = pauseAfter(error, failures, timing.random());
      const isInTime = pauseMs !== undefined && timing.now() + pauseMs < endMs;
      if (failures === retries || !mayRepeat(call, error) || !isInTime) throw error;
      wasUnanswered ||= !isClearNo(error);
      await timing.wait(pauseMs, signal);
      if (signal?.aborted) throw localError("aborted", "The call was aborted.");
      // A machine that was busy or asleep has used up the time.
      if (timing.now() >= endMs) throw error;
    }
  }
}

/** Serialised once, so that every try sends the same even if the input changes. */
function prepare<T>(call: RepeatableCall<T>, scenario: string | undefined): Call<T> {
  const prepared = { ...call, body: toJson(call.body) };
  if (scenario === undefined) return prepared;
  if (!TEST_SCENARIO.test(scenario)) throw new RangeError("testScenario must be the name of a scenario");
  return { ...prepared, headers: { ...call.headers, "x-test-scenario": scenario } };
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    throw new RangeError("the input cannot be serialised as JSON");
  }
}

const mayRepeat = <T>(call: RepeatableCall<T>, error: ScripError): boolean =>
  error.isRetryable && (call.isRepeatable || isClearNo(error));

/**
 * The API itself says that it has not started. A 503 does not say so: the database can fail after the work was done. A page of
 * a proxy does not say so either.
 */
const isClearNo = ({ status, code }: ScripError): boolean => status === 429 && code !== "invalid_response";

/**
 * A random pause up to a bound that doubles, so that clients that failed together do not return together. It is never shorter
 * than the server asked for; undefined when that is too long.
 */
function pauseAfter({ retryAfterMs }: ScripError, failures: number, chance: number): number | undefined {
  if (retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_MAX_MS) return undefined;
  const boundMs = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** failures);
  return (retryAfterMs ?? 0) + chance * boundMs;
}
