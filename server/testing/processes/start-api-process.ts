import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { forkNode } from "./fork-node.ts";

export type Answer = {
  status: number;
  etag: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
};

type Headers = Record<string, string>;

export type ApiProcess = {
  get(path: string, key: string, headers?: Headers): Promise<Answer>;
  post(path: string, key: string, body: unknown, headers?: Headers): Promise<Answer>;
  /** The process's log, warnings and worse. */
  logged(): string;
  stop(): Promise<void>;
  /** Ends it immediately, as a power cut would. */
  kill(): Promise<void>;
};

const CONNECTIONS = 16;

/** Starts the API in a separate process on the given database, reached over keep-alive connections. */
export async function startApiProcess(
  connectionString: string,
  connections: number = CONNECTIONS,
): Promise<ApiProcess> {
  const { port, logged, stop, kill } = await forkNode("api", { connectionString, logLevel: "warn" });
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    get: (path, key, headers = {}) =>
      send({ agent, port, path, headers: { "x-api-key": key, ...headers } }, undefined),
    post: (path, key, body, headers = {}) => {
      const json = { "x-api-key": key, "content-type": "application/json" };
      return send(
        { agent, port, path, method: "POST", headers: { ...json, ...headers } },
        JSON.stringify(body),
      );
    },
    logged,
    async stop() {
      agent.destroy();
      await stop();
    },
    kill,
  };
}

function send(options: RequestOptions, body: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", ...options }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => void chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () =>
        resolve({
          status: reply.statusCode ?? 0,
          etag: reply.headers.etag,
          headers: reply.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
