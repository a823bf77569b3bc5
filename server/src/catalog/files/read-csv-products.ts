import { readCsvRecords } from "../../lib/csv-records.ts";
import { csvRecordToJson, listColumnFaults } from "./csv-product.ts";
import { PRODUCT_BYTES_MAX, type ReadRow } from "./read-json-products.ts";

/**
 * Reads a catalog in CSV and yields one product after another in the shape that a JSON file has. The first line names
 * the columns; under a wrong one every row would be at fault, so its own faults are all that is said.
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
      const faults = listColumnFaults(columns);
      for (const fault of faults) yield { line, fault };
      if (faults.length > 0) return;
    } else if (record.cells.length !== columns.length) {
      yield { line, fault: `has ${record.cells.length} cells, and there are ${columns.length} columns` };
    } else yield { line, value: csvRecordToJson(columns, record.cells) };
  }
  if (!columns) yield { line: 1, fault: "the file is empty; its first line names the columns" };
}
