import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";

export type Answer = { status: number; etag: string | undefined; body: string };

export type ApiProcess = {
  get(path: string, key: string, headers?: Record<string, string>): Promise<Answer>;
  /** What the process wrote to its log, warnings and worse. */
  logged(): string;
  stop(): Promise<void>;
};

const CONNECTIONS = 16;

/** Starts the API in a process of its own on the given database, reached over connections that are kept alive. */
export async function startApiProcess(connectionString: string): Promise<ApiProcess> {
  const script = fileURLToPath(new URL("./api-process.ts", import.meta.url));
  const child = fork(script, [connectionString], { stdio: ["ignore", "inherit", "pipe", "ipc"] });
  const lines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void lines.push(text));
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
  if (!started) throw new Error(`the API process did not start: ${lines.join("")}`);
  const [{ port }] = started as [{ port: number }];
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    get: (path, key, headers = {}) => get(agent, port, path, { "x-api-key": key, ...headers }),
    logged: () => lines.join(""),
    async stop() {
      agent.destroy();
      child.disconnect();
      await exited;
    },
  };
}

function get(agent: Agent, port: number, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, path, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => void chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () =>
        resolve({
          status: reply.statusCode ?? 0,
          etag: reply.headers.etag,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}
