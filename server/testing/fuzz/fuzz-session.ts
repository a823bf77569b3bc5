import { audit } from "../../src/audit/audit.ts";
import type { Db } from "../../src/db/database.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { type FuzzReport, runFuzz } from "./fuzz-run.ts";
import { type FuzzServer, startFuzzServer } from "./fuzz-server.ts";
import { createFuzzWorld } from "./fuzz-world.ts";
import { HEAP_GROWTH_MAX_MB, type HeapJudgement, judgeHeap } from "./heap-watch.ts";
import type { FuzzSession, Surface, SurfaceRun } from "./surface-run.ts";
import { PLANTED_COST_MINOR, SUPPLIER_WORD } from "./web/web-judge.ts";
import { fuzzPages } from "./web/web-session.ts";

export type SurfaceReport = FuzzReport & {
  surface: Surface;
  /** The server's heap after garbage collection, along the run. */
  heap: HeapJudgement;
};

export type FuzzResult = {
  reports: SurfaceReport[];
  /** What is wrong with the whole: the books, the end of the process, its log. */
  faults: string[];
  /** The server's memory at the end. */
  residentMb: number;
};

/** Towards the end some products run out, which is a valid outcome. */
const CODES_PER_REQUEST = 0.1;
const CODES_MIN = 200;
const CODES_MAX = 6_000;
const PRICE_MINOR = 200_000n;

/** Fuzzes a real server that sends webhooks to a receiver on loopback; then checks what must hold overall. */
export async function fuzzServer(session: FuzzSession): Promise<FuzzResult> {
  const { db, runs } = session;
  const requests = runs.reduce((sum, run) => sum + run.requests, 0);
  const codes = Math.min(CODES_MAX, Math.max(CODES_MIN, requests * CODES_PER_REQUEST));
  const world = await createFuzzWorld(db, codes, {
    priceMinor: PRICE_MINOR,
    costMinor: PLANTED_COST_MINOR,
    supplierName: `${SUPPLIER_WORD} supplier`,
  });
  const server = await startFuzzServer(session.connectionString);
  try {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
    const reports: SurfaceReport[] = [];
    for (const { surface, requests } of runs) {
      if (session.stop?.aborted === true) break;
      const isFilled = reports.length > 0;
      reports.push(await runSurface({ ...session, document, world, server, surface, requests, isFilled }));
    }
    const residentMb = server.residentMb();
    const secrets = world.keys.flatMap(({ key }) => key ?? []);
    return { reports, residentMb, faults: [...(await auditFaults(db)), ...(await server.finish(secrets))] };
  } finally {
    await server.close();
  }
}

type RunOptions = Omit<SurfaceRun, "onProgress"> & Pick<FuzzSession, "onProgress"> & { surface: Surface };

async function runSurface({ surface, onProgress, ...run }: RunOptions): Promise<SurfaceReport> {
  const { server, requests } = run;
  const sampledBefore = server.heap.samplesMb().length;
  const sample = sampling(server, requests);
  const options: SurfaceRun = {
    ...run,
    onProgress: (report) => {
      onProgress?.(report, requests, server.residentMb());
      sample(report);
    },
  };
  const report = await (surface === "api" ? fuzzApi(options) : fuzzPages(options));
  await server.heap.sample();
  const heap = judgeHeap(server.heap.samplesMb().slice(sampledBefore));
  if (!heap.isFlat) {
    const message = `the server's heap grew by ${heap.grownMb} MB; at most ${HEAP_GROWTH_MAX_MB} MB are allowed`;
    report.faults.push({ index: -1, what: "the whole run", message });
  }
  return { ...report, surface, heap };
}

const fuzzApi = ({ server, ...run }: SurfaceRun): Promise<FuzzReport> =>
  runFuzz({
    ...run,
    port: Number(new URL(server.url).port),
    receiverUrl: server.receiverUrl,
    deadUrl: server.deadUrl,
  });

/** A full collection of garbage takes a moment, so it is rare in a short run. */
const HEAP_SAMPLES_MAX = 15;
const ROUNDS_PER_SAMPLE_MIN = 1_000;

function sampling(server: FuzzServer, requests: number): (report: FuzzReport) => void {
  const every = Math.max(ROUNDS_PER_SAMPLE_MIN, Math.ceil(requests / HEAP_SAMPLES_MAX));
  let due = every;
  return ({ rounds }) => {
    if (rounds < due) return;
    due += every;
    // A server that is too busy to answer the signal is noticed by its requests.
    server.heap.sample().catch(() => {});
  };
}

const auditFaults = async (db: Db): Promise<string[]> =>
  (await audit(db)).invariants.flatMap(({ number, name, violations }) =>
    violations.map((violation) => `invariant ${number} (${name}): ${violation}`),
  );
