import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { addEchoRoute, ECHO_URL } from "../../testing/app/echo-route.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { exchange } from "../../testing/fuzz/raw-http.ts";

const BODY_MAX_BYTES = 64 * 1024;

let scrip: TestApp;
let key: string;
let port: number;

before(async () => {
  scrip = await createTestApp({ addRoutes: addEchoRoute });
  key = (await scrip.addKey((await scrip.addReseller()).id)).key;
  await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  port = (scrip.app.server.address() as AddressInfo).port;
});

after(() => scrip.close());

const JSON_TYPE = { "content-type": "application/json" };
const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  scrip.call("POST", ECHO_URL, { key, body, headers });

test("an unknown path returns 404, with or without a key, whatever the body", async () => {
  const paths = [
    "/",
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/v1/catalog/",
    "/v1/Catalog",
    "/v2/catalog",
    "/v1/products",
  ];
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      assert.equal((await scrip.call(method, path)).statusCode, 404, `${method} ${path}`);
      assert.equal((await scrip.call(method, path, { key })).statusCode, 404, `${method} ${path}`);
    }
  }
  assert.equal((await scrip.call("GET", "/v1/nothing")).json().code, "not_found");
  // The path is checked first: the body is not read.
  for (const body of ["{", "x".repeat(BODY_MAX_BYTES + 1)]) {
    assert.equal((await scrip.call("POST", "/v1/nothing", { body, headers: JSON_TYPE })).statusCode, 404);
    assert.equal((await scrip.call("POST", "/v1/catalog", { body, headers: JSON_TYPE })).statusCode, 405);
  }
});

test("a known path with another method returns 405, and Allow lists its methods", async () => {
  const cases = [
    ["/v1/catalog", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"], "GET, HEAD"],
    ["/v1/products/any", ["POST", "DELETE", "OPTIONS"], "GET, HEAD"],
    ["/v1/catalog?limit=x", ["POST", "OPTIONS"], "GET, HEAD"],
    [ECHO_URL, ["GET", "HEAD", "PUT", "OPTIONS"], "POST"],
    ["/openapi.json", ["POST"], "GET, HEAD"],
  ] as const;
  for (const [path, methods, allow] of cases) {
    for (const method of methods) {
      const reply = await scrip.call(method, path, { key });
      assert.equal(reply.statusCode, 405, `${method} ${path}`);
      assert.equal(reply.headers.allow, allow, `${method} ${path}`);
      if (method !== "HEAD") assert.equal(reply.json().code, "method_not_allowed");
    }
  }
});

test("a body of 64 KiB is accepted and one byte more returns 413, with or without Content-Length", async () => {
  const fill = (bytes: number) => `{}${" ".repeat(bytes - 2)}`;
  assert.equal((await post(fill(BODY_MAX_BYTES))).statusCode, 200);
  const refused = await post(fill(BODY_MAX_BYTES + 1));
  assert.equal(refused.statusCode, 413);
  assert.equal(refused.json().code, "payload_too_large");
  for (const [bytes, status] of [
    [BODY_MAX_BYTES, 200],
    [BODY_MAX_BYTES + 1, 413],
  ] as const) {
    const chunked = `${bytes.toString(16)}\r\n${fill(bytes)}\r\n0\r\n\r\n`;
    const head = `POST ${ECHO_URL} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    const request = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${chunked}`);
    const { replies } = await exchange(port, request, { methods: ["POST"] });
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [status],
    );
  }
});

test("a body that is not plain JSON in UTF-8 returns 415", async () => {
  const refused: Record<string, string>[] = [
    {},
    { "content-type": "" },
    { "content-type": "text/plain" },
    { "content-type": "text/json" },
    { "content-type": "application/jsonp" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/problem+json" },
    { "content-type": "application/json; charset=latin1" },
    { "content-type": 'application/json;charset="utf-16"' },
    { "content-type": "application/json, text/plain" },
    { ...JSON_TYPE, "content-encoding": "gzip" },
    { ...JSON_TYPE, "content-encoding": "br" },
  ];
  for (const headers of refused) {
    const body = headers["content-encoding"] === "gzip" ? gzipSync("{}") : Buffer.from("{}");
    const reply = await post(body, headers);
    assert.equal(reply.statusCode, 415, JSON.stringify(headers));
    assert.equal(reply.json().code, "unsupported_media_type");
  }
  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
  ]) {
    assert.equal((await post("{}", { "content-type": type })).statusCode, 200, type);
  }
  assert.equal((await post("{}", { ...JSON_TYPE, "content-encoding": "identity" })).statusCode, 200);
});

