import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { certificate, key } from "./tls-fixture.ts";

/** How a receiver responds to one request; see receiver-answers. */
export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw bytes. */
  body: Buffer;
  /** The socket below TLS. */
  connection: Socket | undefined;
};

export type HttpsReceiver = {
  port: number;
  /** A URL of the receiver under any name. Its certificate is for localhost, 127.0.0.1 and receiver.test. */
  url(path?: string, host?: string): string;
  requests: ReceivedRequest[];
  /** Connections that were ever made, even without a request. */
  connections(): number;
  /** Connections that went on with an earlier TLS session. */
  resumed(): number;
  /** Called for each request. */
  answer: Answer;
  close(): Promise<void>;
};

/** A web server on loopback that records what it receives. */
export async function startHttpsReceiver(answer: Answer): Promise<HttpsReceiver> {
  const sockets = new Map<number | undefined, Socket>();
  let made = 0;
  const server = createServer({ key, cert: certificate, keepAliveTimeout: 60_000 });
  server.on("request", async (request, response) => {
    response.on("error", () => {});
    const body = await readAll(request).catch(() => undefined);
    if (!body) return;
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body, connection: sockets.get(request.socket.remotePort) };
    receiver.requests.push(received);
    receiver.answer(response, received);
  });
  server.on("connection", (socket: Socket) => {
    made += 1;
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(remotePort));
  });
  let resumed = 0;
  server.on("secureConnection", (socket) => {
    if (socket.isSessionReused()) resumed += 1;
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const receiver: HttpsReceiver = {
    port,
    url: (path = "/hook", host = "127.0.0.1") => `https://${host}:${port}${path}`,
    requests: [],
    connections: () => made,
    resumed: () => resumed,
    answer,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
