import type { Clock } from "../../lib/clock.ts";
import type { Secret } from "../../lib/secret.ts";
import { pauseAsked } from "./read-answer.ts";
import { callSupplier, type HttpAnswer } from "./supplier-http.ts";
import { type CallLimit, createOpenThrottle, createThrottle } from "./throttle.ts";

export type BasicAccess = { baseUrl: string; user: string; password: Secret<string> };

export type BasicCall = { method: "GET" | "POST"; path: string; body?: string; maxBytes?: number };

/** Nothing was sent: its turn would have come too late. */
export type NotSent = { kind: "not_sent"; reason: "busy" };

export type BasicClient = { call(call: BasicCall, limit: CallLimit): Promise<HttpAnswer | NotSent> };

/** How many purchases and reads a second a supplier allows. */
export type CallRates = { postsPerSecond: number; getsPerSecond: number };

/** How many reads may go out at once before they are spread evenly. */
const BURST = 2;

/** An API with Basic authentication. Purchases and reads wait for their turn, each kind by itself. */
export function createBasicClient(access: BasicAccess, clock: Clock, rates?: CallRates): BasicClient {
  const throttles = {
    POST: rates ? createThrottle(rates.postsPerSecond, 1, clock) : createOpenThrottle(clock),
    GET: rates ? createThrottle(rates.getsPerSecond, BURST, clock) : createOpenThrottle(clock),
  };
  return {
    async call({ method, path, body, maxBytes }, limit) {
      const throttle = throttles[method];
      if (!(await throttle.turn(limit))) return { kind: "not_sent", reason: "busy" };
      const credentials = Buffer.from(`${access.user}:${access.password.reveal()}`).toString("base64");
      const answer = await callSupplier({
        method,
        url: `${access.baseUrl}${path}`,
        headers: { authorization: `Basic ${credentials}` },
        signal: limit.signal,
        ...(body === undefined ? {} : { body }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
      const pauseMs = pauseAsked(answer);
      if (pauseMs !== undefined) throttle.pause(pauseMs);
      return answer;
    },
  };
}