/** A body, and the pointer, code and detail of its error. */
const BAD_BODIES: readonly (readonly [string, string, string, RegExp])[] = [
  ['{"text":"a"', "", "invalid_json", /unexpected end of input/],
  ['{"lines":[{"id":}]}', "/lines/0/id", "invalid_json", /position 17/],
  ['{"text":"a","text":"b"}', "/text", "invalid_json", /Duplicate key/],
  ['{"text":"a\\u0000"}', "/text", "invalid_json", /NUL/],
  ['{"text":"\\ud800"}', "/text", "invalid_json", /surrogate/],
  ['{"count":9007199254740992}', "/count", "invalid_json", /2\^53/],
  [
    `{"text":${"[".repeat(16)}${"]".repeat(16)}}`,
    `/text${"/0".repeat(15)}`,
    "invalid_json",
    /deeper than 16/,
  ],
  ['{"colour":"red"}', "/colour", "unknown_field", /"colour"/],
  ['{"lines":[{"id":"a"},{"id":"b","a/b":1}]}', "/lines/1/a~1b", "unknown_field", /"a\/b"/],
  ['{"__proto__":{"text":"a"}}', "/__proto__", "unknown_field", /"__proto__"/],
  ['{"constructor":1}', "/constructor", "unknown_field", /"constructor"/],
  ['{"lines":[{}]}', "/lines/0/id", "required", /Missing required field "id"/],
  ['{"count":"3"}', "/count", "type", /^count must be a whole number\.$/],
  ['{"count":1.5}', "/count", "type", /^count must be a whole number\.$/],
  ['{"count":null}', "/count", "type", /^count must be a whole number\.$/],
  ['{"count":51}', "/count", "maximum", /^count must be 50 or less\.$/],
  ['{"count":0}', "/count", "minimum", /^count must be 1 or more\.$/],
  ['{"text":1}', "/text", "type", /^text must be a string\.$/],
  [`{"text":"${"a".repeat(1_001)}"}`, "/text", "maxLength", /^text must have at most 1000 characters\.$/],
  ['{"lines":{}}', "/lines", "type", /^lines must be an array\.$/],
  [`{"lines":[${"{},".repeat(50)}{}]}`, "/lines", "maxItems", /^lines must have at most 50 items\.$/],
  ['{"lines":[1]}', "/lines/0", "type", /^lines\.0 must be an object\.$/],
  ["[]", "", "type", /^The body must be an object\.$/],
  ["null", "", "type", /^The body must be an object\.$/],
];

test("an invalid body returns 400 invalid_request and points to the error", async () => {
  for (const [body, pointer, code, detail] of BAD_BODIES) {
    const reply = await post(body);
    assert.equal(reply.statusCode, 400, body);
    assert.equal(reply.json().code, "invalid_request", body);
    assert.equal(reply.json().errors[0].pointer, pointer, body);
    assert.equal(reply.json().errors[0].code, code, body);
    assert.match(reply.json().detail, detail, body);
  }
  const invalidUtf8 = await post(Buffer.from("7b2274657874223a22ff227d", "hex"));
  assert.match(invalidUtf8.json().detail, /UTF-8/);
  assert.equal((await scrip.call("POST", ECHO_URL, { key })).json().detail, "The body must be an object.");
});

test("every invalid field is listed, up to twenty", async () => {
  const three = await post('{"a":1,"count":"x","lines":[{}]}');
  const pointers = three.json().errors.map((error: { pointer: string }) => error.pointer);
  assert.deepEqual(pointers.toSorted(), ["/a", "/count", "/lines/0/id"]);
  assert.match(three.json().detail, /\(and 2 more\)$/);
  const many = await post(`{${Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join()}}`);
  assert.equal(many.json().errors.length, 20);
});

test("a valid body arrives unchanged: nothing is coerced, filled in or dropped", async () => {
  const body = { text: "é😀 0", count: 3, lines: [{ id: "1" }] };
  assert.deepEqual((await post(JSON.stringify(body))).json(), { received: body });
  assert.deepEqual((await post("{}")).json(), { received: {} });
});
