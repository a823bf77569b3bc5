import { importCatalog } from "../../catalog/files/import-catalog.ts";
import { type ChangeCounts, listChanges, type ProductChange } from "../../catalog/files/import-queries.ts";
import type { JobDeps, JobKind, RunningJob } from "../job-kind.ts";
import { collectFaults } from "./collect-faults.ts";

const CHANGES_SHOWN_MAX = 200;

/** First a preview, which changes nothing; once a person has confirmed it, all products of the file or none. */
export const importCatalogJob: JobKind = {
  title: "Import of products",
  resultFile: "refused-rows.csv",
  async run(deps, job) {
    const faults = collectFaults();
    const preview = job.params.preview === true ? createPreview() : undefined;
    let read = 0;
    const result = await importCatalog(deps.db, {
      file: job.input(),
      onFault: faults.add,
      onBytes: (bytes) => {
        read += bytes;
      },
      onProgress: () => job.advance(read, job.inputBytes),
      ...(preview
        ? { onChanges: preview.look, inTransaction: preview.undo }
        : { inTransaction: (tx, counts) => job.succeed(tx, counts) }),
    }).catch((error: unknown) => {
      if (error instanceof Undone) return undefined;
      throw error;
    });
    if (result?.ok === false) throw faults.refusal();
    if (preview) await showPreview(deps, job, preview.seen());
  },
};

/** Rolls the import back once it is known what it would have done. */
class Undone extends Error {}

type Seen = ChangeCounts & { changes: ProductChange[] };

function createPreview() {
  let seen: Seen = { created: 0, updated: 0, unchanged: 0, changes: [] };
  return {
    seen: () => seen,
    async look(tx: Parameters<typeof listChanges>[0], counts: ChangeCounts) {
      seen = { ...counts, changes: await listChanges(tx, CHANGES_SHOWN_MAX) };
    },
    async undo() {
      throw new Undone();
    },
  };
}

const showPreview = ({ db }: JobDeps, job: RunningJob, seen: Seen): Promise<void> =>
  db.transaction((tx) => job.askToConfirm(tx, seen));
