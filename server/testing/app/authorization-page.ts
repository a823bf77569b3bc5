import type { ApiRoute } from "./api-routes.ts";

/** The observed responses of one operation for the caller's own, missing and foreign objects. */
export type AuthorizationRow = { route: ApiRoute; own: string; missing: string; foreign: string };

/** docs/authorization.md, generated from the observed responses. */
export const authorizationPage = (rows: readonly AuthorizationRow[]): string => `# Who can call what

Written by \`server/src/keys/authorization-matrix.test.ts\`, which calls every operation of \`/openapi.json\` as every
caller below, for existing and missing objects, and fails when a response differs from this page.
[The dashboard](authorization-dashboard.md) and [the console](authorization-console.md) have their own pages.

Checks run in this order. A refused request changes nothing:

| caller | response |
|---|---|
| no key, or a malformed, unknown, revoked or expired key | 401 \`unauthenticated\`; \`detail\` says no more than the headers show |
| a key from an address outside its allowlist | 403 \`ip_not_allowed\` |
| a key without the operation's scope | 403 \`forbidden\` |
| a test key with \`X-Test-Scenario\`: \`rate_limited\`, \`internal_error\`, \`service_unavailable\` | 429, 500, 503 |
| a test key with an unknown \`X-Test-Scenario\` | 400 \`invalid_test_scenario\` |
| any other caller | the table below |

"Foreign" is an object of another reseller, or of the same reseller's other environment. Missing, foreign and hidden
objects get the same 404. Products are shared by all resellers that they are listed for.

| operation | | scope | own | missing | foreign |
|---|---|---|--:|--:|--:|
${rows.map(toLine).join("\n")}
`;

const toLine = ({ route, own, missing, foreign }: AuthorizationRow): string =>
  `| \`${route.operationId}\` | ${route.method} ${route.path} | ${scopeText(
    route.scope,
  )} | ${own} | ${missing} | ${foreign} |`;

function scopeText(scope: AuthorizationRow["route"]["scope"]): string {
  if (scope === "any") return "any key";
  return scope === undefined ? "none (no key needed)" : `\`${scope}\``;
}
