import type { FastifyRequest } from "fastify";
import { type Authenticator, headerText } from "../http/authenticator.ts";
import type { Authenticate } from "./authenticate.ts";
import { isWellFormedKey, keyHint } from "./key-format.ts";
import type { UseRecorder } from "./record-use.ts";

/** Callers with an API key, in X-API-Key or as a bearer token. Each use of a key is recorded, admitted or not. */
export const createKeyAuthenticator = (
  authenticate: Authenticate,
  useRecorder: UseRecorder,
  digest: (key: string) => Buffer,
): Authenticator => ({
  recognizes: ({ headers }) => headers["x-api-key"] !== undefined || headers.authorization !== undefined,
  async authenticate(request) {
    const key = presentedKey(request);
    const found = key === undefined ? undefined : await authenticate(key);
    if (found) useRecorder.record(found.caller.actor.id, request.callerAddress, found.lastUsedAt);
    if (!found && key !== undefined && isWellFormedKey(key))
      request.refusedKey = { hint: keyHint(key), digest: digest(key) };
    return found?.caller;
  },
});

/** The key from either header. Two different keys count as none, because it is unknown which one is meant. */
function presentedKey(request: FastifyRequest): string | undefined {
  const apiKey = headerText(request.headers["x-api-key"])?.trim();
  const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? "")?.[1]?.trim();
  if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer) return undefined;
  return apiKey ?? bearer;
}
