import { type ImportedPrices, importPrices } from "../../catalog/prices/import-prices.ts";
import type { PriceChanges } from "../../catalog/prices/price-change-queries.ts";
import type { JobKind } from "../job-kind.ts";
import { collectFaults } from "./collect-faults.ts";

/** First a preview, which changes nothing; once a person has confirmed it, all prices of the file or none. */
export const importPricesJob: JobKind = {
  title: "Import of prices",
  resultFile: "refused-rows.csv",
  async run({ db, clock }, job) {
    const faults = collectFaults();
    const isPreview = job.params.preview === true;
    let seen: ImportedPrices = { created: 0, updated: 0, unchanged: 0 };
    let differing: PriceChanges = { resellers: 0, changes: [] };
    const keep = (changes: PriceChanges): void => {
      differing = changes;
    };
    let read = 0;
    const result = await importPrices(db, clock, {
      file: job.input(),
      onFault: faults.add,
      onBytes: (bytes) => {
        read += bytes;
      },
      ...(isPreview ? { onChanges: keep } : {}),
      onProgress: () => job.advance(read, job.inputBytes),
      inTransaction: async (tx, counts) => {
        seen = counts;
        if (isPreview) throw new Undone();
        await job.succeed(tx, counts);
      },
    }).catch((error: unknown) => {
      if (error instanceof Undone) return undefined;
      throw error;
    });
    if (result?.ok === false) throw faults.refusal();
    if (isPreview) await db.transaction((tx) => job.askToConfirm(tx, { ...seen, ...differing }));
  },
};

/** Rolls the import back once it is known what it would have done. */
class Undone extends Error {}
