import { ScripError } from "@scrip/sdk";
import { pause } from "./pause.ts";

type TryingDeps = { apiUrl: string; tell: (line: string) => void; signal: AbortSignal };

const BACKOFF_BASE_MS = 1_000;
const BACKOFF_MAX_MS = 5_000;

/**
 * Calls the API until it responds or the signal is aborted (then the result is undefined). Reports once that the API is gone and
 * once that it is back. A permanent error is thrown with a message that a developer can act on.
 */
export function keepTrying({ apiUrl, tell, signal }: TryingDeps) {
  let wasReached = false;
  return async <Result>(ask: () => Promise<Result>): Promise<Result | undefined> => {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const result = await ask();
        if (failures > 0) tell(`The API at ${apiUrl} is back.`);
        wasReached = true;
        return result;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof ScripError) || !mayPass(error, wasReached)) throw explain(error, apiUrl);
        if (failures === 0)
          tell(`The API at ${apiUrl} is not responding correctly (${error.code}); retrying.`);
        await pause(pauseAfter(error, failures), signal);
      }
    }
    return undefined;
  };
}

const isRefusedKey = ({ status }: ScripError): boolean => status === 401 || status === 403;

/** If the API worked before, every error except a refused key is temporary: a proxy might be restarting. */
const mayPass = (error: ScripError, wasReached: boolean): boolean =>
  !isRefusedKey(error) && (error.isRetryable || wasReached);

const pauseAfter = ({ retryAfterMs = 0 }: ScripError, failures: number): number =>
  Math.max(retryAfterMs, Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** failures));

function explain(error: unknown, apiUrl: string): unknown {
  if (!(error instanceof ScripError)) return error;
  const { code, status, requestId } = error;
  const told = [status === 0 ? "" : String(status), code, requestId ?? ""]
    .filter((text) => text !== "")
    .join(", ");
  return new Error(`${reasonOf(error, apiUrl)} (${told})`);
}

function reasonOf({ code, status, message }: ScripError, apiUrl: string): string {
  if (status === 401) return "the API key is unknown, expired or revoked";
  if (code === "forbidden") return "the API key needs the scope webhooks:manage to read events";
  if (code === "ip_not_allowed") return "the API key does not allow this IP address";
  return `no Scrip API at ${apiUrl}: ${message}`;
}
