import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import type { Queryable } from "../../server/src/db/database.ts";
import type { JobKindName } from "../../server/src/jobs/kinds.ts";
import { type NewJob, startJob } from "../../server/src/jobs/start-job.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { COMMAND } from "../../server/testing/people/people-desk.ts";
import { createRandom, type Random } from "../../server/testing/seed.ts";
import type { Recorder, StartedJob } from "../recorder.ts";
import { STOCKED } from "../shopfront.ts";
import type { World } from "../world.ts";
import { noteUnforeseen } from "./operators.ts";
import type { Actor } from "./placers.ts";

const PAUSE_MAX_MS = 15_000;
const IMPORTED_CODES = 200;
/** Orders whose id is younger than the export's beginning are not part of it, and clocks of API processes differ. */
const EXPORTED_AFTER_MS = 15_000;
/** Of a purchase that nobody made. */
const STATEMENT = `reference,id,amount,currency,status,time
ord_stranger.0.0.1,s1,0.80,USD,completed,2030-01-01T00:00:00.000Z
`;
const KINDS: readonly JobKindName[] = [
  ...(["export_orders", "export_orders", "import_stock", "import_stock", "import_stock"] as const),
  ...(["sync_catalog", "reconcile_supplier", "audit"] as const),
];

/** The operator starts long work: exports, imports of stock, comparisons with suppliers, audits. */
export const runTheJobs: Actor = async (world, _accounts, recorder, weather) => {
  const random = createRandom(weather.seed + 11_000);
  const acknowledgedAt: { atMs: number; count: number }[] = [];
  for (let number = 0; weather.isStormy; number += 1) {
    await wait(random.below(PAUSE_MAX_MS));
    acknowledgedAt.push({ atMs: performance.now(), count: recorder.acknowledged.length });
    const before = acknowledgedAt.findLast(({ atMs }) => atMs < performance.now() - EXPORTED_AFTER_MS);
    const { job, expected } = chooseJob(world, random, number, before?.count ?? 0);
    const id = await startJob({ ...world, clock: systemClock }, job, COMMAND).catch((error) =>
      noteUnforeseen(recorder, error),
    );
    if (id) recorder.jobs.push({ id, kind: job.kind, ...expected });
  }
};

function chooseJob(
  { upstreams }: World,
  random: Random,
  number: number,
  exportedMin: number,
): { job: NewJob; expected: Omit<StartedJob, "id" | "kind"> } {
  const kind = random.pick(KINDS);
  const { supplierId = "" } = upstreams.find((upstream) => upstream.kind === "dtone") ?? {};
  switch (kind) {
    case "export_orders":
      return { job: { kind, params: {} }, expected: { exportedMin } };
    case "import_stock": {
      const codes = Array.from({ length: IMPORTED_CODES }, (_, index) => `STOCK-9${number}0000${index}`);
      const input = Buffer.from(`code\n${codes.join("\n")}\n`);
      return {
        job: { kind, params: { productId: STOCKED }, input },
        expected: { imported: IMPORTED_CODES },
      };
    }
    case "reconcile_supplier": {
      const input = Buffer.from(STATEMENT);
      return { job: { kind, params: { supplierId }, input }, expected: {} };
    }
    case "sync_catalog":
      return { job: { kind, params: { supplierId } }, expected: {} };
    default:
      return { job: { kind: "audit", params: {} }, expected: {} };
  }
}

type JobRow = {
  id: string;
  kind: string;
  state: string;
  error: string | null;
  result: Record<string, unknown> | null;
};

/** A job that was interrupted too often, or whose supplier did not answer in time, gives up and has then done nothing. */
const GAVE_UP = /^the job was started \d+ times|^the supplier gave no usable answer \(timeout\)/;

export const countUnendedJobs = sql`
  select count(*)::integer as count from jobs where state in ('waiting', 'running')`;

/** Every started job ended, with the result that it must have. Returns also how many codes were imported. */
export async function findJobFaults(
  db: Queryable,
  { jobs }: Recorder,
): Promise<{ faults: string[]; imported: number; ended: Map<string, number> }> {
  const rows = await db.rows<JobRow>(sql`select id, kind, state, error, result from jobs`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const faults = jobs.flatMap(({ id, kind, exportedMin = 0, imported }) => {
    const row = byId.get(id);
    if (!row) return [`the job ${id} (${kind}) is gone`];
    const { state, error, result } = row;
    if (state === "failed" && GAVE_UP.test(error ?? "")) return [];
    if (state !== "succeeded") return [`the job ${id} (${kind}) is ${state}: ${error}`];
    if (Number(result?.orders ?? exportedMin) < exportedMin)
      return [`${id} exported ${result?.orders} of ${exportedMin} orders`];
    if (imported !== undefined && result?.imported !== imported)
      return [`${id} imported ${result?.imported} of ${imported} codes`];
    if (kind === "audit" && result?.ok !== true) return [`${id} found broken invariants: ${result?.broken}`];
    return [];
  });
  const succeeded = rows.filter(({ state }) => state === "succeeded");
  const imported = succeeded.reduce((sum, { result }) => sum + Number(result?.imported ?? 0), 0);
  const ended = new Map<string, number>();
  for (const { kind, state } of rows) ended.set(`${kind} ${state}`, (ended.get(`${kind} ${state}`) ?? 0) + 1);
  return { faults, imported, ended };
}
