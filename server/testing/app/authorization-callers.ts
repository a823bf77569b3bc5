import { type RequiredScope, SCOPES, type Tenant } from "../../src/http/caller.ts";
import { revokeKey } from "../../src/keys/revoke-key.ts";
import type { ProblemCode } from "../../src/lib/problem-table.ts";
import type { ApiRoute } from "./api-routes.ts";
import type { CallOptions, TestApp } from "./test-app.ts";

/** A caller of an operation, and the result before any object is looked up. */
export type AuthorizationCaller = {
  name: string;
  call: CallOptions;
  /** The error for every request. Undefined if the caller is admitted. */
  refusal: ProblemCode | undefined;
  /** Whether the objects of the matrix belong to this caller. */
  owns: boolean;
};

const ALLOWED_IPS = ["203.0.113.0/24"];
const INSIDE = "203.0.113.9";
const OUTSIDE = "198.51.100.1";

export type Tenants = { owner: Tenant; stranger: Tenant };

/** All callers of the matrix for a route with this scope, admitted callers last. */
export async function authorizationCallers(
  scrip: TestApp,
  { owner, stranger }: Tenants,
  scope: RequiredScope,
): Promise<AuthorizationCaller[]> {
  const add = async (tenant: Tenant, changes: Parameters<TestApp["addKey"]>[1] = {}) =>
    (await scrip.addKey(tenant.resellerId, { env: tenant.environment, ...changes })).key;
  const sandbox: Tenant = { ...owner, environment: "test" };
  const scopes = [scope === "any" ? "requests:read" : scope];
  const own = await add(owner, { scopes });
  const ownTest = await add(sandbox, { scopes });
  const locked = await add(owner, { scopes, allowedIps: ALLOWED_IPS });
  const lacking = await add(owner, { scopes: SCOPES.filter((other) => other !== scope) });
  return [
    caller("no key", {}, "unauthenticated"),
    caller("a malformed key", { key: `${own.slice(0, -1)}-` }, "unauthenticated"),
    caller("a revoked key", { key: await addRevoked(scrip, owner) }, "unauthenticated"),
    caller(
      "a revoked key with a scenario",
      asking(await addRevoked(scrip, sandbox), "internal_error"),
      "unauthenticated",
    ),
    caller(
      "an expired key",
      { key: await add(owner, { scopes, expiresAt: new Date(0) }) },
      "unauthenticated",
    ),
    caller("a key from a wrong address", { key: locked, remoteAddress: OUTSIDE }, "ip_not_allowed"),
    ...(scope === "any"
      ? []
      : [
          ...(await wrongScopes(add, owner, scope)),
          caller("a key with every scope but this", { key: lacking }, "forbidden"),
        ]),
    caller("a test key, scenario rate_limited", asking(ownTest, "rate_limited"), "rate_limited"),
    caller("a test key, scenario internal_error", asking(ownTest, "internal_error"), "internal_error"),
    caller(
      "a test key, scenario service_unavailable",
      asking(ownTest, "service_unavailable"),
      "service_unavailable",
    ),
    caller("a test key, scenario unknown", asking(ownTest, "no_such"), "invalid_test_scenario"),
    caller("another reseller", { key: await add(stranger, { scopes }) }, undefined),
    caller(
      "another reseller's test key",
      { key: await add({ ...stranger, environment: "test" }, { scopes }) },
      undefined,
    ),
    caller("the owner's other environment", { key: ownTest }, undefined),
    { ...caller("the owner", { key: own }, undefined), owns: true },
    {
      ...caller("the owner from a right address", { key: locked, remoteAddress: INSIDE }, undefined),
      owns: true,
    },
    { ...caller("the owner, scenario ignored", asking(own, "internal_error"), undefined), owns: true },
  ];
}

const asking = (key: string, scenario: string): CallOptions => ({
  key,
  headers: { "x-test-scenario": scenario },
});

type AddKey = (tenant: Tenant, changes: { scopes: string[] }) => Promise<string>;

const wrongScopes = (add: AddKey, owner: Tenant, scope: RequiredScope): Promise<AuthorizationCaller[]> =>
  Promise.all(
    SCOPES.filter((other) => other !== scope).map(async (other) =>
      caller(`a key with ${other} alone`, { key: await add(owner, { scopes: [other] }) }, "forbidden"),
    ),
  );

const caller = (name: string, call: CallOptions, refusal: ProblemCode | undefined): AuthorizationCaller => ({
  name,
  call,
  refusal,
  owns: false,
});

async function addRevoked(scrip: TestApp, { resellerId, environment }: Tenant): Promise<string> {
  const { id, key } = await scrip.addKey(resellerId, { env: environment });
  await revokeKey(scrip.db, scrip.clock, id);
  return key;
}

/** Where no key is needed, every caller is served, whatever key it sends. */
export const openCallers = (route: ApiRoute): AuthorizationCaller[] =>
  route.scope === undefined
    ? [caller("no key", {}, undefined), caller("a malformed key", { key: "junk" }, undefined)]
    : [];
