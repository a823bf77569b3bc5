import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { type ApiRoute, apiRoutes, RULED_OPERATIONS } from "../../testing/app/api-routes.ts";
import {
  type AuthorizationCaller,
  authorizationCallers,
  openCallers,
} from "../../testing/app/authorization-callers.ts";
import { type AuthorizationShop, openAuthorizationShop } from "../../testing/app/authorization-objects.ts";
import { type AuthorizationRow, authorizationPage } from "../../testing/app/authorization-page.ts";
import { digestTables } from "../../testing/database/table-digests.ts";
import type { RequiredScope } from "../http/caller.ts";
import { operationsOf } from "../http/openapi/parts.ts";
import { type ProblemCode, problemTable } from "../lib/problem-table.ts";

const PAGE = new URL("../../../docs/authorization.md", import.meta.url);

const ID_MAX = 64;

let place: AuthorizationShop;
let routes: ApiRoute[];

before(async () => {
  place = await openAuthorizationShop();
  routes = apiRoutes(place.shop.scrip.app.openApi());
});

after(() => place.shop.close());

test("every operation in /openapi.json has one row that says who can call it, and there are no other rows", () => {
  const named = routes
    .filter(({ method }) => method !== "HEAD")
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(named.sort(), [...RULED_OPERATIONS].sort());
});

test("the API reference shows the scope of each operation, and which operations need no key", () => {
  const operations = operationsOf(place.shop.scrip.app.openApi());
  for (const { method, path, scope } of routes.filter((route) => route.method !== "HEAD")) {
    const { description = "", security } = operations.get(`${method} ${path}`) ?? {};
    if (scope === undefined) assert.deepEqual(security, [], `${method} ${path}`);
    else {
      const needs = scope === "any" ? "Needs a valid key." : `Needs the scope \`${scope}\`.`;
      assert.ok(description.includes(needs), `${method} ${path}`);
    }
  }
});

test("each operation answers each caller by the rules, a refused request changes nothing, and the docs page agrees", async () => {
  const rows: AuthorizationRow[] = [];
  const wrong: string[] = [];
  let cases = 0;
  for (const route of routes) {
    const walked = await walk(route);
    cases += walked.cases;
    wrong.push(...walked.wrong);
    if (route.method !== "HEAD") rows.push({ route, ...walked.row });
  }
  assert.deepEqual(wrong, []);
  assert.ok(cases > 1_000, `only ${cases} cases`);
  const page = authorizationPage(rows);
  if (process.env.WRITE_DOCS === "1") writeFileSync(PAGE, page);
  assert.equal(
    readFileSync(PAGE, "utf8"),
    page,
    "regenerate it: WRITE_DOCS=1 npm test -- server/src/keys/authorization-matrix.test.ts",
  );
});

type Walked = { cases: number; wrong: string[]; row: Omit<AuthorizationRow, "route"> };
type Case = { caller: AuthorizationCaller; objectId: string; exists: boolean };

/** Calls one operation as every caller. Refused callers come first; after them the database must be unchanged. */
async function walk(route: ApiRoute): Promise<Walked> {
  const { scrip } = place.shop;
  const cases = await casesOf(route);
  const refused = cases.filter((each) => expected(route, each).status >= 400);
  const answers = new Map<Case, LightMyRequestResponse>();
  const before = await digestTables(scrip.db);
  for (const each of refused) answers.set(each, await send(route, each));
  const wrong: string[] = [];
  const written = Object.entries(await digestTables(scrip.db)).filter(
    ([name, digest]) => before[name] !== digest,
  );
  if (written.length > 0) wrong.push(`${title(route)}: a refused request wrote to ${written.join("; ")}`);
  for (const each of cases.filter((one) => !answers.has(one))) answers.set(each, await send(route, each));
  const ownWords = await place.ownWords();
  for (const [each, reply] of answers) wrong.push(...faultsOf(route, each, reply, ownWords));
  wrong.push(...unequal(route, answers));
  await place.tidy();
  const seen = (pick: (each: Case) => boolean) => {
    const found = [...answers].filter(([each]) => each.caller.refusal === undefined && pick(each));
    return [...new Set(found.map(([, reply]) => String(reply.statusCode)))].join(", ") || "–";
  };
  const isObject = route.object !== undefined;
  return {
    cases: cases.length,
    wrong,
    row: {
      own: seen(({ caller, exists }) => exists && (caller.owns || route.scope === undefined)),
      missing: seen(({ exists }) => !exists),
      foreign: isObject ? seen(({ caller, exists }) => exists && !caller.owns) : "–",
    },
  };
}

