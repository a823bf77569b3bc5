import { csvLine, spreadsheetCell } from "../../lib/csv/csv-line.ts";
import { formatAmount } from "../../lib/money.ts";
import type { Finding } from "./reconcile.ts";

const HEAD = ["finding", "reference", "id", "currency", "ours", "theirs", "difference", "time", "reason"];

/** Every finding as CSV. */
export function findingsCsv(findings: readonly Finding[]): string {
  const rows = findings.map(
    ({ kind, reference = "", upstreamId = "", currency, oursMinor, theirsMinor, at, reason = "" }) => [
      ...[kind, spreadsheetCell(reference), spreadsheetCell(upstreamId), currency],
      ...[oursMinor, theirsMinor, theirsMinor - oursMinor].map((minor) => plain(minor, currency)),
      ...[at?.toISOString() ?? "", reason],
    ],
  );
  return [HEAD, ...rows].map((cells) => `${csvLine(cells)}\n`).join("");
}

const plain = (minor: bigint, currency: string): string =>
  currency === "" ? minor.toString() : formatAmount(minor, currency);
