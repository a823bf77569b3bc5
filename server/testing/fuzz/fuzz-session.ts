import { audit } from "../../src/audit/audit.ts";
import type { Db } from "../../src/db/database.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { type FuzzReport, runFuzz } from "./fuzz-run.ts";
import { type FuzzServer, startFuzzServer } from "./fuzz-server.ts";
import { createFuzzWorld } from "./fuzz-world.ts";
import { HEAP_GROWTH_MAX_MB, type HeapJudgement, judgeHeap } from "./heap-watch.ts";

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
  /** The server's heap after garbage collection, along the run. */
  heap: HeapJudgement;
  /** The server's memory at the end. */
  residentMb: number;
};

/** Towards the end some products run out, which is a valid outcome. */
const CODES_PER_REQUEST = 0.1;
const CODES_MIN = 200;
const CODES_MAX = 30_000;
/** A full collection of garbage takes a moment, so it is rare in a short run. */
const HEAP_SAMPLES_MAX = 15;
const ROUNDS_PER_SAMPLE_MIN = 1_000;

/** Runs the fuzzer against a real server that sends webhooks to a receiver on loopback; then checks what must hold overall. */
export async function fuzzServer(session: FuzzSession): Promise<FuzzResult> {
  const { db, requests } = session;
  const codes = Math.min(CODES_MAX, Math.max(CODES_MIN, requests * CODES_PER_REQUEST));
  const world = await createFuzzWorld(db, codes);
  const server = await startFuzzServer(session.connectionString);
  try {
    const report = await runFuzz({
      ...session,
      port: Number(new URL(server.url).port),
      document: (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument,
      world,
      receiverUrl: server.receiverUrl,
      deadUrl: server.deadUrl,
      onProgress: sampling(session, server),
    });
    const keys = world.keys.flatMap(({ key }) => key ?? []);
    return await judgeRun(session, server, report, keys);
  } finally {
    await server.close();
  }
}

/** Passes progress on, and samples the heap now and then. */
export function sampling(session: FuzzSession, server: FuzzServer): (report: FuzzReport) => void {
  const every = Math.max(ROUNDS_PER_SAMPLE_MIN, Math.ceil(session.requests / HEAP_SAMPLES_MAX));
  let due = every;
  return (report) => {
    session.onProgress?.(report, server.residentMb);
    if (report.rounds < due) return;
    due += every;
    // A server that is too busy to answer the signal is noticed by its requests.
    server.heap.sample().catch(() => {});
  };
}

/** What must hold after all requests: memory, the books, the end of the process, its log. */
export async function judgeRun(
  { db }: FuzzSession,
  server: FuzzServer,
  report: FuzzReport,
  secrets: readonly string[],
): Promise<FuzzResult> {
  await server.heap.sample();
  const heap = judgeHeap(server.heap.samplesMb());
  const residentMb = server.residentMb();
  const fault = (message: string) => report.faults.push({ index: -1, what: "the whole run", message });
  if (!heap.isFlat)
    fault(`the server's heap grew by ${heap.grownMb} MB; at most ${HEAP_GROWTH_MAX_MB} MB are allowed`);
  for (const { number, name, violations } of (await audit(db)).invariants)
    for (const violation of violations) fault(`invariant ${number} (${name}): ${violation}`);
  for (const message of await server.finish(secrets)) fault(message);
  return { ...report, heap, residentMb };
}
