import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type LossyProxy = {
  url: string;
  /** The idempotency keys of the placements that reached the API, in order. */
  keysHeard: string[];
  close(): Promise<void>;
};

const UPSTREAM_TIMEOUT_MS = 20_000;

/** How much of the response to a placement is lost: all, the second half, or nothing. */
type Loss = "all" | "half" | "none";

/**
 * A proxy that loses the response to each placement once: the API has placed the order, and the caller sees the connection
 * break. Nothing of the first response arrives. Some runtimes then retry by themselves, so half of each later response
 * arrives, which no runtime can hide.
 */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const keysHeard: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const key = incoming.method === "POST" ? incoming.headers["idempotency-key"] : undefined;
    const isNew = typeof key === "string" && !keysHeard.includes(key);
    const loss = isNew ? (keysHeard.length === 0 ? "all" : "half") : "none";
    if (typeof key === "string") keysHeard.push(key);
    forward(target, incoming, outgoing, loss);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keysHeard,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse, loss: Loss): void {
  const { method, headers, url } = incoming;
  const options = { method, headers, timeout: UPSTREAM_TIMEOUT_MS };
  const asked = request(new URL(url ?? "/", target), options, async (answer) => {
    const body = Buffer.concat(await answer.toArray());
    if (loss === "all") return outgoing.destroy();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (loss === "none") return outgoing.end(body);
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  });
  asked.once("timeout", () => asked.destroy());
  asked.once("error", () => outgoing.destroy());
  incoming.pipe(asked);
}
