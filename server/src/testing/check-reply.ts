import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { LightMyRequestResponse } from "fastify";
import type { OpenApiDocument } from "../http/openapi.ts";

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> };

/**
 * Checks each reply against the API's own description: the status is declared, the body matches its schema and has no
 * member that the schema does not name, and errors have the error shape whatever the path.
 */
export function createReplyChecker(document: OpenApiDocument): CheckReply {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(closed(document) as object, DOCUMENT);
  const validators = new Map<string, ValidateFunction>();
  const validate = (pointer: string, body: unknown) => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
    validators.set(pointer, validator);
    assert.ok(validator(body), `${pointer}: ${ajv.errorsText(validator.errors)} in ${JSON.stringify(body)}`);
  };

  return (method, url, reply) => {
    assert.match(String(reply.headers["x-request-id"]), /^req_[0-9a-z]{26}$/);
    if (reply.statusCode >= 400 && !url.startsWith("/readyz")) {
      assert.equal(reply.headers["content-type"], "application/problem+json; charset=utf-8");
      if (method === "HEAD") return;
      const body = reply.json();
      assert.equal(body.request_id, reply.headers["x-request-id"]);
      assert.equal(body.status, reply.statusCode);
      validate("/components/schemas/Problem", body);
    }
    const path = findPath(document, url);
    const operation =
      path === undefined
        ? undefined
        : (document.paths[path]?.[method.toLowerCase()] as Operation | undefined);
    if (path === undefined || !operation) return;
    const declared = operation.responses[String(reply.statusCode)];
    assert.ok(declared, `${method} ${path} answered ${reply.statusCode}, which it does not declare`);
    if (reply.statusCode < 300 && declared.content) {
      validate(
        `/paths/${escapePart(path)}/${method.toLowerCase()}/responses/${reply.statusCode}/content/application~1json/schema`,
        reply.json(),
      );
    }
  };
}

export type CheckReply = (method: string, url: string, reply: LightMyRequestResponse) => void;

const DOCUMENT = "https://scrip.example/openapi.json";

const escapePart = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

function findPath(document: OpenApiDocument, url: string): string | undefined {
  const segments = (url.split("?", 1)[0] ?? "").split("/");
  return Object.keys(document.paths).find((path) => {
    const pattern = path.split("/");
    return (
      pattern.length === segments.length &&
      pattern.every((part, index) =>
        part.startsWith("{") ? segments[index] !== "" : part === segments[index],
      )
    );
  });
}

/** The same document, in which no object may have members that it does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, closed(inner)]));
  return "properties" in copy && copy.type === "object" ? { ...copy, additionalProperties: false } : copy;
}
