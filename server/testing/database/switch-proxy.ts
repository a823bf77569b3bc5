import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** One name for several servers, like a load balancer or a managed service. */
export type SwitchProxy = {
  /** The connection string to the current target, through the proxy. */
  connectionString: string;
  /** New connections go to this server. Open ones stay where they are. */
  switchTo(connectionString: string): void;
  /** How many connections were made so far. */
  connections(): number;
  close(): Promise<void>;
};

export async function startSwitchProxy(connectionString: string): Promise<SwitchProxy> {
  let target = new URL(connectionString);
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    connections += 1;
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => open.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(connectionString);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    connectionString: own.href,
    switchTo(next) {
      target = new URL(next);
    },
    connections: () => connections,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
