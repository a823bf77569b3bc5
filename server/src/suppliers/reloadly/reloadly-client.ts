import type { Clock } from "../../lib/clock.ts";
import type { Secret } from "../../lib/secret.ts";
import { isSuccess, pauseAsked, reasonOf, textAt } from "../calls/read-answer.ts";
import { callSupplier, type HttpAnswer } from "../calls/supplier-http.ts";
import { type CallLimit, createOpenThrottle } from "../calls/throttle.ts";

export type ReloadlyAccess = {
  clientId: string;
  clientSecret: Secret<string>;
  audience: string;
  tokenUrl: string;
  baseUrl: string;
};

export type ReloadlyCall = { method: "GET" | "POST"; path: string; body?: string; maxBytes?: number };

/** Nothing was sent: there is no token. `isRefused`: the credentials are wrong. */
export type NotSent = { kind: "not_sent"; reason: string; isRefused: boolean };

export type ReloadlyCaller = { call(call: ReloadlyCall, limit: CallLimit): Promise<HttpAnswer | NotSent> };
/** With how its amounts are read. */
export type ReloadlyClient = ReloadlyCaller & { isDiscountCredited: boolean };

const ACCEPT = "application/com.reloadly.giftcards-v1+json";
/** A token is renewed so long before its end: no purchase takes longer. */
const RENEW_BEFORE_MS = 60_000;
const TOKEN_MAX_MS = 24 * 3_600_000;

type Token = { text: string; renewAtMs: number };

/** The API with a token that lives as long as the client. Calls at the same time share one sign-in. */
export function createReloadlyClient(access: ReloadlyAccess, clock: Clock): ReloadlyCaller {
  const throttle = createOpenThrottle(clock);
  let token: Token | undefined;
  let signingIn: Promise<Token | NotSent> | undefined;

  const getToken = async (limit: CallLimit): Promise<Token | NotSent> => {
    if (token && clock.now().getTime() < token.renewAtMs) return token;
    signingIn ??= signIn(access, clock, limit).finally(() => {
      signingIn = undefined;
    });
    const got = await signingIn;
    token = "text" in got ? got : undefined;
    return got;
  };

  return {
    async call({ method, path, body, maxBytes }, limit) {
      if (!(await throttle.turn(limit))) return { kind: "not_sent", reason: "busy", isRefused: false };
      const got = await getToken(limit);
      if (!("text" in got)) return got;
      const answer = await callSupplier({
        method,
        url: `${access.baseUrl}${path}`,
        headers: { accept: ACCEPT, authorization: `Bearer ${got.text}` },
        signal: limit.signal,
        ...(body === undefined ? {} : { body }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
      // It ended early or was revoked. Only this one is dropped: another call may have a newer one already.
      if (answer.kind === "answer" && answer.status === 401 && token === got) token = undefined;
      const pauseMs = pauseAsked(answer);
      if (pauseMs !== undefined) throttle.pause(pauseMs);
      return answer;
    },
  };
}

async function signIn(access: ReloadlyAccess, clock: Clock, limit: CallLimit): Promise<Token | NotSent> {
  const startedMs = clock.now().getTime();
  const answer = await callSupplier({
    method: "POST",
    url: access.tokenUrl,
    body: JSON.stringify({
      client_id: access.clientId,
      client_secret: access.clientSecret.reveal(),
      grant_type: "client_credentials",
      audience: access.audience,
    }),
    signal: limit.signal,
  });
  if (!isSuccess(answer)) {
    const isRefused = answer.kind === "answer" && [400, 401, 403].includes(answer.status);
    return { kind: "not_sent", reason: isRefused ? "not_authorized" : reasonOf(answer), isRefused };
  }
  const text = textAt(answer.body, "access_token");
  const seconds = Number(textAt(answer.body, "expires_in"));
  if (text === undefined || !/^[\x21-\x7e]{1,8192}$/.test(text) || !(seconds > 0))
    return { kind: "not_sent", reason: "nonsense", isRefused: false };
  const lifeMs = Math.min(seconds * 1_000, TOKEN_MAX_MS);
  return { text, renewAtMs: startedMs + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 2) };
}
