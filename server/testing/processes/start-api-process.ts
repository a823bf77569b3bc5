import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "./compile-cache.ts";

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
  const script = fileURLToPath(new URL("./api-process.ts", import.meta.url));
  const child = fork(script, [connectionString], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    env: { ...process.env, ...COMPILE_CACHE },
  });
  const lines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void lines.push(text));
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
  if (!started) throw new Error(`the API process failed to start: ${lines.join("")}`);
  const [{ port }] = started as [{ port: number }];
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
    logged: () => lines.join(""),
    async stop() {
      agent.destroy();
      child.disconnect();
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
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
