import type { Command } from "commander";
import { getProductCurrency } from "../../../suppliers/get-supplier.ts";
import { plural } from "../../output/format.ts";
import { startProgress } from "../../output/progress.ts";
import { listed, type Options, required, tellWarning, text, UsageError, verb } from "../../verb.ts";
import { writeOut } from "../write-out.ts";

/** Codes that leave stock without being sold. */
export function stockRemovalCommands(stock: Command): void {
  verb(
    stock
      .command("withdraw")
      .description("take codes out of stock for good: they are never sold, and cannot be imported again")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--reason <text>", "the reason; it is recorded")
      .option("--supplier <id>", "only this supplier")
      .option("--ids <ids>", "the ids of the codes, separated by commas (see: scrip stock list)")
      .option("--count <n>", "how many, starting with the code that expires last")
      .option("--all", "all codes in stock"),
    async (context, options) => {
      const productId = required(options, "product");
      const choice = readChoice(options);
      await getProductCurrency(context.db, productId);
      const { withdrawStock } = await import("../../../suppliers/stock/withdraw-stock.ts");
      const reason = required(options, "reason");
      const supplierId = text(options, "supplier");
      const { ids, heldIds } = await withdrawStock(context, { productId, supplierId, reason, ...choice });
      const found = new Set([...ids, ...heldIds]);
      const missing = choice.ids?.filter((id) => !found.has(id)) ?? [];
      for (const id of missing) tellWarning(`${id} is not in stock, or is being sold now`);
      if (missing.length > 0) process.exitCode = 1;
      return { productId, withdrawn: ids.length, held: heldIds.length, ids };
    },
    ({ productId, withdrawn, held }) =>
      `withdrew ${plural(withdrawn, "code")} of ${productId}` +
      (held === 0
        ? ""
        : `; ${plural(held, "code")} held by unfinished orders will be withdrawn if they return`) +
      (withdrawn === 0 ? "" : `; to export them: scrip stock export --product ${productId} --reveal`),
  );
  exportCommand(stock);
}

function exportCommand(stock: Command): void {
  verb(
    stock
      .command("export")
      .description("write withdrawn codes to standard output in plain text, as CSV for import")
      .requiredOption("--product <id>", "the product")
      .requiredOption("--reveal", "confirm that codes are printed: anyone who reads them can spend them")
      .requiredOption("--reason <text>", "the reason; it is recorded with the time and the number of codes")
      .option("--supplier <id>", "only this supplier"),
    async (context, options) => {
      const productId = required(options, "product");
      if (options.json === true) throw new UsageError("stock export writes CSV, not JSON");
      await getProductCurrency(context.db, productId);
      const { exportStock } = await import("../../../suppliers/stock/export-stock.ts");
      const progress = startProgress("codes written");
      const exported = await exportStock(context, {
        productId,
        supplierId: text(options, "supplier"),
        reason: required(options, "reason"),
        write: writeOut,
        onProgress: (done, total) => progress.advance(done, done / total),
        onDamaged(id) {
          tellWarning(`${id} cannot be decrypted and was skipped`);
          process.exitCode = 1;
        },
      });
      progress.end();
      if (exported === 0)
        throw new RangeError(
          `no code of ${productId} is withdrawn, and only withdrawn codes can be exported. First run: scrip stock withdraw`,
        );
    },
    () => undefined,
  );
}

function readChoice(options: Options): { ids: string[] | undefined; count: number | undefined } {
  const ids = listed(text(options, "ids"));
  const count = text(options, "count");
  const given = [ids !== undefined, count !== undefined, options.all === true].filter(Boolean).length;
  if (given !== 1) throw new UsageError("use one of --ids, --count and --all");
  if (count !== undefined && !/^[1-9]\d{0,8}$/.test(count))
    throw new UsageError(`--count must be an integer, not "${count}"`);
  return { ids, count: count === undefined ? undefined : Number(count) };
}
