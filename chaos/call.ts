import { Agent, request } from "node:http";

export type Answer = { status: number; body: string };

const TIMEOUT_MS = 20_000;
const SOCKETS_MAX = 64;
const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });

/** One request to a process of the service. Rejects when no complete response arrives. */
export function call(
  port: number,
  key: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent,
        headers: {
          "x-api-key": key,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => void chunks.push(chunk));
        reply.on("error", reject);
        reply.on("aborted", () => reject(new Error("the response was cut off")));
        reply.on("end", () =>
          resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export const closeCalls = (): void => agent.destroy();
