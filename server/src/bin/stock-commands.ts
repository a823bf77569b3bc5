import type { Command } from "commander";
import { getProductCurrency } from "../suppliers/get-supplier.ts";
import { type ImportedStock, importStock } from "../suppliers/import-stock.ts";
import { listStockLevels } from "../suppliers/stock-queries.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import { showCost, toRouteView } from "./route-view.ts";
import { required, table, text, verb } from "./verb.ts";

const PROGRESS_EVERY_ROWS = 50_000;

export function stockCommands(program: Command): void {
  const stock = program.command("stock").description("codes that you sell from your own stock");

  verb(
    stock
      .command("import")
      .description("bring codes into stock from a CSV file: all of them, or none when any row is faulty")
      .argument("<file>")
      .requiredOption("--product <id>", "what the codes are")
      .option("--supplier <id>", "whose stock; needed where there are several stock suppliers")
      .option("--cost <decimal>", "what one code cost you, for the route that a first import makes")
      .addHelpText("after", IMPORT_HELP),
    async (context, options, [file = ""]) => {
      const deps = { ...context, digestCode: createCodeDigest(context.secrets.codeDigestKey) };
      const result = await importStock(deps, {
        file,
        productId: required(options, "product"),
        supplierId: text(options, "supplier"),
        cost: text(options, "cost"),
        onFault: ({ line, reason }) => tell(`line ${line}: ${reason}`),
        onWaiting: () => tell("another import is running; waiting for it"),
        ...(process.stderr.isTTY ? { onProgress: tellProgress } : {}),
      });
      if (!result.ok) throw new Error(`nothing was imported: ${result.faults} faulty row(s) in ${file}`);
      return toView(result);
    },
    showImported,
  );

  verb(
    stock
      .command("level")
      .description("how many codes there are, by product and supplier")
      .option("--product <id>", "of this product alone"),
    async ({ db, clock }, options) => {
      const productId = text(options, "product");
      if (productId !== undefined) await getProductCurrency(db, productId);
      return { data: await listStockLevels(db, { productId, now: clock.now() }) };
    },
    ({ data }) =>
      table(
        ["PRODUCT", "SUPPLIER", "NAME", "AVAILABLE", "EXPIRED", "DELIVERED", "QUARANTINED", "DAMAGED"],
        data.map((row) => [
          row.productId,
          row.supplierId,
          row.supplierName,
          String(row.available),
          String(row.expired),
          String(row.delivered),
          String(row.quarantined),
          String(row.damaged),
        ]),
      ),
  );
}

const IMPORT_HELP = `
The first line names the columns: code,pin,serial,url,expiresAt, in any order. Each row has either a code or a url; the
rest may be absent. expiresAt is a time such as 2030-12-31T23:59:59Z. A code that was here before, in stock or sold, is
refused. Faulty rows are named by line on standard error, and no code is ever printed.`;

const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

function tellProgress(rows: number): void {
  if (rows % PROGRESS_EVERY_ROWS === 0) tell(`${rows} rows read`);
}

const toView = ({ productId, supplierId, imported, level, supplierMade, routeMade }: ImportedStock) => ({
  productId,
  supplierId,
  imported,
  level,
  ...(supplierMade === undefined ? {} : { supplierMade }),
  ...(routeMade === undefined ? {} : { routeMade: toRouteView(routeMade) }),
});

function showImported(result: ReturnType<typeof toView>): string {
  const { productId, supplierId, imported, level, supplierMade, routeMade } = result;
  return [
    ...(supplierMade === undefined ? [] : [`made the stock supplier ${supplierId} (${supplierMade})`]),
    ...(routeMade === undefined
      ? []
      : [
          `made a route of ${productId} to ${supplierId}: priority ${routeMade.priority}, cost ${showCost(routeMade.cost)}`,
        ]),
    `imported ${imported} code(s) for ${productId}; ${level} can be sold now`,
  ].join("\n");
}
