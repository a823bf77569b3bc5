import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "../eventually.ts";

export type ReceivedHook = { path: string; headers: IncomingHttpHeaders; body: string };

export type HookReceiver = {
  url: string;
  port: number;
  hooks: ReceivedHook[];
  /** Waits until this many have arrived. */
  gets(count: number): Promise<readonly ReceivedHook[]>;
  close(): Promise<void>;
};

/** A developer's own server: plain HTTP on loopback, on a free port by default. */
export async function startHookReceiver(port = 0): Promise<HookReceiver> {
  const hooks: ReceivedHook[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    hooks.push({
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    });
    response.end("thank you");
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/hook?from=scrip`,
    port: address.port,
    hooks,
    gets: (count) =>
      eventually(`${count} hooks`, async () => (hooks.length >= count ? hooks.slice() : undefined)),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
