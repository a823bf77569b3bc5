import type { Command } from "commander";
import { getCatalogProduct } from "../../catalog/get-catalog-product.ts";
import { setHidden } from "../../catalog/hide-product.ts";
import { listPriceRows } from "../../catalog/prices/price-queries.ts";
import { productPage } from "../output/product-page.ts";
import { startProgress } from "../output/progress.ts";
import { text, UsageError, verb } from "../verb.ts";
import { catalogListCommands } from "./catalog-list-commands.ts";
import { importFile, refusedOf, showCounts, TAKE_GOOD } from "./import-file.ts";
import { notForSaleCommand } from "./pricing/not-for-sale-command.ts";
import { writeOut } from "./write-out.ts";

export function catalogCommands(program: Command): void {
  const catalog = program.command("catalog").description("the products that resellers see");
  catalogListCommands(catalog);

  verb(
    catalog.command("show").description("show a product and its prices").argument("<id>"),
    async ({ db }, options, [id = ""]) => {
      const product = await getCatalogProduct(db, id);
      if (options.json === true) return product;
      const filter = { productId: id, resellerId: null, priceList: null };
      return { ...product, prices: await listPriceRows(db, filter) };
    },
    productPage,
  );

  hiddenCommand(catalog, "hide", "hide a product from every reseller");
  hiddenCommand(catalog, "unhide", "show a hidden product to resellers again");
  notForSaleCommand(catalog);
  importCommand(catalog);
  exportCommand(catalog);
}

function hiddenCommand(catalog: Command, name: "hide" | "unhide", description: string): void {
  verb(
    catalog.command(name).description(description).argument("<id>"),
    ({ db, clock }, _options, [id = ""]) => setHidden(db, clock, id, name === "hide"),
    (product) => `${product.id} (${product.name}) is ${product.hidden ? "hidden" : "no longer hidden"}`,
  );
}

function importCommand(catalog: Command): void {
  verb(
    catalog
      .command("import")
      .description(
        "create and update products from a JSON or CSV file: all rows, or none if any row is invalid",
      )
      .argument("<file>")
      .option(...TAKE_GOOD)
      .addHelpText("after", IMPORT_HELP),
    async ({ db }, options, [file = ""]) => {
      const { importCatalog } = await import("../../catalog/files/import-catalog.ts");
      const takeGood = options.takeGood === true;
      const imported = await importFile(file, "rows read", (listener) =>
        importCatalog(db, { file, takeGood, ...listener }),
      );
      const { created, updated, unchanged } = imported;
      return { created, updated, unchanged, ...refusedOf(imported) };
    },
    showCounts,
  );
}

const IMPORT_HELP = `
JSON: {"products": [{"id": "…", "name": "…", "type": "gift_card" | "top_up", "faceValue": {"amount": "25.00",
"currency": "USD", "unit": "USD", "isMoney": true}, "bonus": "", "minQuantity": 1, "maxQuantity": 10,
"inputFields": [], "active": true, "hidden": false, "brand": "…", "category": "…", "country": "US", "description": "…",
"redeemInstructions": "…", "terms": "…", "imageUrl": "https://…"}]}
CSV: the same names as columns, faceValue.amount and so on; inputFields as JSON in its cell.
Only id, name, faceValue.amount and faceValue.currency are required. Missing members take their defaults, except active,
hidden and everything from brand on: an existing product keeps those. Empty text (in CSV an empty cell) removes one of the
members from brand on.`;

/** The export is streamed, because it can be larger than memory. */
function exportCommand(catalog: Command): void {
  const command = catalog
    .command("export")
    .description("write every product to standard output, in the format that import reads")
    .option("--format <format>", "json or csv", "json");
  verb(
    command,
    async ({ db }, options) => {
      const format = options.json === true ? "json" : text(options, "format");
      if (format !== "json" && format !== "csv")
        throw new UsageError(`--format must be json or csv, not "${format}"`);
      const { exportCatalog } = await import("../../catalog/files/export-catalog.ts");
      const progress = startProgress("products written");
      await exportCatalog(db, {
        format,
        write: writeOut,
        onProgress: (done, total) => progress.advance(done, done / total),
      });
      progress.end();
      return undefined;
    },
    () => undefined,
  );
}
