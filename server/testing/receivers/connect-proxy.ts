import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type ConnectProxy = {
  port: number;
  /** The requested targets, in order. */
  asked: { target: string; headers: IncomingHttpHeaders }[];
  /** Everything that was sent through it to the other side. */
  passed(): Buffer;
  /** Open connections to it or through it. */
  open(): number;
  /** The local port it connects to for any target, or the response it gives instead. */
  route: (target: string) => { port: number } | { status: number } | "silent";
  close(): Promise<void>;
};

/** An HTTP proxy on loopback that supports only CONNECT and records its requests. */
export async function startConnectProxy(route: ConnectProxy["route"]): Promise<ConnectProxy> {
  const streams = new Set<Duplex>();
  const chunks: Buffer[] = [];
  const keep = <Stream extends Duplex>(stream: Stream): Stream => {
    streams.add(stream);
    return stream.on("error", () => {}).on("close", () => streams.delete(stream)) as Stream;
  };
  const server = createServer();
  server.on("connection", (socket: Socket) => void keep(socket));
  server.on("connect", ({ url: target = "", headers }, client) => {
    proxy.asked.push({ target, headers });
    const way = proxy.route(target);
    if (way === "silent") {
      client.resume().on("end", () => client.destroy());
      return;
    }
    if ("status" in way) {
      client.end(`HTTP/1.1 ${way.status} No\r\n\r\n`);
      return;
    }
    const onward = keep(connect(way.port, "127.0.0.1"));
    onward.once("connect", () => {
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      client.on("data", (chunk: Buffer) => void chunks.push(chunk));
      client.pipe(onward).pipe(client);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: ConnectProxy = {
    port: (server.address() as AddressInfo).port,
    asked: [],
    open: () => streams.size,
    passed: () => Buffer.concat(chunks),
    route,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const stream of streams) stream.destroy();
      await closed;
    },
  };
  return proxy;
}
