import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../testing/eventually.ts";
import { systemClock } from "../../lib/clock.ts";
import { createLog } from "../../lib/log.ts";
import { HEADERS_TIMEOUT_MS } from "../server/limits.ts";
import { createUnroutable } from "../unroutable.ts";
import type { DirectRoute } from "./direct-reply.ts";
import { serveDirectly } from "./serve-directly.ts";

const SLOW = "GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\n";
const HALF =
  "POST /v1/slow HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{}";
const OTHER = "GET /v1/other HTTP/1.1\r\nHost: a\r\n\r\n";

type Stub = {
  server: Server;
  port: number;
  /** The server's side of the connections. */
  sockets: Socket[];
  /** What Node.js would read from those that were handed over. */
  handedOver: string[];
  /** The requests that are not answered yet. */
  waiting: readonly unknown[];
  /** Lets one request be answered. */
  answerOne: () => Promise<void>;
};

/** A server with one direct route, whose requests wait until they are let go. */
async function serve(t: TestContext): Promise<Stub> {
  const server: Server = createServer();
  const handedOver: string[] = [];
  const sockets: Socket[] = [];
  const waiting: (() => void)[] = [];
  server.removeAllListeners("connection");
  server.on("connection", (socket) =>
    socket.on("data", (chunk: Buffer) => handedOver.push(chunk.toString())),
  );
  const route: DirectRoute = {
    url: "/v1/slow",
    onRequest: [],
    checkQuery: () => true,
    checkBody: undefined,
    handler: () => new Promise<object>((resolve) => waiting.push(() => resolve({}))),
    serializerOf: () => () => "{}",
    onResponse: [],
  };
  const problems = { baseUrl: () => "", translate: () => undefined };
  serveDirectly(server, {
    routes: { find: ({ path }) => (path === "/v1/slow" ? { route, params: {}, query: {} } : undefined) },
    problems,
    unroutable: createUnroutable(problems),
    clock: systemClock,
    log: createLog("silent", { write: () => {} }),
  });
  server.prependListener("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    sockets,
    handedOver,
    waiting,
    async answerOne() {
      (await eventually("a request waits", async () => waiting.shift()))();
    },
  };
}

test("a caller that does not wait for replies is not read far ahead of them", async (t) => {
  const { port, sockets, answerOne } = await serve(t);
  const client = connect(port, "127.0.0.1");
  t.after(() => client.destroy());
  client.write(SLOW.repeat(100_000));
  let replies = 0;
  client.on("data", (chunk: Buffer) => {
    replies += chunk.toString().split("HTTP/1.1 200").length - 1;
  });
  for (let answered = 1; answered <= 30; answered += 1) {
    await answerOne();
    await eventually("the reply is there", async () => replies === answered || undefined);
  }
  const readBytes = sockets[0]?.bytesRead ?? 0;
  // The limit, a chunk beyond it, and as much again that the stream itself holds.
  assert.ok(readBytes >= 64 * 1024 && readBytes <= 5 * 64 * 1024, `${readBytes} bytes were read`);
});

test("a caller that is gone when its reply is ready is not handed over with what it sent behind", async (t) => {
  const { port, sockets, handedOver, waiting, answerOne } = await serve(t);
  const client = connect(port, "127.0.0.1");
  client.on("error", () => {});
  client.write(SLOW + SLOW + OTHER);
  const socket = await eventually("the connection is there", async () => sockets[0]);
  await eventually("the request was read", async () => socket.bytesRead > 0 || undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  client.resetAndDestroy();
  await closed;
  await answerOne();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(waiting.length, 0);
  assert.deepEqual(handedOver, []);
});

test("a caller that is there is handed over", async (t) => {
  const { port, handedOver, answerOne } = await serve(t);
  const client = connect(port, "127.0.0.1");
  t.after(() => client.destroy());
  client.write(SLOW + OTHER);
  await answerOne();
  assert.equal(await eventually("the connection was handed over", async () => handedOver[0]), OTHER);
});

test("an error of a connection whose caller has ended its side is handled until it is closed", async (t) => {
  const { port, sockets, answerOne } = await serve(t);
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => client.destroy());
  client.write(SLOW);
  await answerOne();
  await once(client, "data");
  const [socket] = sockets;
  assert.ok(socket);
  let listeners = 0;
  socket.once("end", () => {
    listeners = socket.listenerCount("error");
  });
  client.end();
  await new Promise((resolve) => socket.once("close", resolve));
  assert.ok(listeners > 0);
});

test("a caller that ends its side in the middle of a request behind another one is told", async (t) => {
  const { port, sockets, answerOne } = await serve(t);
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => client.destroy());
  client.end(SLOW + HALF);
  let received = "";
  client.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  await eventually("its end was seen", async () => sockets[0]?.readableEnded || undefined);
  await answerOne();
  await once(client, "close");
  assert.match(received, /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s);
});

test("a caller that breaks off behind another request and resets ends its own connection only", async (t) => {
  const { port, sockets, answerOne } = await serve(t);
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {});
  client.end(SLOW + HALF);
  const socket = await eventually("its end was seen", async () =>
    sockets[0]?.readableEnded ? sockets[0] : undefined,
  );
  client.resetAndDestroy();
  await once(client, "close");
  await answerOne();
  await eventually("it is closed", async () => socket.destroyed || undefined);
});

test("a connection that sends nothing is closed without a response, which could be taken for that to a later request", async (t) => {
  const now = performance.now.bind(performance);
  const { port, sockets } = await serve(t);
  const client = connect(port, "127.0.0.1");
  let received = "";
  client.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  await eventually("the connection is there", async () => sockets[0]);
  t.mock.method(performance, "now", () => now() + HEADERS_TIMEOUT_MS);
  await once(client, "close");
  assert.equal(received, "");
});

test("a server that closes answers a connection whose first request is on its way, and does not wait for a silent one", async (t) => {
  const { port, sockets, server, answerOne } = await serve(t);
  const [client, silent] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  await eventually("the connections are there", async () => sockets[1]);
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  client.write(SLOW);
  await answerOne();
  const [reply] = await once(client, "data");
  assert.match(String(reply), /^HTTP\/1\.1 200 /);
  await closed;
  assert.ok(silent.readableEnded || silent.destroyed || (await once(silent, "close")));
});
