import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { certificate, key } from "./tls-fixture.ts";

export type TlsFront = { port: number; close(): Promise<void> };

/** A TLS-terminating proxy in front of a plain HTTP server. */
export async function startTlsFront(behindPort: number): Promise<TlsFront> {
  const open = new Set<TLSSocket>();
  const server = createServer({ key, cert: certificate }, (outside) => {
    const inside = connect(behindPort, "localhost");
    open.add(outside);
    outside.on("error", () => inside.destroy()).on("close", () => inside.destroy());
    outside.on("close", () => open.delete(outside));
    inside.on("error", () => outside.destroy()).on("close", () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
