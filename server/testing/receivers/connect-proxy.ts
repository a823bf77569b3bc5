import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type ConnectProxy = {
  port: number;
  /** What it was asked for, in order. */
  asked: { target: string; headers: IncomingHttpHeaders }[];
  /** All that passed through it towards the other side. */
  passed(): Buffer;
  /** Connections through it or to it that are open now. */
  open(): number;
  /** Where it leads to on this machine, whatever it was asked for, or what it answers instead. */
  route: (target: string) => { port: number } | { status: number } | "silent";
  close(): Promise<void>;
};

/** An HTTP proxy on loopback that knows CONNECT alone and writes down what it is asked for. */
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
