import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { InjectOptions } from "fastify";
import { apiRoutes, SEEN_PRODUCT } from "../../testing/app/api-routes.ts";
import { addEchoRoute, ECHO_URL } from "../../testing/app/echo-route.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { type HostileRequest, hostileRequest } from "../../testing/fuzz/hostile-requests.ts";
import { exchange, type RawReply } from "../../testing/fuzz/raw-http.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { type WireRequest, wireRequest } from "../../testing/upstream/wire-faults.ts";
import { type ProblemCode, problemTable } from "../lib/problem-table.ts";

const RAW_REQUESTS = sizeFor("fuzz", { share: 400, full: 9_000 });
const MORE_ROUNDS = 3;
const PIPELINES = sizeFor("fuzz", { share: 60, full: 1_000 });
const INJECTED_REQUESTS = sizeFor("fuzz", { share: 400, full: 10_000 });
const AT_ONCE = 24;
const DEADLINE_MS = 15_000;
const HEAP_REQUESTS = sizeFor("fuzz", { share: 250, full: 1_500 });
const HEAP_GROWTH_MAX_BYTES = 4 * 1024 * 1024;

let scrip: TestApp;
let key: string;
let port: number;
let urls: string[];

before(async () => {
  scrip = await createTestApp({ addRoutes: addEchoRoute });
  key = (await scrip.addKey((await scrip.addReseller()).id)).key;
  await addProducts(scrip.db, [{ id: SEEN_PRODUCT }, ...PIPELINED.map((id) => ({ id }))]);
  await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  port = (scrip.app.server.address() as AddressInfo).port;
  urls = [
    ...apiRoutes(scrip.app.openApi()).map((route) => route.url),
    ECHO_URL,
    "/openapi.json",
    "/healthz",
    "/errors",
  ];
});

after(() => scrip.close());

const PIPELINED = ["pipe-0", "pipe-1", "pipe-2", "pipe-3", "pipe-4"];

test(`${RAW_REQUESTS} malformed requests over the wire each get an HTTP response, never 5xx (SEED=${SEED})`, async () => {
  const statuses = new Set<number>();
  const send = async (seed: number) => {
    const wire = wireRequest(seed, { key, urls });
    const { replies, gaveUp } = await exchange(port, wire.bytes, wire);
    for (const reply of replies) checkReply(reply, wire.methods[0], wire.faults);
    for (const reply of replies) statuses.add(reply.status);
    // A caller that breaks off may see the connection close before the response.
    assert.ok(replies.length > 0 || wire.halfClose || gaveUp, `no response: ${wire.faults.join(", ")}`);
  };
  await forEachSeed(RAW_REQUESTS, send);
  // The requests were malformed in many ways, not all in the same way. A rare way may need a few more requests.
  const missing = () => [200, 400, 401, 404, 405, 413, 415].filter((status) => !statuses.has(status));
  for (let more = 1; missing().length > 0 && more <= MORE_ROUNDS; more += 1)
    await forEachSeed(RAW_REQUESTS, (seed) => send(seed + more * RAW_REQUESTS));
  assert.deepEqual(missing(), []);
});

test(`responses with ${PIPELINES} pipelines are answered in request order, with malformed requests in between (SEED=${SEED})`, async () => {
  await forEachSeed(PIPELINES, async (seed) => {
    const random = createRandom(seed);
    const parts = Array.from({ length: 2 + random.below(4) }, (_, index) =>
      random.chance(0.6) ? good(random.pick(PIPELINED)) : bad(seed * 7 + index),
    );
    const bytes = Buffer.concat(parts.map((part) => part.bytes));
    const methods = parts.flatMap((part) => part.methods);
    const { replies, gaveUp } = await exchange(port, bytes, { methods });
    // Bytes after the first malformed request can be read as part of it. Up to there, each response matches its
    // request.
    const firstBad = parts.findIndex((part) => part.faults.length > 0);
    const readable = firstBad === -1 ? parts.length : firstBad;
    for (const [index, reply] of replies.entries()) {
      const wanted = index < readable ? parts[index]?.id : undefined;
      if (wanted === undefined) checkReply(reply, "GET", ["pipelined"]);
      else
        assert.equal(reply.status === 200 && JSON.parse(reply.body).product.id, wanted, `response ${index}`);
    }
    assert.ok(
      gaveUp || replies.length >= readable,
      `${replies.length} responses to ${parts.length} requests`,
    );
  });
});

