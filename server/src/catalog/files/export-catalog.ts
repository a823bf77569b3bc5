import type { Db } from "../../db/database.ts";
import { csvLine } from "../../lib/csv/csv-line.ts";
import type { InputFieldSpec } from "../input-field-spec.ts";
import { type ProductDetails, toDetails, toDetailTexts } from "../product-details.ts";
import { CSV_COLUMNS } from "./csv-product.ts";
import { countProducts, type ExportRow, listProductsAfter, readFromOneSnapshot } from "./export-queries.ts";
import type { ImportedProduct } from "./product-file.ts";

type ExportInput = {
  format: "json" | "csv";
  write(chunk: string): Promise<void> | void;
  onProgress?(done: number, total: number): void;
};

/** Text is buffered up to this size before it is written. */
const CHUNK_CHARACTERS = 65_536;

/**
 * Writes all products by id, in the import format with every member that has a value (CONTRACT 8, Files). Importing an export changes
 * nothing. The export is one snapshot of the catalog.
 */
export async function exportCatalog(db: Db, input: ExportInput): Promise<void> {
  const format = FORMATS[input.format];
  await db.transaction(async (tx) => {
    await readFromOneSnapshot(tx);
    const total = await countProducts(tx);
    let done = 0;
    let pending = format.opening;
    let afterId = "";
    for (;;) {
      const rows = await listProductsAfter(tx, afterId);
      for (const row of rows) {
        pending += (afterId === "" ? format.beforeFirst : format.between) + format.render(toProduct(row));
        afterId = row.id;
        done += 1;
        if (pending.length < CHUNK_CHARACTERS) continue;
        await input.write(pending);
        pending = "";
      }
      if (rows.length === 0) break;
      input.onProgress?.(done, total);
    }
    await input.write(pending + format.closing);
  });
}

type ExportedProduct = Omit<ImportedProduct, "details"> & {
  active: boolean;
  hidden: boolean;
} & ProductDetails;

/** Members are in the order of CONTRACT 8, which jsonb does not preserve. */
const toProduct = (row: ExportRow): ExportedProduct => ({
  id: row.id,
  name: row.name,
  type: row.type,
  faceValue: {
    amount: row.faceValueAmount,
    currency: row.faceValueCurrency,
    unit: row.faceValueUnit,
    isMoney: row.faceValueIsMoney,
  },
  bonus: row.bonus,
  minQuantity: row.minQuantity,
  maxQuantity: row.maxQuantity,
  inputFields: row.inputFields.map(toInputField),
  active: row.active,
  hidden: row.hidden,
  ...toDetails(row),
});

const toInputField = ({ key, type, required, regex, options }: InputFieldSpec): InputFieldSpec => ({
  key,
  type,
  required,
  regex,
  options: options.map(({ value, label, parentValue }) => ({ value, label, parentValue })),
});

const toCsvRecord = (product: ExportedProduct): string => {
  const { faceValue } = product;
  const cells: Record<(typeof CSV_COLUMNS)[number], string | number | boolean> = {
    id: product.id,
    name: product.name,
    type: product.type,
    "faceValue.amount": faceValue.amount,
    "faceValue.currency": faceValue.currency,
    "faceValue.unit": faceValue.unit,
    "faceValue.isMoney": faceValue.isMoney,
    bonus: product.bonus,
    minQuantity: product.minQuantity,
    maxQuantity: product.maxQuantity,
    inputFields: JSON.stringify(product.inputFields),
    active: product.active,
    hidden: product.hidden,
    ...toDetailTexts(product),
  };
  return csvLine(CSV_COLUMNS.map((column) => String(cells[column])));
};

type Format = {
  opening: string;
  beforeFirst: string;
  between: string;
  closing: string;
  render(product: ExportedProduct): string;
};

/** One product per line, so that two exports can be compared with a line diff. */
const FORMATS: Readonly<Record<ExportInput["format"], Format>> = {
  json: {
    opening: '{"products": [',
    beforeFirst: "\n",
    between: ",\n",
    closing: "\n]}\n",
    render: (p) => JSON.stringify(p),
  },
  csv: {
    opening: CSV_COLUMNS.join(","),
    beforeFirst: "\n",
    between: "\n",
    closing: "\n",
    render: toCsvRecord,
  },
};
