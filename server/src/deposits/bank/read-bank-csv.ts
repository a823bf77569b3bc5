import { readCsvRecords } from "../../lib/csv/csv-records.ts";
import { type RawLine, STATEMENT_MAX_ROWS, type StatementRow, toRow } from "./bank-line.ts";

const RECORD_MAX_BYTES = 65_536;

/** The columns that are read, by their names without spaces, underscores and case. Others are ignored. */
const COLUMNS = {
  bookedOn: ["date", "bookingdate", "bookedon"],
  amount: ["amount"],
  currency: ["currency", "ccy"],
  reference: ["reference", "paymentreference"],
  text: ["text", "remittance", "remittanceinformation", "description", "details", "purpose"],
  payer: ["payer", "payername", "debtor", "counterparty", "name"],
  account: ["account", "iban", "accountnumber"],
  entryReference: ["id", "entryreference", "bankreference", "transactionid"],
} as const satisfies Record<string, readonly string[]>;

type Column = keyof typeof COLUMNS;
type Places = Readonly<Record<Column, number>>;

/** Reads a bank's CSV: a header row with date, amount, currency, and reference or text. Dates and amounts are strict. */
export async function* readBankCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementRow> {
  let places: Places | undefined;
  let width = 0;
  let rows = 0;
  for await (const record of readCsvRecords(bytes, RECORD_MAX_BYTES)) {
    const { line: row } = record;
    if ("fault" in record) {
      yield { row, fault: record.fault };
      continue;
    }
    if (!places) {
      const found = findColumns(record.cells);
      if ("fault" in found) throw new RangeError(found.fault);
      places = found;
      width = record.cells.length;
      continue;
    }
    rows += 1;
    if (rows > STATEMENT_MAX_ROWS)
      throw new RangeError(`the file has more than ${STATEMENT_MAX_ROWS} rows; split it`);
    if (record.cells.length !== width)
      yield { row, fault: `row has ${record.cells.length} cells, expected ${width}` };
    else yield toRow(row, toRaw(places, record.cells));
  }
  if (!places) throw new RangeError("the file is empty; the first line must be a header row");
}

function toRaw(places: Places, cells: readonly string[]): RawLine {
  const cell = (column: Column): string => cells[places[column]] ?? "";
  return {
    account: cell("account"),
    entryReference: cell("entryReference"),
    bookedOn: cell("bookedOn"),
    amount: cell("amount"),
    currency: cell("currency"),
    payer: cell("payer"),
    remittance: [cell("reference"), cell("text")].filter((text) => text !== "").join(" "),
  };
}

function findColumns(names: readonly string[]): Places | { fault: string } {
  const bare = names.map((name) => name.toLowerCase().replaceAll(/[\s_.-]/g, ""));
  const places = {} as Record<Column, number>;
  for (const [column, known] of Object.entries(COLUMNS) as [Column, readonly string[]][]) {
    const at = bare.flatMap((name, index) => (known.includes(name) ? [index] : []));
    if (at.length > 1)
      return { fault: `two columns say the same: ${at.map((index) => names[index]).join(" and ")}` };
    places[column] = at[0] ?? -1;
  }
  const missing = (["bookedOn", "amount", "currency"] as const).filter((column) => places[column] === -1);
  const wanted = missing.map((column) => COLUMNS[column][0]);
  if (places.reference === -1 && places.text === -1) wanted.push("reference" as never);
  return wanted.length === 0
    ? places
    : {
        fault: `missing column ${wanted.join(" and ")}; the columns are date, amount, currency, reference, text, payer, account, id`,
      };
}
