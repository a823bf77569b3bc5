import { type ImportedStock, importStock } from "../../suppliers/stock/import-stock.ts";
import { createCodeDigest } from "../../vault/code-digest.ts";
import { moneyText } from "../../web/parts/money.ts";
import type { JobKind, JobResult } from "../job-kind.ts";
import { optionalText, requiredText } from "./read-params.ts";
import { runImport } from "./run-import.ts";

export const importStockJob: JobKind = {
  title: "Import of stock",
  resultFile: "refused-rows.csv",
  run: (deps, job) =>
    runImport(deps, job, ({ inTransaction, ...listener }) =>
      importStock(
        { ...deps, digestCode: createCodeDigest(deps.secrets.codeDigestKey) },
        {
          ...listener,
          productId: requiredText(job.params, "productId"),
          supplierId: optionalText(job.params, "supplierId"),
          cost: optionalText(job.params, "cost"),
          currency: optionalText(job.params, "currency"),
          actor: job.actor,
          inTransaction: (tx, imported) =>
            inTransaction(
              tx,
              job.params.preview === true
                ? { ...previewOf(imported), setsRouteCost: optionalText(job.params, "cost") !== undefined }
                : resultOf(imported),
            ),
        },
      ),
    ),
};

const resultOf = ({
  imported,
  level,
  supplierId,
}: Pick<ImportedStock, "imported" | "level" | "supplierId">): JobResult => ({ imported, level, supplierId });

/** A supplier that the import would make has no id yet. */
const previewOf = ({ supplierMade, cost, ...imported }: ImportedStock): JobResult => ({
  ...resultOf(imported),
  ...(supplierMade === undefined ? {} : { supplierId: supplierMade }),
  ...(cost.costMinor === null || cost.costCurrency === null
    ? {}
    : {
        costEach: moneyText(cost.costMinor, cost.costCurrency),
        costOfAll: moneyText(cost.costMinor * BigInt(imported.imported), cost.costCurrency),
      }),
});