async function casesOf(route: ApiRoute): Promise<Case[]> {
  const { make, unseen } = place;
  const makeObject = async () => (route.object === undefined ? "" : await make(route.object));
  // Nothing may happen to it, which is looked at. One that may be changed or removed is the caller's own.
  const sharedId = await makeObject();
  const cases: Case[] = [];
  for (const caller of route.scope === undefined ? openCallers(route) : await callersOf(route.scope)) {
    const isShared = caller.refusal !== undefined || !caller.owns;
    const objectId = isShared ? sharedId : await makeObject();
    cases.push({ caller, objectId, exists: true });
    const unseenIds = route.object === undefined ? [] : unseen[route.object];
    // An overlong id is invalid in a body; in a path it is just another unknown id.
    for (const unseenId of unseenIds.filter((id) => route.path.includes("{") || id.length <= ID_MAX))
      cases.push({ caller, objectId: unseenId, exists: false });
  }
  return cases;
}

const callersByScope = new Map<RequiredScope, Promise<AuthorizationCaller[]>>();

/** Their keys are made once for each scope. */
function callersOf(scope: RequiredScope): Promise<AuthorizationCaller[]> {
  const made = callersByScope.get(scope) ?? authorizationCallers(place.shop.scrip, place.tenants, scope);
  callersByScope.set(scope, made);
  return made;
}

/** All rules (CONTRACT 1, Check order; CONTRACT 2). */
function expected(route: ApiRoute, { caller, exists }: Case): { status: number; code?: ProblemCode } {
  const isTheirs = route.object === undefined || route.object === "product" || caller.owns;
  const code = caller.refusal ?? (exists && isTheirs ? undefined : "not_found");
  return code === undefined ? { status: route.success } : { status: problemTable[code].status, code };
}

let sent = 0;

function send(route: ApiRoute, { caller, objectId }: Case): Promise<LightMyRequestResponse> {
  const { url, body } = route.callOn(objectId);
  sent += 1;
  const headers = { ...caller.call.headers, "idempotency-key": `matrix ${sent}` };
  return place.shop.scrip.call(route.method, url, { ...caller.call, headers, body });
}

function faultsOf(
  route: ApiRoute,
  each: Case,
  reply: LightMyRequestResponse,
  ownWords: readonly string[],
): string[] {
  const { caller, objectId, exists } = each;
  const what = `${title(route)} by ${caller.name}, ${exists ? "there" : `missing (${objectId.slice(0, 40)})`}`;
  const { status, code } = expected(route, each);
  if (reply.statusCode !== status)
    return [`${what}: ${reply.statusCode} instead of ${status}: ${reply.body}`];
  const told = caller.owns ? undefined : ownWords.find((word) => reply.body.includes(word));
  if (told !== undefined) return [`${what}: got ${told}`];
  if (code === undefined || route.method === "HEAD") return [];
  const problem = reply.json();
  if (problem.code !== code) return [`${what}: ${problem.code} instead of ${code}`];
  if (code === "forbidden" && !problem.detail.includes(route.scope)) return [`${what}: ${problem.detail}`];
  return [];
}

/** Missing resources and those of others must be indistinguishable, and so must all keys that are well formed and not valid. */
function unequal(route: ApiRoute, answers: ReadonlyMap<Case, LightMyRequestResponse>): string[] {
  return [401, 404].flatMap((status) => {
    const found = [...answers].filter(
      ([{ caller }, { statusCode }]) => statusCode === status && !SEEN_IN_HEADERS.includes(caller.name),
    );
    const bodies = new Set(found.map(([{ objectId }, reply]) => withoutIds(reply, objectId)));
    return bodies.size > 1 ? [`${title(route)}: ${status} in different ways: ${[...bodies].join("\n")}`] : [];
  });
}

/** What is wrong with these can be seen without looking the key up, and is said. */
const SEEN_IN_HEADERS = ["no key", "a malformed key"];

/** Status, headers and body, without the time, the request id and the requested id. */
function withoutIds(reply: LightMyRequestResponse, objectId: string): string {
  const { "x-request-id": requestId, date: _date, "content-length": length, ...headers } = reply.headers;
  const parts = objectId === "" ? [reply.body] : reply.body.split(objectId);
  const otherLength = Number(length) - (parts.length - 1) * Buffer.byteLength(objectId);
  const body = parts.join("ID").replace(String(requestId), "REQ");
  return `${reply.statusCode} ${JSON.stringify(headers)} ${otherLength} ${body}`;
}

const title = ({ method, path }: ApiRoute): string => `${method} ${path}`;
