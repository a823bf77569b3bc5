import { importStock } from "../../suppliers/stock/import-stock.ts";
import { createCodeDigest } from "../../vault/code-digest.ts";
import type { JobKind } from "../job-kind.ts";
import { collectFaults } from "./collect-faults.ts";
import { optionalText, requiredText } from "./read-params.ts";

/**
 * All codes of the file, or none. The job ends in the transaction of the import: a worker that dies has imported nothing, or
 * everything, and then nobody runs the job again.
 */
export const importStockJob: JobKind = {
  title: "Import of stock",
  resultFile: "refused-rows.csv",
  async run(deps, job) {
    const faults = collectFaults();
    let read = 0;
    const result = await importStock(
      { ...deps, digestCode: createCodeDigest(deps.secrets.codeDigestKey) },
      {
        file: job.input(),
        productId: requiredText(job.params, "productId"),
        supplierId: optionalText(job.params, "supplierId"),
        cost: optionalText(job.params, "cost"),
        onFault: faults.add,
        onBytes: (bytes) => {
          read += bytes;
        },
        onProgress: () => job.advance(read, job.inputBytes),
        inTransaction: (tx, { imported, level, supplierId }) =>
          job.succeed(tx, { imported, level, supplierId }),
      },
    );
    if (!result.ok) throw faults.refusal();
  },
};
