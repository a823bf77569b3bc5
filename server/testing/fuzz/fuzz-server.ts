import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { freePort } from "../processes/free-port.ts";
import { type RunningScrip, startScrip } from "../processes/run-scrip.ts";
import { type HttpsReceiver, startHttpsReceiver } from "../receivers/https-receiver.ts";
import { caCertificatePath } from "../receivers/tls-fixture.ts";
import { type HeapWatch, watchHeap } from "./heap-watch.ts";

/** A real server, API, pages and workers, that reaches nothing but this machine. */
export type FuzzServer = {
  /** Where the API and the dashboard are. */
  url: string;
  consoleUrl: string;
  /** Receives webhooks. */
  receiverUrl: string;
  /** Nothing listens here. */
  deadUrl: string;
  heap: HeapWatch;
  residentMb(): number;
  /** Stops it as an operator does. Says what is wrong with its end or its log, which must contain none of the secrets. */
  finish(secrets: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
};

/** The heap is limited, because V8 would rather take free memory than collect garbage. */
const HEAP_MAX_MB = 256;
const LIFETIME_MAX_MS = 3 * 3_600_000;

export async function startFuzzServer(connectionString: string): Promise<FuzzServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "scrip-fuzz-"));
  const receiver: HttpsReceiver = await startHttpsReceiver((response) => {
    // The received requests are not used, and a long run produces many.
    receiver.requests.length = 0;
    response.end("thanks");
  });
  const consolePort = await freePort("127.0.0.1");
  const heapFile = join(dataDir, "heap-samples");
  const settings = {
    ...serverSettings(dataDir, heapFile),
    DATABASE_URL: connectionString,
    CONSOLE_PORT: String(consolePort),
  };
  const server = await startScrip([], settings, LIFETIME_MAX_MS);
  const pid = server.process.pid ?? 0;
  return {
    url: server.url,
    consoleUrl: `http://localhost:${consolePort}`,
    receiverUrl: receiver.url(),
    deadUrl: `https://127.0.0.1:${await closedPort()}/hook`,
    heap: watchHeap(pid, heapFile),
    residentMb: () => residentMb(pid),
    finish: (secrets) => finish(server, secrets),
    async close() {
      if (server.process.exitCode === null) await server.stop("SIGKILL");
      await receiver.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const preload = (file: string): string => `--import ${new URL(file, import.meta.url).href}`;

const serverSettings = (dataDir: string, heapFile: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("hex"),
  RATE_LIMIT_ORDERS: "0",
  RATE_LIMIT_READS: "0",
  RATE_LIMIT_CHECKS: "0",
  WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  // From loopback no packet leaves the machine, wherever a broken URL points.
  WEBHOOK_LOCAL_ADDRESS: "127.0.0.1",
  NODE_EXTRA_CA_CERTS: caCertificatePath,
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MAX_MB} ${preload("./report-heap.ts")} ${preload("./loopback-only.ts")}`,
  SCRIP_FUZZ_HEAP: heapFile,
  LOG_LEVEL: "warn",
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Zero if the process has ended. Its end is reported separately. */
function residentMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const match = /VmRSS:\s+(\d+) kB/.exec(existsSync(file) ? readFileSync(file, "utf8") : "");
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}

/** On a machine with too much other work. The requests that get this as an answer are sent again, and judged then. */
const IS_BUSY =
  /"code":"service_unavailable"|timeout exceeded when trying to connect|connection timeout|encountered a connection error/;

/** The started process must stop cleanly. Its log must contain no secret and no error. */
async function finish(server: RunningScrip, secrets: readonly string[]): Promise<string[]> {
  if (server.process.exitCode !== null) return ["the server ended on its own"];
  const { code, stdout, stderr } = await server.stop("SIGTERM");
  const log = stdout + stderr;
  const errors = log
    .split("\n")
    .filter((line) => /"level":"(error|fatal)"/.test(line) && !IS_BUSY.test(line));
  return [
    ...(code === 0 ? [] : [`the server exited with ${code}`]),
    ...(secrets.some((secret) => log.includes(secret)) ? ["a secret is in the log"] : []),
    ...errors.map((line) => `logged: ${line.slice(0, 1_500)}`),
  ];
}
