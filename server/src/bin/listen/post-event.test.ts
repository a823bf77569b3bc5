import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { startHttpsReceiver } from "../../../testing/receivers/https-receiver.ts";
import { postEvent } from "./post-event.ts";

const LIMITS = { connectMs: 5_000, wallMs: 15_000, readMaxBytes: 16 * 1024 };
const SHORT = { ...LIMITS, wallMs: 100 };

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function post(url: string, limits = LIMITS, signal = new AbortController().signal) {
  const posting = { url, headers: { "service-event-id": "evt_1" }, body: '{"a":"ü"}' };
  const { status, error, latencyMs } = await postEvent(posting, signal, limits);
  assert.ok(Number.isInteger(latencyMs) && latencyMs >= 0);
  return status ?? error;
}

test("it posts the body with its length and headers, and returns the status", async (t) => {
  const url = await serve(t, async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method, url: path, headers } = request;
    assert.deepEqual(
      [method, path, body, headers["content-length"], headers["service-event-id"]],
      ["POST", "/hook", '{"a":"ü"}', "10", "evt_1"],
    );
    response.writeHead(204).end();
  });
  assert.equal(await post(url), 204);
});

test("a redirect is reported and not followed", async (t) => {
  let asked = 0;
  const url = await serve(t, (_request, response) => {
    asked += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  assert.equal(await post(url), 307);
  assert.equal(asked, 1);
});

test("a silent receiver, before or during a response, has until the time limit", async (t) => {
  assert.equal(await post(await serve(t, () => {}), SHORT), "timeout");
  const half = await serve(t, (_request, response) => void response.writeHead(200).write("half"));
  assert.equal(await post(half, SHORT), "timeout");
});

test("an endless response counts as soon as enough of it was read, and the connection is closed", async (t) => {
  let closed: Promise<unknown> = Promise.resolve();
  const url = await serve(t, (_request, response) => {
    closed = once(response, "close");
    const talk = () => {
      while (!response.destroyed && response.write("x".repeat(4_096)));
    };
    response.on("drain", talk);
    talk();
  });
  assert.equal(await post(url), 200);
  await closed;
});

test("a refused, broken or invalid response has an error class", async (t) => {
  const url = await serve(t, (request) => void request.socket.destroy());
  assert.equal(await post(url), "connection_reset");
  assert.equal(await post("http://127.0.0.1:1/"), "connection_refused");
  const port = await serveTcp(t, (socket) => void socket.end("SSH-2.0-server\r\n"));
  assert.equal(await post(`http://127.0.0.1:${port}/`), "bad_response");
});

test("over TLS the certificate is checked, and an endless handshake times out early", async (t) => {
  const receiver = await startHttpsReceiver((response) => void response.end());
  t.after(receiver.close);
  assert.equal(await post(receiver.url()), "tls_error");
  assert.equal(receiver.requests.length, 0);
  const port = await serveTcp(t, () => {});
  assert.equal(await post(`https://127.0.0.1:${port}/`, { ...LIMITS, connectMs: 50 }), "connect_timeout");
});

test("the signal ends running attempts, and a request that cannot be sent fails like the rest", async (t) => {
  const stopping = new AbortController();
  const url = await serve(t, () => stopping.abort());
  assert.equal(await post(url, LIMITS, stopping.signal), "stopped");
  const { signal } = new AbortController();
  const { error } = await postEvent({ url, headers: { "service-event-id": "a\r\nb: c" }, body: "" }, signal);
  assert.equal(error, "connection_failed");
});

async function serveTcp(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
