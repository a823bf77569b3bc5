import type { ApiProcess } from "./start-api-process.ts";

/** An API process as callers see it, and when it last acknowledged an order. */
export type TimedApi = Pick<ApiProcess, "post"> & {
  acknowledged(): number;
  /** The longest time between two acknowledged orders, or since the last one. */
  longestSilenceMs(): number;
};

/** How long the most patient caller waits for a response. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Records when the process at this URL acknowledges orders, from now on. */
export function timedApi(url: string, nowMs: () => number): TimedApi {
  let count = 0;
  let lastMs = nowMs();
  let longestMs = 0;
  return {
    async post(path, key, body, headers = {}) {
      const reply = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      const text = await reply.text();
      if (reply.status === 202) {
        longestMs = Math.max(longestMs, nowMs() - lastMs);
        lastMs = nowMs();
        count += 1;
      }
      const etag = reply.headers.get("etag") ?? undefined;
      return { status: reply.status, etag, headers: Object.fromEntries(reply.headers), body: text };
    },
    acknowledged: () => count,
    longestSilenceMs: () => Math.max(longestMs, nowMs() - lastMs),
  };
}
