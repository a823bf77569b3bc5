import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { addEchoRoute, ECHO_URL } from "../../testing/app/echo-route.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { eventually } from "../../testing/eventually.ts";
import { exchange, type RawReply } from "../../testing/fuzz/raw-http.ts";

let scrip: TestApp;
let key: string;
let port: number;

before(async () => {
  scrip = await createTestApp({ addRoutes: addEchoRoute });
  key = (await scrip.addKey((await scrip.addReseller()).id)).key;
  await addProducts(scrip.db, [{ id: "one" }, { id: "two" }]);
  await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  port = (scrip.app.server.address() as AddressInfo).port;
});

after(() => scrip.close());

const lines = (...parts: string[]): string => `${parts.join("\r\n")}\r\n\r\n`;
const get = (path: string, ...headers: string[]): string =>
  lines(`GET ${path} HTTP/1.1`, "Host: a", `X-API-Key: ${key}`, ...headers);

async function send(text: string, methods: string[] = ["GET"]): Promise<RawReply[]> {
  return (await exchange(port, Buffer.from(text, "latin1"), { methods })).replies;
}

function assertProblem(reply: RawReply | undefined, status: number, detail: RegExp): void {
  assert.equal(reply?.status, status);
  assert.equal(reply.headers["content-type"], "application/problem+json; charset=utf-8");
  assert.equal(reply.headers["x-content-type-options"], "nosniff");
  const body = JSON.parse(reply.body);
  assert.equal(body.request_id, reply.headers["x-request-id"]);
  assert.match(body.detail, detail);
}

test("invalid HTTP returns 400 with the error body and closes the connection", async () => {
  for (const text of [
    "junk\r\n\r\n",
    "\x16\x03\x01\x02\x00",
    lines("GET /v1/catalog HTTP/1.1", "No colon"),
  ]) {
    assertProblem((await send(text))[0], 400, /not valid HTTP/);
  }
  const large = lines("GET /v1/catalog HTTP/1.1", "Host: a", `X-Large: ${"a".repeat(20_000)}`);
  assertProblem((await send(large))[0], 400, /headers are too large/);
});

test("HTTP/1.1 with no Host or two returns 400; HTTP/1.0 needs none", async () => {
  assertProblem((await send(lines("GET /v1/catalog HTTP/1.1", `X-API-Key: ${key}`)))[0], 400, /Host/);
  assertProblem((await send(get("/v1/catalog", "Host: b")))[0], 400, /Host/);
  assert.equal((await send(lines("GET /v1/catalog HTTP/1.0", `X-API-Key: ${key}`)))[0]?.status, 200);
});

test("a duplicate header is not read as its first value: two keys return 401, two content types 415", async () => {
  const bearer = `Authorization: Bearer ${key}`;
  const twice = lines("GET /v1/catalog HTTP/1.1", "Host: a", bearer, "Authorization: Bearer other");
  assert.equal((await send(twice))[0]?.status, 401);
  const types = ["Content-Type: application/json", "Content-Type: text/plain", "Content-Length: 2"];
  const posted = lines(`POST ${ECHO_URL} HTTP/1.1`, "Host: a", `X-API-Key: ${key}`, ...types);
  assert.equal((await send(`${posted}{}`, ["POST"]))[0]?.status, 415);
});

test("CONNECT is refused with the error body, and an unknown Expect is ignored", async () => {
  assertProblem(
    (await send(lines("CONNECT example.com:443 HTTP/1.1", "Host: a"), ["CONNECT"]))[0],
    400,
    /not a proxy/,
  );
  assert.equal((await send(get("/v1/catalog", "Expect: wonders")))[0]?.status, 200);
  assert.equal((await send(get("/v1/catalog", "Expect: 100-continue")))[0]?.status, 200);
});

test("complete requests before an unreadable one get their own responses first", async () => {
  const unreadable = ["\0\0", lines("CONNECT a:1 HTTP/1.1", "Host: a"), lines("GET / HTTP/1.1", "No colon")];
  for (const text of unreadable) {
    const replies = await send(get("/v1/products/one") + get("/v1/products/two") + text, [
      "GET",
      "GET",
      "GET",
    ]);
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200, 200, 400],
    );
    assert.deepEqual(
      replies.slice(0, 2).map((reply) => JSON.parse(reply.body).product.id),
      ["one", "two"],
    );
  }
});

test("a caller that resets behind a CONNECT which waits for a response ends its own connection only", async () => {
  const seen = once(scrip.app.server, "connect");
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(get("/v1/webhooks") + lines("CONNECT a:1 HTTP/1.1", "Host: a"));
  const [, ours] = await seen;
  assert.ok(ours.listenerCount("error") > 0);
  socket.resetAndDestroy();
  await once(socket, "close");
  await eventually("it is closed", async () => ours.destroyed || undefined);
  assert.equal((await send(get("/v1/products/one")))[0]?.status, 200);
});

test("a 100 Continue never appears inside another response", async () => {
  const patient = get("/v1/products/one", "Expect: 100-continue");
  const replies = await send(get("/v1/products/two") + patient, ["GET", "GET"]);
  assert.deepEqual(
    replies.map((reply) => JSON.parse(reply.body).product.id),
    ["two", "one"],
  );
});

test("a caller that disconnects during a body is not logged as an error", async () => {
  const arrival = once(scrip.app.server, "request") as Promise<[IncomingMessage]>;
  const socket = connect(port, "127.0.0.1");
  const type = "Content-Type: application/json";
  const head = lines(
    `POST ${ECHO_URL} HTTP/1.1`,
    "Host: a",
    `X-API-Key: ${key}`,
    type,
    "Content-Length: 100",
  );
  socket.write(`${head}{"text":`);
  const [request] = await arrival;
  await eventually("the body is being read", async () => request.listenerCount("data") > 0 || undefined);
  const startedAt = scrip.logged().length;
  socket.resetAndDestroy();
  const logged = await eventually(
    "it is abandoned",
    async () => scrip.logged().slice(startedAt) || undefined,
  );
  assert.match(logged, /"code":"invalid_request"/);
  assert.doesNotMatch(scrip.logged(), /"level":"error"/);
});

test("a caller that sends its headers too slowly gets a response and is closed, even if it keeps its side open", async () => {
  assert.equal(scrip.app.server.headersTimeout, 5_000);
  assert.equal(scrip.app.server.requestTimeout, 15_000);
  scrip.app.server.headersTimeout = 200;
  const sockets = Array.from({ length: 20 }, () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
      socket.write("GET /v1/catalog HTTP/1.1\r\nHost: a\r\nX-Slow: ");
      await once(socket, "end");
      return Buffer.concat(chunks).toString();
    }),
  );
  scrip.app.server.headersTimeout = 5_000;
  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*did not arrive in time/);
  await eventually("no connection is left", async () => (await openConnections()) === 0 || undefined);
  for (const socket of sockets) socket.destroy();
});

const openConnections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    scrip.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
