import { createClient } from "@scrip/sdk";

export type ScripConfig = { baseUrl: string; apiKey: string; allowInsecure?: boolean };

const MEMBERS: readonly string[] = ["baseUrl", "apiKey", "allowInsecure"];
/** CONTRACT 2: 32 random characters and 6 of checksum. */
const LIVE_KEY = /^sc_live_[0-9A-Za-z]{38}$/;

/** The config of a supplier of the kind `scrip`. Its messages quote nothing of it, because that may be the key. */
export function parseScripConfig(json: unknown): ScripConfig {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new RangeError('the config must be {"baseUrl": "…", "apiKey": "…"}');
  }
  if (Object.keys(json).some((name) => !MEMBERS.includes(name))) {
    throw new RangeError("the config has a member other than baseUrl, apiKey and allowInsecure");
  }
  const { baseUrl, apiKey, allowInsecure = false } = json as Record<string, unknown>;
  if (typeof baseUrl !== "string") throw new RangeError("the config lacks baseUrl, the address of the API");
  if (typeof apiKey !== "string") throw new RangeError("the config lacks apiKey, a live key of the API");
  if (apiKey.startsWith("sc_test_")) {
    throw new RangeError("apiKey is a test key, which buys nothing but test codes; it must be a live key");
  }
  if (!LIVE_KEY.test(apiKey)) {
    throw new RangeError("apiKey must be a live key: sc_live_ and 38 letters and digits");
  }
  if (typeof allowInsecure !== "boolean") throw new RangeError("allowInsecure must be true or false");
  // It refuses an address that the supplier could not be made with.
  createClient({ baseUrl, apiKey });
  if (!allowInsecure && isExposed(new URL(baseUrl))) {
    throw new RangeError(
      'baseUrl is plain http: the key and every code would cross the network unencrypted. Use https, or add "allowInsecure": true to the config',
    );
  }
  return { baseUrl, apiKey, ...(allowInsecure ? { allowInsecure } : {}) };
}

/** Plain http is safe within this machine alone. `URL` has normalized the address. */
const isExposed = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
