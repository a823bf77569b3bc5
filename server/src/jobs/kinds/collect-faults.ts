import { csvLine, spreadsheetCell } from "../../lib/csv/csv-line.ts";
import { JobFailed } from "../job-kind.ts";

/** What is wrong on a line. For stock it never repeats a code. */
export type RowFault = { line: number; id?: string; reason: string };

/** All rows of a file with the same fault. `lines` are the first of them, in order. */
export type FaultGroup = { reason: string; id?: string; count: number; lines: number[] };

/** What a job tells of the rows that it left out: how many, and the first kinds of faults. */
export type FaultResult = { faults?: number; groups?: FaultGroup[] };

const GROUPS_SHOWN_MAX = 200;
const LINES_SHOWN_MAX = 1_000;
/** As many rows as an import can have at most in its list. The last line of the list says how many more there are. */
export const LISTED_MAX = 200_000;

/** Collects the refused rows of a file: equal faults together for the page, each row for a file. */
export function collectFaults() {
  const groups = new Map<string, FaultGroup>();
  const listed: string[] = [csvLine(["line", "id", "reason"])];
  let count = 0;
  const result = (): FaultResult => (count === 0 ? {} : { faults: count, groups: inOrder(groups) });
  const part = (): string | undefined => {
    if (count === 0) return undefined;
    const more = count - (listed.length - 1);
    const end = more > 0 ? [csvLine(["", "", `and ${more} more`])] : [];
    return `${[...listed, ...end].join("\r\n")}\r\n`;
  };
  return {
    add(fault: RowFault): void {
      count += 1;
      addTo(groups, fault);
      const cells = [String(fault.line), spreadsheetCell(fault.id ?? ""), spreadsheetCell(fault.reason)];
      if (listed.length <= LISTED_MAX) listed.push(csvLine(cells));
    },
    result,
    part,
    /** The end of a job that took nothing of its file. */
    refusal: (): JobFailed =>
      new JobFailed(`Nothing was imported: ${count} invalid ${count === 1 ? "row" : "rows"}.`, {
        result: result(),
        part: part() ?? "",
      }),
  };
}

function addTo(groups: Map<string, FaultGroup>, { line, id, reason }: RowFault): void {
  const group = groups.get(reason);
  if (!group) {
    if (groups.size < GROUPS_SHOWN_MAX)
      groups.set(reason, { reason, ...(id === undefined ? {} : { id }), count: 1, lines: [line] });
    return;
  }
  delete group.id;
  group.count += 1;
  if (group.lines.length < LINES_SHOWN_MAX) group.lines.push(line);
}

/** Duplicates are found last, so lines come in any order. */
const inOrder = (groups: ReadonlyMap<string, FaultGroup>): FaultGroup[] =>
  [...groups.values()]
    .map((group) => ({ ...group, lines: group.lines.toSorted((one, other) => one - other) }))
    .sort((one, other) => (one.lines[0] ?? 0) - (other.lines[0] ?? 0));
