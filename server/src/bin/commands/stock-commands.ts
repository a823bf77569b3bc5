import type { Command } from "commander";
import { getProductCurrency } from "../../suppliers/get-supplier.ts";
import type { ImportedStock } from "../../suppliers/stock/import-stock.ts";
import { listStockLevels, type StockLevelRow } from "../../suppliers/stock/stock-queries.ts";
import { createCodeDigest } from "../../vault/code-digest.ts";
import { showCount } from "../output/format.ts";
import { showCost, toRouteView } from "../output/route-view.ts";
import { table } from "../output/table.ts";
import { required, text, verb } from "../verb.ts";
import { importFile, tell } from "./import-file.ts";
import { stockListCommand } from "./stock-list-command.ts";
import { stockRemovalCommands } from "./stock-removal-commands.ts";

export function stockCommands(program: Command): void {
  const stock = program.command("stock").description("codes that you sell from your own stock");
  importCommand(stock);
  levelCommand(stock);
  stockListCommand(stock);
  stockRemovalCommands(stock);
}

function importCommand(stock: Command): void {
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
      const { importStock } = await import("../../suppliers/stock/import-stock.ts");
      const deps = { ...context, digestCode: createCodeDigest(context.secrets.codeDigestKey) };
      const result = await importFile(file, "codes read", (listener) =>
        importStock(deps, {
          ...listener,
          file,
          productId: required(options, "product"),
          supplierId: text(options, "supplier"),
          cost: text(options, "cost"),
          onWaiting: () => tell("another import is running; waiting for it"),
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
      .description("how many codes there are, by product and supplier")
      .option("--product <id>", "of this product alone"),
    async ({ db, clock }, options) => {
      const productId = text(options, "product");
      if (productId !== undefined) await getProductCurrency(db, productId);
      return { data: await listStockLevels(db, { productId, now: clock.now() }) };
    },
    ({ data }) =>
      data.length === 0
        ? "There is no stock. Bring codes in: scrip stock import --product ID FILE.csv"
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
rest may be absent. expiresAt is a time such as 2030-12-31T23:59:59Z. A code that was here before, in stock or sold, is
refused. Faulty rows are named by line on standard error, and no code is ever printed.

--cost is for a product's first import, which makes its route. Later ones keep the route's cost; to change it, use:
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
    ...(supplierMade === undefined ? [] : [`made the stock supplier ${supplierId} (${supplierMade})`]),
    ...(routeMade === undefined
      ? []
      : [
          `made a route of ${productId} to ${supplierId}: priority ${routeMade.priority}, cost ${showCost(routeMade.cost)}`,
        ]),
    `imported ${imported} code(s) for ${productId}; ${level} can be sold now`,
  ].join("\n");
}