test(`${INJECTED_REQUESTS} malformed requests to the routes are refused in the error format, never with 5xx (SEED=${SEED})`, async () => {
  await forEachSeed(INJECTED_REQUESTS, async (seed) => {
    const request = injectableRequest(seed);
    const { statusCode, headers, body } = await withDeadline(
      scrip.app.inject(toInject(request)),
      request.faults,
    );
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    checkReply(
      { status: statusCode, headers: Object.fromEntries(texts), body },
      request.method,
      request.faults,
    );
  });
});

test("no key appears in the log, and no internals appear in an error", () => {
  assert.ok(scrip.logged().length > 100_000, "the log is not empty");
  // Eight characters of the secret part already identify a key.
  const secretPart = key.slice("sc_live_".length);
  for (let start = 0; start + 8 <= secretPart.length; start += 1) {
    assert.equal(scrip.logged().includes(secretPart.slice(start, start + 8)), false);
  }
  assert.doesNotMatch(scrip.logged(), /"level":"(error|fatal|warn)"/);
});

test("the server does not leak memory on malformed requests and keeps serving", async () => {
  // A log that the test keeps in memory would hide what the server keeps.
  scrip.app.log.level = "silent";
  const attack = () =>
    forEachSeed(HEAP_REQUESTS, async (seed) => {
      const wire = wireRequest(seed, { key, urls });
      await exchange(port, wire.bytes, wire);
    });
  await attack();
  const beforeBytes = heapBytes();
  await attack();
  const grownBytes = heapBytes() - beforeBytes;
  assert.ok(grownBytes < HEAP_GROWTH_MAX_BYTES, `the heap grew by ${grownBytes} bytes`);
  assert.equal((await scrip.call("GET", "/v1/catalog", { key })).statusCode, 200);
});

/** Runs the given number of requests, some concurrently. A failure names the seed and the faults. */
async function forEachSeed(count: number, run: (seed: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async () => {
    for (let index = next++; index < count; index = next++) await run((SEED + index) >>> 0);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
}

/** A request that gets no response fails the test instead of blocking it. */
async function withDeadline<T>(answer: Promise<T>, faults: readonly string[]): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response (${faults.join(", ")})`)), DEADLINE_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function checkReply(
  { status, headers, body }: Omit<RawReply, "head">,
  method: string | undefined,
  faults: readonly string[],
): void {
  const what = `${status} to ${method} (${faults.join(", ")}): ${body.slice(0, 300)}`;
  assert.ok(status < 500, what);
  const requestId = headers["x-request-id"] ?? "";
  assert.match(requestId, /^req_[0-9a-z]{26}$/, what);
  assert.equal(headers["x-content-type-options"], "nosniff", what);
  if (status < 400) return;
  assert.equal(headers["content-type"], "application/problem+json; charset=utf-8", what);
  if (method === "HEAD" && body === "") return;
  const { errors, ...problem } = JSON.parse(body);
  const { title } = problemTable[problem.code as ProblemCode];
  const type = `https://api.scrip.example/errors/${problem.code}`;
  assert.equal(problemTable[problem.code as ProblemCode].status, status, what);
  assert.deepEqual(problem, {
    type,
    title,
    status,
    code: problem.code,
    detail: problem.detail,
    request_id: requestId,
  });
  assert.match(problem.detail, /^[^\n]+\.( \(and \d+ more\))?$/, what);
  for (const { pointer, code, detail } of errors ?? []) {
    assert.deepEqual([typeof pointer, typeof code, typeof detail], ["string", "string", "string"], what);
  }
}

const good = (id: string): WireRequest & { id: string } => ({
  id,
  faults: [],
  methods: ["GET"],
  halfClose: false,
  bytes: Buffer.from(`GET /v1/products/${id} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n\r\n`),
});

/** HEAD is left out: after an unreadable request, it is unknown which response has no body. */
function bad(seed: number): WireRequest & { id?: undefined } {
  const wire = wireRequest(seed >>> 0, { key, urls });
  return wire.methods.includes("HEAD") ? bad(seed + 1) : wire;
}

/** The injector parses a URL as a browser does and sends bodies whole. */
function injectableRequest(seed: number): HostileRequest {
  const request = hostileRequest(seed >>> 0, { key, urls });
  return /^\/[^/\\]/.test(request.target) && !request.cut
    ? request
    : injectableRequest(seed + INJECTED_REQUESTS);
}

function toInject({ method, target, headers, body }: HostileRequest): InjectOptions {
  return {
    method: method as "GET",
    url: target,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    ...(body ? { payload: body } : {}),
  };
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
