import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { LightMyRequestResponse } from "fastify";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { type Operation, operationsOf, type Reply } from "../../src/http/openapi/parts.ts";

/** The part of a response that is checked, so that responses from a socket can be checked too. */
export type CheckedReply = Pick<LightMyRequestResponse, "statusCode" | "body" | "json"> & {
  headers: Readonly<Record<string, unknown>>;
};
export type CheckReply = (method: string, url: string, reply: CheckedReply) => void;

/**
 * Checks each response against the API's own document: status, error code, content type and headers are declared,
 * the body matches its schema without additional members, and errors have the error format on any path.
 */
export function createReplyChecker(document: OpenApiDocument): CheckReply {
  const validate = createValidate(document);
  const operations = operationsOf(document);
  const findPath = pathFinder(document);
  return (method, url, reply) => {
    assert.match(String(reply.headers["x-request-id"]), /^req_[0-9a-z]{26}$/);
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    if (reply.statusCode >= 400 && !url.startsWith("/readyz")) checkProblem(validate, method, reply);
    const path = findPath(url);
    // A HEAD responds like its GET, without the body.
    const verb = method === "HEAD" ? "GET" : method;
    const operation = operations.get(`${verb} ${path}`);
    if (path === undefined || !operation) return;
    const declared = findDeclared(operation, `${verb} ${path}`, reply);
    checkHeaders(declared, `${verb} ${path} ${reply.statusCode}`, reply);
    if (method === "HEAD") return;
    const type = checkContent(declared, `${verb} ${path} ${reply.statusCode}`, reply);
    if (type !== "application/json") return;
    const steps = [
      "paths",
      path,
      verb.toLowerCase(),
      "responses",
      String(reply.statusCode),
      "content",
      type,
      "schema",
    ];
    validate(`/${steps.map(escapePart).join("/")}`, reply.json());
  };
}

type Validate = (pointer: string, body: unknown) => void;

const DOCUMENT = "https://scrip.example/openapi.json";

/** Most apps of a process have the same document. To compile its schemas takes longer than to build an app. */
const validates = new Map<string, Validate>();

function createValidate(document: OpenApiDocument): Validate {
  const text = JSON.stringify(document);
  const validate = validates.get(text) ?? compileValidate(document);
  validates.set(text, validate);
  return validate;
}

function compileValidate(document: OpenApiDocument): Validate {
  // Tests of the document validate the schemas themselves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(closed(document) as object, DOCUMENT);
  const validators = new Map<string, ValidateFunction>();
  return (pointer, body) => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
    validators.set(pointer, validator);
    if (!validator(body))
      assert.fail(`${pointer}: ${ajv.errorsText(validator.errors)} in ${JSON.stringify(body)}`);
  };
}

/** The document with additional members forbidden in every object. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, closed(inner)]));
  return "properties" in copy && copy.type === "object" ? { ...copy, additionalProperties: false } : copy;
}

function checkProblem(validate: Validate, method: string, reply: CheckedReply): void {
  assert.equal(reply.headers["content-type"], "application/problem+json; charset=utf-8");
  assert.equal(reply.headers["cache-control"], "no-store");
  if (method === "HEAD") return;
  const body = reply.json();
  assert.equal(body.request_id, reply.headers["x-request-id"]);
  assert.equal(body.status, reply.statusCode);
  validate("/components/schemas/Problem", body);
}

function pathFinder(document: OpenApiDocument): (url: string) => string | undefined {
  const patterns = Object.keys(document.paths).map((path) => ({ path, parts: path.split("/") }));
  return (url) => {
    const plain = url.split("?", 1)[0] ?? "";
    // As the router does: a path without a parameter comes first.
    if (Object.hasOwn(document.paths, plain)) return plain;
    const segments = plain.split("/");
    return patterns.find(
      ({ parts }) =>
        parts.length === segments.length &&
        parts.every((part, index) =>
          part.startsWith("{") ? segments[index] !== "" : part === segments[index],
        ),
    )?.path;
  };
}

function findDeclared({ responses = {} }: Operation, place: string, reply: CheckedReply): Reply {
  const declared = responses[String(reply.statusCode)];
  assert.ok(declared, `${place} returned ${reply.statusCode}, which it does not declare`);
  return declared;
}

/** Headers of HTTP itself, which are not part of this API. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(
  "cache-control connection content-length content-type date keep-alive transfer-encoding vary x-content-type-options".split(
    " ",
  ),
);
/** Declared, but only sent in some cases. */
const OCCASIONAL_HEADERS: ReadonlySet<string> = new Set(
  "idempotent-replayed link ratelimit ratelimit-policy retry-after".split(" "),
);

function checkHeaders(declared: Reply, place: string, { headers, statusCode }: CheckedReply): void {
  const known = Object.keys(declared.headers ?? {}).map((name) => name.toLowerCase());
  const undeclared = Object.keys(headers).filter((name) => !PLAIN_HEADERS.has(name) && !known.includes(name));
  assert.deepEqual(undeclared, [], `${place} sent undeclared headers`);
  const missing = known.filter((name) => !OCCASIONAL_HEADERS.has(name) && headers[name] === undefined);
  assert.deepEqual(missing, [], `${place} lacks declared headers`);
  if (statusCode === 429 || statusCode === 503)
    assert.match(String(headers["retry-after"]), /^[1-9]\d*$/, place);
}

/** The media type of the response. The code of an error must be declared by the operation. */
function checkContent(declared: Reply, place: string, reply: CheckedReply): string | undefined {
  if (!declared.content) {
    assert.equal(reply.body, "", `${place} has a body and declares none`);
    return undefined;
  }
  const [type = ""] = String(reply.headers["content-type"]).split(";", 1);
  const media = declared.content[type];
  assert.ok(media, `${place} is ${type}, which it does not declare`);
  if (reply.statusCode >= 400) {
    const { code } = reply.json();
    assert.ok(media.examples?.[code], `${place} returned ${code}, which it does not declare`);
  }
  return type;
}

const escapePart = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
