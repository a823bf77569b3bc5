import assert from "node:assert/strict";
import { PAGE_HEADERS } from "../../../src/web/security/page-headers.ts";
import type { RawReply } from "../raw-http.ts";
import { NOBODYS_ID } from "./web-memory.ts";
import type { WebRequest } from "./web-sources.ts";
import { MARKUP } from "./web-spoils.ts";

export type WebJudge = {
  /** Throws for a response that must not happen. */
  judge(request: WebRequest, reply: RawReply): void;
};

/** In the names, notes and costs of suppliers, and nowhere else. */
export const SUPPLIER_WORD = "planted";
export const PLANTED_COST_MINOR = 133_713n;
const SUPPLIER_WORDS = /planted|\bsup_[0-9a-z]{26}\b|(?<![\w.])1,?337\.13(?!\d)|(?<![\w.-])133713(?![\w.-])/i;
const ID = /\b[a-z]{3}_[0-9a-z]{26}\b/g;
const LIVE_CODE = /LIVECODE-/;
const TELLS_CODES = /^dashboard POST \/dashboard\/orders\/:id\/(reveal|codes\.csv)$/;
/** It shows the paths that a team asked for, with ids that it may have made up or taken from elsewhere. */
const REQUEST_LOG = /^dashboard GET \/dashboard\/requests/;
const IMAGE = MARKUP.slice(2, 12);

/** Checks what holds for every answer of a face. Remembers which ids a team has seen: they are no other team's. */
export function createWebJudge(teams: readonly string[]): WebJudge {
  const owners = new Map<string, string>();
  const typed = new Set<string>();

  const checkOwners = (request: WebRequest, body: string): void => {
    const { team } = request.person;
    for (const text of request.typed) for (const [id] of text.matchAll(ID)) typed.add(`${team} ${id}`);
    for (const [id] of REQUEST_LOG.test(request.route.key) ? [] : body.matchAll(ID)) {
      // Each answer has the id of its own request.
      if (id.startsWith("req_") || id === NOBODYS_ID) continue;
      const owner = owners.get(id);
      if (owner === undefined) owners.set(id, team);
      else if (owner !== team && !typed.has(`${team} ${id}`))
        assert.fail(`${request.route.key} showed ${team} ${id}, which is ${owner}'s: ${around(body, id)}`);
    }
    const other = teams.find((name) => name !== team && body.includes(`@${name}.example`));
    assert.equal(other, undefined, `${request.route.key} showed ${team} a person of ${other}`);
  };

  return {
    judge(request, reply) {
      const { status, body } = reply;
      assert.ok(status < 500, `returned ${status}: ${body.slice(0, 300)}`);
      checkForm(request, reply);
      if (request.mustRefuse) assert.ok(status >= 400 || isSentToSignIn(reply), `accepted with ${status}`);
      // In a file that is saved it is text, as typed.
      if (!isFile(reply)) assert.ok(!body.includes(IMAGE), "markup that was typed came back as markup");
      if (request.person.face === "console") return;
      const words = SUPPLIER_WORDS.exec(body);
      assert.equal(words, null, `a supplier or a cost is on a page: ${words?.[0]}`);
      if (LIVE_CODE.test(body)) assert.match(request.route.key, TELLS_CODES, "a code is on a page");
      checkOwners(request, body);
    },
  };
}

/**
 * A role that may not, is not served. A colleague's form can have changed the role of the account, or removed it, while the request was
 * on its way: it may have been served in either of the roles that were seen before and after.
 */
export function judgeRole({ route, person }: WebRequest, status: number, seen: readonly RoleSeen[]): void {
  const { roles } = route;
  if (typeof roles === "string" || status >= 300) return;
  const isAllowed = seen.some((role) => role !== undefined && roles.some((one) => one === role));
  assert.ok(isAllowed, `${person.role} was served with ${status}`);
}

/** Undefined if the account was gone. */
type RoleSeen = string | undefined;

const CONTEXT_CHARACTERS = 300;

/** Where it is, so that a finding can be explained without a second run. */
function around(body: string, id: string): string {
  const at = body.indexOf(id);
  return body.slice(Math.max(0, at - CONTEXT_CHARACTERS), at + CONTEXT_CHARACTERS);
}

/** A page, a file, a redirect within the face, or an error, with the headers that keep a browser safe. */
function checkForm({ method, target }: WebRequest, { status, headers, body }: RawReply): void {
  const type = headers["content-type"] ?? "";
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["cache-control"], "no-store");
  if (type.startsWith("application/problem+json")) {
    // What is no address of a face, or is no HTTP that can be routed, is refused as everywhere.
    assert.ok(status >= 400);
    return;
  }
  for (const [name, value] of Object.entries(PAGE_HEADERS)) assert.equal(headers[name], value, name);
  if (status >= 300 && status < 400) {
    assert.equal(status, 303);
    assert.match(headers.location ?? "", /^\/(?![/\\])/, "it leads to another site");
    return;
  }
  if (status >= 400) assert.ok(type.startsWith("text/html"), `${status} is ${type}`);
  if (type.startsWith("text/html") && method !== "HEAD")
    assert.ok(body.trimEnd().endsWith("</html>"), `${target} is half a page`);
}

/** The browser saves it and shows none of it. */
const isFile = ({ headers }: RawReply): boolean =>
  (headers["content-type"] ?? "").startsWith("text/csv") &&
  (headers["content-disposition"] ?? "").startsWith("attachment");

export const isSentToSignIn = ({ status, headers }: RawReply): boolean =>
  status === 303 && /\/sign-in(\?|$)/.test(headers.location ?? "");
