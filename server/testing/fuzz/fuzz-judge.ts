import assert from "node:assert/strict";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { createReplyChecker } from "../app/check-reply.ts";
import type { FuzzMemory } from "./fuzz-memory.ts";
import { type FuzzRequest, NO_OPERATION } from "./fuzz-request.ts";
import type { RawReply } from "./raw-http.ts";

export type Judge = {
  /** The answer to a request whose head could be read. */
  judge(request: FuzzRequest, reply: RawReply): void;
  /** An answer to bytes of which nobody knows what a server reads in them. */
  judgeBroken(request: FuzzRequest, reply: RawReply): void;
};

/** Throws for whatever an answer must not be; keeps what it tells. */
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
      // An address that no operation has: what an error looks like holds everywhere.
      if (reply.body !== "" || reply.status < 400) checkReply("GET", "/", asInjected(reply));
      learn(request, reply);
    },
  };
}

/** A fault of ours only where a test key has asked for one. */
function checkServed({ forced }: FuzzRequest, { status, body }: RawReply): void {
  assert.ok(status < 500 || forced, `answered ${status}: ${body.slice(0, 300)}`);
}

const asInjected = (reply: RawReply) => ({
  statusCode: reply.status,
  headers: reply.headers,
  body: reply.body,
  json: () => JSON.parse(reply.body),
});

/** CONTRACT 1, Check order: a key that is not let in learns nothing else, and never gets through. */
function checkAdmission({ key, operation, method, faults }: FuzzRequest, reply: RawReply): void {
  if (operation.scope === undefined) return;
  const wanted = key.refusal ?? (key.scopes.includes(operation.scope) ? undefined : ("forbidden" as const));
  if (wanted === undefined) {
    if (faults.length === 0)
      assert.ok(reply.status !== 401 && reply.status !== 403, `refused with ${reply.status}`);
    return;
  }
  assert.ok(reply.status >= 400, `let a key in that is ${key.name}`);
  if (faults.length === 0 && method !== "HEAD") assert.equal(JSON.parse(reply.body).code, wanted);
}

/** What is not the caller's is not found. */
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
    `${operation.id} of what is ${owner ?? "nobody"}'s answered ${reply.status}`,
  );
  const allowed = operation.scope === undefined || key.scopes.includes(operation.scope);
  if (faults.length > 0 || forced || !allowed || reply.body === "") return;
  const { code } = JSON.parse(reply.body);
  // Parameters and the sandbox's header are judged before the object is looked for.
  assert.ok(
    ["not_found", "invalid_request", "invalid_cursor"].includes(code),
    `${operation.id} answered ${code}`,
  );
}

/** A cursor is good for whom it was given to. */
function checkCursor({ key, target, faults }: FuzzRequest, reply: RawReply, memory: FuzzMemory): void {
  if (faults.length > 0) return;
  const owner = memory.ownerOf(new URL(target, "http://localhost").searchParams.get("cursor") ?? "");
  if (owner !== undefined && owner !== key.tenant)
    assert.ok(reply.status >= 400, `a cursor of ${owner} was good for ${key.name}`);
}

const sentText = ({ target, headers, body }: FuzzRequest): string =>
  `${decodeLoosely(target)} ${JSON.stringify(headers)} ${body?.toString("latin1") ?? ""}`;

function decodeLoosely(text: string): string {
  try {
    return `${text} ${decodeURIComponent(text.replaceAll("+", " "))}`;
  } catch {
    return text;
  }
}
