import { readCsvRecords } from "../../lib/csv/csv-records.ts";
import { sayColumnFaults } from "../../lib/csv/read-csv-table.ts";
import { CSV_COLUMNS, csvRecordToJson, REQUIRED_COLUMNS } from "./csv-product.ts";
import { PRODUCT_BYTES_MAX, type ReadRow } from "./read-json-products.ts";

/**
 * Reads a CSV catalog and yields products in the shape of a JSON file. The first line is the header. A faulty header
 * would make every row faulty, so only its own faults are reported.
 */
export async function* readCsvProducts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRow> {
  let columns: string[] | undefined;
  for await (const record of readCsvRecords(bytes, PRODUCT_BYTES_MAX)) {
    const { line } = record;
    if ("fault" in record) {
      columns ??= [];
      yield record;
    } else if (!columns) {
      columns = record.cells;
      const fault = sayColumnFaults({ known: CSV_COLUMNS, required: REQUIRED_COLUMNS }, columns);
      if (fault !== undefined) return yield { line, fault };
    } else if (record.cells.length !== columns.length) {
      yield { line, fault: `row has ${record.cells.length} cells, expected ${columns.length}` };
    } else yield { line, value: csvRecordToJson(columns, record.cells) };
  }
  if (!columns) yield { line: 1, fault: "the file is empty; the first line must be a header row" };
}
