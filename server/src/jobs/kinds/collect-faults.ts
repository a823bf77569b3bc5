import { csvLine, spreadsheetCell } from "../../lib/csv/csv-line.ts";
import { JobFailed } from "../job-kind.ts";

/** What is wrong on a line. For stock it never repeats a code. */
export type RowFault = { line: number; id?: string; reason: string };

const SHOWN_MAX = 200;
const LISTED_MAX = 100_000;

/** Collects the refused rows of a file: the first for the page, many for a file. */
export function collectFaults() {
  const shown: RowFault[] = [];
  const listed: string[] = [csvLine(["line", "id", "reason"])];
  let count = 0;
  return {
    add(fault: RowFault): void {
      count += 1;
      if (shown.length < SHOWN_MAX) shown.push(fault);
      const cells = [String(fault.line), spreadsheetCell(fault.id ?? ""), spreadsheetCell(fault.reason)];
      if (listed.length <= LISTED_MAX) listed.push(csvLine(cells));
    },
    /** The end of a job whose file was refused. */
    refusal: (): JobFailed =>
      new JobFailed(`Nothing was imported: ${count} invalid ${count === 1 ? "row" : "rows"}.`, {
        result: { faults: count, rows: shown },
        part: `${listed.join("\r\n")}\r\n`,
      }),
  };
}
