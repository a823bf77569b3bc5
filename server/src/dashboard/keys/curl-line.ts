import type { Scope } from "../../http/caller.ts";

/** A request that changes nothing, for each scope that has one. The first that the key may send is shown. */
const HARMLESS: readonly (readonly [Scope, string])[] = [
  ["wallet:read", "/v1/balance"],
  ["catalog:read", "/v1/catalog?limit=1"],
  ["orders:read", "/v1/orders?limit=1"],
  ["webhooks:manage", "/v1/webhooks"],
  ["requests:read", "/v1/requests?limit=1"],
];

/** A command that works as it is pasted. A key that can only place orders has none: trying it would spend money. */
export function curlLine(baseUrl: string, key: string, scopes: readonly string[]): string | undefined {
  const path = HARMLESS.find(([scope]) => scopes.includes(scope))?.[1];
  return path === undefined ? undefined : `curl -H 'X-API-Key: ${key}' '${baseUrl}${path}'`;
}
