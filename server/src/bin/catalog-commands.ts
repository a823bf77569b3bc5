import { once } from "node:events";
import type { Command } from "commander";
import { exportCatalog } from "../catalog/export-catalog.ts";
import { setHidden } from "../catalog/hide-product.ts";
import { importCatalog } from "../catalog/import-catalog.ts";
import { text, UsageError, verb } from "./verb.ts";

const PROGRESS_EVERY_ROWS = 100_000;

export function catalogCommands(program: Command): void {
  const catalog = program.command("catalog").description("the products that resellers see");

  verb(
    catalog
      .command("import")
      .description(
        "create and update products from a JSON or CSV file: all of them, or none when any row is faulty",
      )
      .argument("<file>")
      .addHelpText("after", IMPORT_HELP),
    async ({ db }, _options, [file = ""]) => {
      const result = await importCatalog(db, { file, onFault: tellFault, onProgress: tellProgress });
      if (!result.ok) throw new Error(`nothing was imported: ${result.faults} faulty row(s) in ${file}`);
      const { created, updated, unchanged } = result;
      return { created, updated, unchanged };
    },
    ({ created, updated, unchanged }) => `created ${created}, updated ${updated}, unchanged ${unchanged}`,
  );

  exportCommand(catalog);

  verb(
    catalog.command("hide").description("hide a product from every reseller").argument("<id>"),
    ({ db, clock }, _options, [id = ""]) => setHidden(db, clock, id, true),
    (product) => `${product.id} (${product.name}) is hidden`,
  );

  verb(
    catalog.command("show").description("show a hidden product again, and print it").argument("<id>"),
    ({ db, clock }, _options, [id = ""]) => setHidden(db, clock, id, false),
    (product) => JSON.stringify(product, null, 2),
  );
}

const IMPORT_HELP = `
JSON: {"products": [{"id": "…", "name": "…", "type": "gift_card" | "top_up", "faceValue": {"amount": "25.00",
"currency": "USD", "unit": "USD", "isMoney": true}, "bonus": "", "minQuantity": 1, "maxQuantity": 10,
"inputFields": [], "active": true, "hidden": false}]}
CSV: the same names as columns, faceValue.amount and so on; inputFields as JSON in its cell.
Only id, name, faceValue.amount and faceValue.currency are required. What the file leaves out takes its default, but
active and hidden stay as they are for a product that exists.`;

/** The export is written as it is read: it may be larger than memory. */
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
        throw new UsageError(`--format is json or csv, not "${format}"`);
      await exportCatalog(db, { format, write });
      return undefined;
    },
    () => undefined,
  );
}

async function write(chunk: string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
}

function tellFault({ line, id, reason }: { line: number; id?: string; reason: string }): void {
  process.stderr.write(`line ${line}${id === undefined ? "" : ` (${id})`}: ${reason}\n`);
}

function tellProgress(rows: number): void {
  if (rows % PROGRESS_EVERY_ROWS === 0) process.stderr.write(`${rows} rows read\n`);
}
