import { Agent, type IncomingHttpHeaders, request } from "node:http";

export type Answer = { status: number; body: string; headers: IncomingHttpHeaders };

const TIMEOUT_MS = 20_000;
const SOCKETS_MAX = 64;
/** On a busy machine this process can be too slow to send what it began. Such a request was not read, and is sent again. */
const TOO_SLOW = "The request did not arrive in time.";
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
        const text = Buffer.concat(chunks).toString();
        if (status === 400 && text.includes(TOO_SLOW)) reject(new Error(TOO_SLOW));
        else resolve({ status, body: text, headers: got });
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
