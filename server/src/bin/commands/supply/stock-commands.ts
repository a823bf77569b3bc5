import type { Command } from "commander";
import { toMoney } from "../../../lib/money.ts";
import { getProductCurrency } from "../../../suppliers/get-supplier.ts";
import type { ImportedStock } from "../../../suppliers/stock/import-stock.ts";
import { listStockLevels, type StockLevelRow } from "../../../suppliers/stock/stock-queries.ts";
import { createCodeDigest } from "../../../vault/code-digest.ts";
import { showCount } from "../../output/format.ts";
import { showCost, toRouteView } from "../../output/route-view.ts";
import { table } from "../../output/table.ts";
import { required, text, verb } from "../../verb.ts";
import { importFile, TAKE_GOOD, tell } from "../import-file.ts";
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
      .option("--cost <decimal>", "the cost of one code of this file; by default the route's")
      .option("--currency <code>", "the currency of --cost; by default the route's, or the product's")
      .option(...TAKE_GOOD)
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
          currency: text(options, "currency"),
          takeGood: options.takeGood === true,
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
      .description("count codes by product and supplier, with what those in stock cost")
      .option("--product <id>", "only this product"),
    async ({ db, clock }, options) => {
      const productId = text(options, "product");
      if (productId !== undefined) await getProductCurrency(db, productId);
      const levels = await listStockLevels(db, { productId, now: clock.now() });
      return { data: levels.map(toLevelView) };
    },
    ({ data }) =>
      data.length === 0
        ? "No stock. Import codes: scrip stock import --product ID FILE.csv"
        : levelTable(data),
  );
}

const toLevelView = ({ value, withoutCost, ...level }: StockLevelRow) => ({
  ...level,
  value: value.map(({ currency, minor }) => toMoney(minor, currency)),
  ...(withoutCost === 0 ? {} : { withoutCost }),
});

type LevelView = ReturnType<typeof toLevelView>;

const valueText = ({ available, value, withoutCost = 0 }: LevelView): string =>
  available === 0
    ? "–"
    : [
        ...value.map((money) => showCost(money)),
        ...(withoutCost === 0 ? [] : [`${showCount(withoutCost)} of unknown cost`]),
      ].join(", ");

const levelTable = (data: readonly LevelView[]): string =>
  table(
    [
      "PRODUCT",
      "SUPPLIER",
      { heading: "NAME", cut: true, optional: true },
      { heading: "AVAILABLE", right: true },
      { heading: "VALUE", right: true },
      ...["EXPIRED", "DELIVERED", "QUARANTINED", "DAMAGED", "WITHDRAWN"].map(
        (heading) => ({ heading, right: true, optional: true }) as const,
      ),
    ],
    data.map((row) => [
      row.productId,
      row.supplierId,
      row.supplierName,
      row.available === 0 ? { text: "0", style: "red" } : showCount(row.available),
      valueText(row),
      showCount(row.expired),
      showCount(row.delivered),
      showCount(row.quarantined),
      showCount(row.damaged),
      showCount(row.withdrawn),
    ]),
  );

const IMPORT_HELP = `
The first line names the columns: code,pin,serial,url,expiresAt, in any order. Each row has either a code or a url; the
other columns are optional. expiresAt is a date such as 2030-12-31, whose day
ends in UTC, or a time such as 2030-12-31T23:59:59Z. A code that is already known, in stock or sold,
is refused. Invalid rows are reported by line on standard error. No code is ever printed.

The codes of a file are a batch with its own cost and currency. A sale costs what the batch of its code cost, whatever came in
later. --cost is also the new cost of the route, which price rules use. Without it the batch costs what the route says.`;

const toView = ({
  faults,
  cost: { costMinor, costCurrency },
  ...stock
}: ImportedStock & { faults?: number }) => ({
  productId: stock.productId,
  supplierId: stock.supplierId,
  imported: stock.imported,
  level: stock.level,
  ...(costMinor === null || costCurrency === null ? {} : { cost: toMoney(costMinor, costCurrency) }),
  ...(faults === undefined ? {} : { refused: faults }),
  ...(stock.supplierMade === undefined ? {} : { supplierMade: stock.supplierMade }),
  ...(stock.routeMade === undefined ? {} : { routeMade: toRouteView(stock.routeMade) }),
});

function showImported(result: ReturnType<typeof toView>): string {
  const { productId, supplierId, imported, level, cost, supplierMade, routeMade } = result;
  const each = cost === undefined ? "" : ` at ${showCost(cost)} each`;
  return [
    ...(supplierMade === undefined ? [] : [`created the stock supplier ${supplierId} (${supplierMade})`]),
    ...(routeMade === undefined
      ? []
      : [
          `created a route of ${productId} to ${supplierId}: priority ${routeMade.priority}, cost ${showCost(routeMade.cost)}`,
        ]),
    `imported ${imported} code(s) for ${productId}${each}; ${level} can be sold now`,
  ].join("\n");
}
