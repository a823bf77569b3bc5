import type { Tx } from "../../db/database.ts";
import type { JobDeps, JobResult, RunningJob } from "../job-kind.ts";
import { collectFaults, type RowFault } from "./collect-faults.ts";

/** What an import of a file takes and tells. */
export type ImportListener<Imported> = {
  file: AsyncGenerator<Uint8Array>;
  takeGood: boolean;
  onFault(fault: RowFault): void;
  onBytes(bytes: number): void;
  onProgress(): void;
  inTransaction(tx: Tx, imported: Imported): Promise<void>;
};

/**
 * Imports the file of a job. Where a person is asked, first a preview, which changes nothing; then the good rows, with a list of those
 * that were left out. Without a question it is all rows or none. The job ends in the transaction of the import: a worker that dies
 * has imported nothing, or everything, and then nobody runs the job again.
 */
export async function runImport<Imported extends JobResult>(
  { db }: JobDeps,
  job: RunningJob,
  run: (listener: ImportListener<Imported>) => Promise<{ ok: boolean }>,
  /** More for the preview. */
  more: () => JobResult = () => ({}),
): Promise<void> {
  const faults = collectFaults();
  const isPreview = job.params.preview === true;
  let read = 0;
  let seen: JobResult = {};
  const result = await run({
    file: job.input(),
    takeGood: job.params.preview !== undefined,
    onFault: faults.add,
    onBytes: (bytes) => {
      read += bytes;
    },
    onProgress: () => job.advance(read, job.inputBytes),
    inTransaction: async (tx, imported) => {
      seen = imported;
      if (isPreview) throw new Undone();
      await job.succeed(tx, { ...imported, ...faults.result() }, faults.part());
    },
  }).catch((error: unknown) => {
    if (error instanceof Undone) return undefined;
    throw error;
  });
  if (result?.ok === false) throw faults.refusal();
  if (!isPreview) return;
  const shown = { ...seen, ...more(), ...faults.result() };
  await db.transaction((tx) => job.askToConfirm(tx, shown, faults.part()));
}

/** Rolls the import back once it is known what it would do. */
class Undone extends Error {}
