import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { addEchoRoute, ECHO_URL } from "../../testing/app/echo-route.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { eventually } from "../../testing/eventually.ts";
import { parseReplies, type RawReply } from "../../testing/fuzz/raw-http.ts";

const GIGABYTE = 1024 ** 3;
const READ_MAX_BYTES = 2 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, " ");

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

const head = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, "Host: a", ...headers].join("\r\n")}\r\n\r\n`;
const withKey = () => `X-API-Key: ${key}`;
const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";
const length = (bytes: number): string => `Content-Length: ${bytes}`;

/** A new connection, with the sockets of both sides. */
async function open(): Promise<{ client: Socket; server: Socket; received: () => string }> {
  const accepted = once(scrip.app.server, "connection") as Promise<[Socket]>;
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  client.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  client.on("error", () => {});
  const [server] = await accepted;
  return { client, server, received: () => received };
}

const repliesIn = (text: string, method: string): RawReply[] =>
  parseReplies(Buffer.from(text, "latin1"), [method], true).replies;

/** Writes for as long as the other side accepts data. */
function pour(client: Socket): void {
  const write = () => {
    while (!client.destroyed && client.write(CHUNK));
  };
  client.on("drain", write);
  write();
}

const REFUSED: readonly [what: string, status: number, head: () => string][] = [
  ["without a key", 401, () => head(`POST ${ECHO_URL}`, JSON_TYPE, length(GIGABYTE))],
  ["to an unknown path", 404, () => head("POST /v1/nothing", withKey(), JSON_TYPE, length(GIGABYTE))],
  ["with a method that is not allowed", 405, () => head("POST /v1/catalog", withKey(), length(GIGABYTE))],
  ["that is too large", 413, () => head(`POST ${ECHO_URL}`, withKey(), JSON_TYPE, length(GIGABYTE))],
  [
    "with another content type",
    415,
    () => head(`POST ${ECHO_URL}`, withKey(), "Content-Type: a/b", length(GIGABYTE)),
  ],
  ["to an unparsable path", 400, () => head("POST /%zz", withKey(), JSON_TYPE, length(GIGABYTE))],
  ["with two hosts", 400, () => head(`POST ${ECHO_URL}`, "Host: b", JSON_TYPE, length(GIGABYTE))],
  ["in endless chunks", 413, () => `${head(`POST ${ECHO_URL}`, withKey(), JSON_TYPE, CHUNKED)}ffffffff\r\n`],
];

test("a refused large body gets one response, is not read further, and the connection closes", async () => {
  const lingering: Promise<void>[] = [];
  for (const [what, status, text] of REFUSED) {
    const { client, server, received } = await open();
    client.write(text());
    pour(client);
    // They all linger at the same time.
    lingering.push(
      once(server, "close").then(() => {
        const [reply, second] = repliesIn(received(), "POST");
        assert.equal(reply?.status, status, what);
        assert.equal(reply.headers.connection, "close", what);
        assert.equal(second, undefined, what);
        assert.ok(server.bytesRead < READ_MAX_BYTES, `${what}: ${server.bytesRead} bytes were read`);
        client.destroy();
      }),
    );
  }
  await Promise.all(lingering);
});

test("a slow body of a refused request is not awaited, and nothing after it is processed", async () => {
  const { client, server, received } = await open();
  let requests = 0;
  const count = () => {
    requests += 1;
  };
  scrip.app.server.on("request", count);
  client.write(`${head(`POST ${ECHO_URL}`, JSON_TYPE, length(20))}{`);
  await eventually("the response", async () => received().includes("unauthenticated") || undefined);
  const next = head(`POST ${ECHO_URL}`, withKey(), JSON_TYPE, length(2));
  client.end(`${" ".repeat(19)}${next}{}`);
  await once(server, "close");
  scrip.app.server.off("request", count);
  assert.equal(requests, 1);
  assert.equal(repliesIn(received(), "POST").length, 1);
});

test("a refused request whose body has arrived leaves the connection open", async () => {
  const { client, server, received } = await open();
  const refused = `${head(`POST ${ECHO_URL}`, JSON_TYPE, length(2))}{}`;
  const lost = `${head("POST /v1/nothing", JSON_TYPE, length(2))}{}`;
  client.write(refused + lost + head("GET /healthz"));
  await eventually("three responses", async () => received().includes('"ok"') || undefined);
  assert.deepEqual(
    repliesIn(received(), "POST").map((reply) => reply.status),
    [401, 404, 200],
  );
  assert.equal(server.destroyed, false);
  client.destroy();
});

test("a GET that announces a body and never sends it gets one response and is closed in time", async () => {
  const { server: limits } = scrip.app;
  [limits.headersTimeout, limits.requestTimeout] = [200, 200];
  const { server, received } = await open().then((opened) => {
    opened.client.write(head("GET /v1/catalog", withKey(), length(10)));
    return opened;
  });
  await once(server, "close");
  [limits.headersTimeout, limits.requestTimeout] = [5_000, 15_000];
  assert.deepEqual(
    repliesIn(received(), "GET").map((reply) => reply.status),
    [200],
  );
});

test("a GET with a body above the limit gets a response, and the body is not read", async () => {
  const { client, server, received } = await open();
  client.write(head("GET /v1/catalog", withKey(), length(GIGABYTE)));
  pour(client);
  await once(server, "close");
  assert.deepEqual(
    repliesIn(received(), "GET").map((reply) => reply.status),
    [200],
  );
  assert.ok(server.bytesRead < READ_MAX_BYTES, `${server.bytesRead} bytes were read`);
  client.destroy();
});
