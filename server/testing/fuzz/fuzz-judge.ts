import assert from "node:assert/strict";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { once } from "../../src/lib/lazily.ts";
import { createReplyChecker } from "../app/check-reply.ts";
import type { FuzzMemory } from "./fuzz-memory.ts";
import { type FuzzRequest, NO_OPERATION } from "./fuzz-request.ts";
import type { RawReply } from "./raw-http.ts";

export type Judge = {
  /** Judges the response to a request whose head could be read. */
  judge(request: FuzzRequest, reply: RawReply): void;
  /** Judges a response to bytes that a server can read in unknown ways. */
  judgeBroken(request: FuzzRequest, reply: RawReply): void;
};

/** Throws for any response that must not happen, and remembers what it contains. */
export function createJudge(document: OpenApiDocument, memory: FuzzMemory): Judge {
  const checkReply = createReplyChecker(document);
  const learn = (request: FuzzRequest, reply: RawReply) =>
    memory.learn(request.key.tenant ?? "nobody", {
      operationId: request.operation.id,
      sent: sentText(request),
      reply,
    });
  return {
    judge(request, reply) {
      checkServed(request, reply);
      if (request.operation.id === NO_OPERATION)
        assert.ok(reply.status >= 400, "an unknown method was served");
      checkReply(request.method, request.target, asInjected(reply));
      checkAdmission(request, reply);
      checkOwner(request, reply, memory);
      checkCursor(request, reply, memory);
      learn(request, reply);
      const { objectId, operation, key } = request;
      if (operation.method === "DELETE" && reply.status < 300 && objectId !== undefined)
        memory.forget(key.tenant ?? "", operation.object ?? "", objectId);
    },
    judgeBroken(request, reply) {
      checkServed(request, reply);
      // A path without an operation: the error format applies everywhere.
      if (reply.body !== "" || reply.status < 400) checkReply("GET", "/", asInjected(reply));
      learn(request, reply);
    },
  };
}

/** A 5xx is only allowed if a test key has asked for one. */
function checkServed({ forced, operation }: FuzzRequest, { status, body }: RawReply): void {
  assert.ok(status < 500 || forced, `returned ${status}: ${body.slice(0, 300)}`);
  if (operation.id !== "placeOrders" || status !== 200 || forced) return;
  const results: { error?: { status: number } }[] = JSON.parse(body).results;
  // An order that the server was too busy for says so, and can be sent again.
  const failed = results.find(
    ({ error }) => error !== undefined && error.status >= 500 && error.status !== 503,
  );
  assert.equal(failed, undefined, "an order of a batch failed");
}

const asInjected = (reply: RawReply) => ({
  statusCode: reply.status,
  headers: reply.headers,
  body: reply.body,
  json: once(() => JSON.parse(reply.body)),
});

/** CONTRACT 1, Check order: a refused key learns nothing else and never gets through. */
function checkAdmission({ key, operation, method, faults }: FuzzRequest, reply: RawReply): void {
  if (operation.scope === undefined) return;
  const wanted = key.refusal ?? (allows(key, operation) ? undefined : ("forbidden" as const));
  if (wanted === undefined) {
    if (faults.length === 0)
      assert.ok(reply.status !== 401 && reply.status !== 403, `refused with ${reply.status}`);
    return;
  }
  assert.ok(reply.status >= 400, `admitted a key that is ${key.name}`);
  if (faults.length === 0 && method !== "HEAD") assert.equal(JSON.parse(reply.body).code, wanted);
}

const allows = ({ scopes }: FuzzRequest["key"], { scope }: FuzzRequest["operation"]): boolean =>
  scope === undefined || scope === "any" || scopes.includes(scope);

/** What does not belong to the caller is not found. */
function checkOwner(
  { key, objectId, operation, faults, forced }: FuzzRequest,
  reply: RawReply,
  memory: FuzzMemory,
): void {
  if (objectId === undefined || operation.object === "products" || key.refusal) return;
  const owner = memory.ownerOf(objectId);
  if (owner === key.tenant) return;
  assert.ok(
    reply.status >= 400,
    `${operation.id} of an object of ${owner ?? "no one"} returned ${reply.status}`,
  );
  const allowed = allows(key, operation);
  if (faults.length > 0 || forced || !allowed || reply.body === "") return;
  const { code } = JSON.parse(reply.body);
  // Parameters and the sandbox header are checked before the object is looked up.
  assert.ok(
    ["not_found", "invalid_request", "invalid_cursor"].includes(code),
    `${operation.id} returned ${code}`,
  );
}

/** A cursor works only for the tenant it was issued to. */
function checkCursor({ key, target, faults }: FuzzRequest, reply: RawReply, memory: FuzzMemory): void {
  if (faults.length > 0) return;
  if (!target.includes("cursor=")) return;
  const owner = memory.ownerOf(new URL(target, "http://localhost").searchParams.get("cursor") ?? "");
  if (owner !== undefined && owner !== key.tenant)
    assert.ok(reply.status >= 400, `a cursor of ${owner} worked for ${key.name}`);
}

/** Made when a word of a response has to be looked for in it. */
const sentText = ({ target, headers, body }: FuzzRequest): (() => string) =>
  once(() => `${decodeLoosely(target)} ${JSON.stringify(headers)} ${body?.toString("latin1") ?? ""}`);

function decodeLoosely(text: string): string {
  try {
    return `${text} ${decodeURIComponent(text.replaceAll("+", " "))}`;
  } catch {
    return text;
  }
}
