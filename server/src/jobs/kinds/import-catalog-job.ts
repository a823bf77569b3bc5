import { importCatalog } from "../../catalog/files/import-catalog.ts";
import { type ChangeCounts, listChanges, type ProductChange } from "../../catalog/files/import-queries.ts";
import type { JobKind } from "../job-kind.ts";
import { runImport } from "./run-import.ts";

const CHANGES_SHOWN_MAX = 200;

export const importCatalogJob: JobKind = {
  title: "Import of products",
  resultFile: "refused-rows.csv",
  async run(deps, job) {
    let changes: ProductChange[] = [];
    await runImport<ChangeCounts>(
      deps,
      job,
      (listener) =>
        importCatalog(deps.db, {
          ...listener,
          async onChanges(tx) {
            if (job.params.preview === true) changes = await listChanges(tx, CHANGES_SHOWN_MAX);
          },
        }),
      () => ({ changes }),
    );
  },
};
