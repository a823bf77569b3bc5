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
  explain(request) {
    const { apiKey, bearer } = presentedKeys(request);
    if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer) return TWO_KEYS;
    const key = apiKey ?? bearer;
    return key !== undefined && isWellFormedKey(key) ? undefined : MALFORMED;
  },
});

const TWO_KEYS = "X-API-Key and Authorization hold two different keys. Send one.";
const MALFORMED =
  "The API key is malformed. Send a whole key, such as sc_live_…, alone in X-API-Key or after Bearer in Authorization.";

/** The key from either header. Two different keys count as none, because it is unknown which one is meant. */
function presentedKey(request: FastifyRequest): string | undefined {
  const { apiKey, bearer } = presentedKeys(request);
  if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer) return undefined;
  return apiKey ?? bearer;
}

const presentedKeys = ({ headers }: FastifyRequest) => ({
  apiKey: headerText(headers["x-api-key"])?.trim(),
  bearer: /^Bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1]?.trim(),
});
