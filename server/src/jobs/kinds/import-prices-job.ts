import { type ImportedPrices, importPrices } from "../../catalog/prices/import-prices.ts";
import type { PriceChanges } from "../../catalog/prices/price-change-queries.ts";
import type { JobKind } from "../job-kind.ts";
import { runImport } from "./run-import.ts";

export const importPricesJob: JobKind = {
  title: "Import of prices",
  resultFile: "refused-rows.csv",
  async run(deps, job) {
    let differing: PriceChanges = { resellers: 0, changes: [] };
    const onChanges = (changes: PriceChanges): void => {
      differing = changes;
    };
    await runImport<ImportedPrices>(
      deps,
      job,
      (listener) =>
        importPrices(deps.db, deps.clock, {
          ...listener,
          ...(job.params.preview === true ? { onChanges } : {}),
        }),
      () => differing,
    );
  },
};
