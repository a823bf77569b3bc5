import { createClient } from "@scrip/sdk";

export type SupplierConfig = { baseUrl: string; apiKey: string };

const MEMBERS = ["baseUrl", "apiKey"] as const;
/** CONTRACT 2: 32 random characters and 6 of checksum. */
const LIVE_KEY = /^sc_live_[0-9A-Za-z]{38}$/;

/** The config of a supplier of the kind `scrip`. Its messages quote nothing: what stands there may be the key. */
export function assertSupplierConfig(json: unknown): SupplierConfig {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new RangeError('the config must be {"baseUrl": "…", "apiKey": "…"}');
  }
  if (Object.keys(json).some((name) => !MEMBERS.includes(name as "baseUrl"))) {
    throw new RangeError("the config has a member other than baseUrl and apiKey");
  }
  const { baseUrl, apiKey } = json as Record<string, unknown>;
  if (typeof baseUrl !== "string") throw new RangeError("the config lacks baseUrl, the address of the API");
  if (typeof apiKey !== "string") throw new RangeError("the config lacks apiKey, a live key of the API");
  if (apiKey.startsWith("sc_test_")) {
    throw new RangeError("apiKey is a test key, which buys nothing but test codes; it must be a live key");
  }
  if (!LIVE_KEY.test(apiKey)) {
    throw new RangeError("apiKey must be a live key: sc_live_ and 38 letters and digits");
  }
  // What the client takes is what the supplier can be made of.
  createClient({ baseUrl, apiKey });
  return { baseUrl, apiKey };
}
