import { Agent, type IncomingHttpHeaders, request } from "node:http";

export type Answer = { status: number; body: string; headers: IncomingHttpHeaders };

const TIMEOUT_MS = 20_000;
const SOCKETS_MAX = 64;
const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });

/** One request to a process of the service. Rejects when no complete response arrives. */
export function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = request({ host: "127.0.0.1", port, path, method, agent, headers, signal }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => void chunks.push(chunk));
      reply.on("error", reject);
      reply.on("aborted", () => reject(new Error("the response was cut off")));
      reply.on("end", () => {
        const { statusCode: status = 0, headers: got } = reply;
        resolve({ status, body: Buffer.concat(chunks).toString(), headers: got });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** One request to the API with a key. */
export function call(
  port: number,
  key: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const about = json === undefined ? {} : { "content-type": "application/json" };
  return send(port, method, path, { "x-api-key": key, ...about, ...headers }, json);
}

export const closeCalls = (): void => agent.destroy();
