import type { ApiRoute } from "./api-routes.ts";

/** How one operation was seen to answer: the caller's own, what is not there, and what is somebody else's. */
export type AuthorizationRow = { route: ApiRoute; own: string; missing: string; foreign: string };

/** docs/authorization.md, made of what was measured. */
export const authorizationPage = (rows: readonly AuthorizationRow[]): string => `# Who may call what

Written by \`server/src/keys/authorization-matrix.test.ts\`, which calls every operation of \`/openapi.json\` as everybody
below, for objects that are there and objects that are not, and fails when an answer is another than this page says.

Checked in this order, and refused requests change nothing:

| caller | answer |
|---|---|
| no key, or one that is malformed, unknown, revoked or expired | 401 \`unauthenticated\`, one body for all |
| a key from an address outside its allowlist | 403 \`ip_not_allowed\` |
| a key without the operation's scope, whatever else it may do | 403 \`forbidden\` |
| a test key with \`X-Test-Scenario\`: \`rate_limited\`, \`internal_error\`, \`service_unavailable\` | 429, 500, 503 |
| a test key with an unknown \`X-Test-Scenario\` | 400 \`invalid_test_scenario\` |
| anybody else | the table below |

"Another's" is an object of another reseller, or of the same reseller's other environment. What is not there, what is
another's and what is hidden are one and the same 404. Products are common to all resellers that they are listed for.

| operation | | scope | own | not there | another's |
|---|---|---|--:|--:|--:|
${rows.map(toLine).join("\n")}
`;

const toLine = ({ route, own, missing, foreign }: AuthorizationRow): string =>
  `| \`${route.operationId}\` | ${route.method} ${route.path} | ${
    route.scope === undefined ? "none, nor a key" : `\`${route.scope}\``
  } | ${own} | ${missing} | ${foreign} |`;
