import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit } from "../../src/audit/audit.ts";
import type { Db } from "../../src/db/database.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { type RunningScrip, startScrip } from "../processes/run-scrip.ts";
import { type HttpsReceiver, startHttpsReceiver } from "../receivers/https-receiver.ts";
import { caCertificatePath } from "../receivers/tls-fixture.ts";
import { type FuzzReport, runFuzz } from "./fuzz-run.ts";
import { createFuzzWorld } from "./fuzz-world.ts";

export type FuzzSession = {
  db: Db;
  connectionString: string;
  seed: number;
  requests: number;
  only?: number | undefined;
  stop?: AbortSignal;
  onProgress?: (report: FuzzReport, residentMb: () => number) => void;
};

export type FuzzResult = FuzzReport & {
  /** The server's memory after the warm-up, halfway, and at the end. */
  residentMb: { before: number; halfway: number; after: number };
  seconds: number;
};

/**
 * How much the server's memory can grow over any number of requests, and in the second half of a long run, when it
 * has everything it needs. The heap is limited, because V8 would rather take free memory than collect garbage.
 */
export const RESIDENT_GROWTH_MAX_MB = 200;
export const LATE_GROWTH_MAX_MB = 50;
const LONG_RUN_REQUESTS = 50_000;
const HEAP_MAX_MB = 160;
const SERVER_LIFETIME_MAX_MS = 3_600_000;
/** Towards the end some products run out, which is a valid outcome. */
const CODES_PER_REQUEST = 0.1;
const CODES_MIN = 200;

/**
 * Runs a real server, API and worker, that sends webhooks only to a receiver on loopback; runs the fuzzer against
 * it; then checks what must hold overall.
 */
export async function fuzzServer(session: FuzzSession): Promise<FuzzResult> {
  const { db, requests } = session;
  const dataDir = mkdtempSync(join(tmpdir(), "scrip-fuzz-"));
  const receiver: HttpsReceiver = await startHttpsReceiver((response) => {
    // The received requests are not used, and a long run produces many.
    receiver.requests.length = 0;
    response.end("thanks");
  });
  const world = await createFuzzWorld(db, Math.max(CODES_MIN, requests * CODES_PER_REQUEST));
  const server = await startScrip([], serverSettings(session, dataDir), SERVER_LIFETIME_MAX_MS);
  const pid = server.process.pid ?? 0;
  const beganAt = performance.now();
  const resident = { before: 0, halfway: 0, after: 0 };
  try {
    const report = await runFuzz({
      ...session,
      port: Number(new URL(server.url).port),
      document: (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument,
      world,
      receiverUrl: receiver.url(),
      deadUrl: `https://127.0.0.1:${await closedPort()}/hook`,
      onWarm: () => {
        resident.before = residentMb(pid);
      },
      onProgress: (soFar) => {
        if (resident.halfway === 0 && soFar.rounds >= requests / 2) resident.halfway = residentMb(pid);
        session.onProgress?.(soFar, () => residentMb(pid));
      },
    });
    resident.after = residentMb(pid);
    const seconds = (performance.now() - beganAt) / 1_000;
    const fault = (message: string) => report.faults.push({ index: -1, what: "the whole run", message });
    for (const message of growthFaults(resident, requests)) fault(message);
    for (const { number, name, violations } of (await audit(db)).invariants)
      for (const violation of violations) fault(`invariant ${number} (${name}): ${violation}`);
    const keys = world.keys.flatMap(({ key }) => key ?? []);
    for (const message of await lastFaults(server, keys)) fault(message);
    return { ...report, residentMb: resident, seconds };
  } finally {
    if (server.process.exitCode === null) await server.stop("SIGKILL");
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const serverSettings = ({ connectionString }: FuzzSession, dataDir: string): Record<string, string> => ({
  DATABASE_URL: connectionString,
  DATA_DIR: dataDir,
  SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("hex"),
  RATE_LIMIT_ORDERS: "0",
  RATE_LIMIT_READS: "0",
  RATE_LIMIT_CHECKS: "0",
  WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  // From loopback no packet leaves the machine, wherever a broken URL points.
  WEBHOOK_LOCAL_ADDRESS: "127.0.0.1",
  NODE_EXTRA_CA_CERTS: caCertificatePath,
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MAX_MB}`,
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

function growthFaults({ before, halfway, after }: FuzzResult["residentMb"], requests: number): string[] {
  const isLong = requests >= LONG_RUN_REQUESTS;
  return [
    ...(after - before > RESIDENT_GROWTH_MAX_MB ? [`the server grew from ${before} MB to ${after} MB`] : []),
    ...(isLong && halfway > 0 && after - halfway > LATE_GROWTH_MAX_MB
      ? [`the server grew from ${halfway} MB to ${after} MB in the second half`]
      : []),
  ];
}

/** The started process must stop cleanly. Its log must contain no key and no error. */
async function lastFaults(server: RunningScrip, keys: readonly string[]): Promise<string[]> {
  if (server.process.exitCode !== null) return ["the server ended on its own"];
  const { code, stdout, stderr } = await server.stop("SIGTERM");
  const log = stdout + stderr;
  const errors = log.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line));
  return [
    ...(code === 0 ? [] : [`the server exited with ${code}`]),
    ...(keys.some((key) => log.includes(key)) ? ["a key is in the log"] : []),
    ...errors.map((line) => `logged: ${line.slice(0, 400)}`),
  ];
}
