import type { Command } from "commander";
import { getProductCurrency } from "../../../suppliers/get-supplier.ts";
import type { ImportedStock } from "../../../suppliers/stock/import-stock.ts";
import { listStockLevels, type StockLevelRow } from "../../../suppliers/stock/stock-queries.ts";
import { createCodeDigest } from "../../../vault/code-digest.ts";
import { showCount } from "../../output/format.ts";
import { showCost, toRouteView } from "../../output/route-view.ts";
import { table } from "../../output/table.ts";
import { required, text, verb } from "../../verb.ts";
import { importFile, tell } from "../import-file.ts";
import { stockListCommand } from "./stock-list-command.ts";
import { stockRemovalCommands } from "./stock-removal-commands.ts";
import { stockRestoreCommand } from "./stock-restore-command.ts";

export function stockCommands(program: Command): void {
  const stock = program.command("stock").description("codes that you sell from your own stock");
  importCommand(stock);
  levelCommand(stock);
  stockListCommand(stock);
  stockRemovalCommands(stock);
  stockRestoreCommand(stock);
}

function importCommand(stock: Command): void {
  verb(
    stock
      .command("import")
      .description("import codes from a CSV file: all rows, or none if any row is invalid")
      .argument("<file>")
      .requiredOption("--product <id>", "the product of the codes")
      .option("--supplier <id>", "the stock supplier; required if there are several")
      .option("--cost <decimal>", "the cost of one code, for the route that a first import creates")
      .addHelpText("after", IMPORT_HELP),
    async (context, options, [file = ""]) => {
      const { importStock } = await import("../../../suppliers/stock/import-stock.ts");
      const deps = { ...context, digestCode: createCodeDigest(context.secrets.codeDigestKey) };
      const result = await importFile(file, "codes read", (listener) =>
        importStock(deps, {
          ...listener,
          file,
          productId: required(options, "product"),
          supplierId: text(options, "supplier"),
          cost: text(options, "cost"),
          onWaiting: () => tell("waiting for another import to finish"),
        }),
      );
      return toView(result);
    },
    showImported,
  );
}

function levelCommand(stock: Command): void {
  verb(
    stock
      .command("level")
      .description("count codes by product and supplier")
      .option("--product <id>", "only this product"),
    async ({ db, clock }, options) => {
      const productId = text(options, "product");
      if (productId !== undefined) await getProductCurrency(db, productId);
      return { data: await listStockLevels(db, { productId, now: clock.now() }) };
    },
    ({ data }) =>
      data.length === 0
        ? "No stock. Import codes: scrip stock import --product ID FILE.csv"
        : levelTable(data),
  );
}

const levelTable = (data: readonly StockLevelRow[]): string =>
  table(
    [
      "PRODUCT",
      "SUPPLIER",
      { heading: "NAME", cut: true, optional: true },
      { heading: "AVAILABLE", right: true },
      ...["EXPIRED", "DELIVERED", "QUARANTINED", "DAMAGED", "WITHDRAWN"].map(
        (heading) => ({ heading, right: true, optional: true }) as const,
      ),
    ],
    data.map((row) => [
      row.productId,
      row.supplierId,
      row.supplierName,
      row.available === 0 ? { text: "0", style: "red" } : showCount(row.available),
      showCount(row.expired),
      showCount(row.delivered),
      showCount(row.quarantined),
      showCount(row.damaged),
      showCount(row.withdrawn),
    ]),
  );

const IMPORT_HELP = `
The first line names the columns: code,pin,serial,url,expiresAt, in any order. Each row has either a code or a url; the
other columns are optional. expiresAt is a time such as 2030-12-31T23:59:59Z. A code that is already known, in stock or sold,
is refused. Invalid rows are reported by line on standard error. No code is ever printed.

--cost is for a product's first import, which creates its route. Later imports keep the route's cost. To change it, use:
scrip supplier route.`;

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
    ...(supplierMade === undefined ? [] : [`created the stock supplier ${supplierId} (${supplierMade})`]),
    ...(routeMade === undefined
      ? []
      : [
          `created a route of ${productId} to ${supplierId}: priority ${routeMade.priority}, cost ${showCost(routeMade.cost)}`,
        ]),
    `imported ${imported} code(s) for ${productId}; ${level} can be sold now`,
  ].join("\n");
}
