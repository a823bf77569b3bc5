import assert from "node:assert/strict";
import { test } from "node:test";
import { permilleOf, type ReportCell } from "../../reports/report-tables.ts";
import { reportCsv } from "./report-csv.ts";
import { currenciesOf, totalsOf } from "./report-totals.ts";

const money = (minor: bigint, currency: string): ReportCell => ({ kind: "money", minor, currency });
const share = (part: bigint, whole: bigint): ReportCell => ({ kind: "share", part, whole });

const say = (cell: ReportCell): string => {
  if (cell?.kind === "money") return `${cell.minor} ${cell.currency}`;
  return cell?.kind === "share" ? `${permilleOf(cell)} ‰` : (cell?.kind ?? "–");
};
const totals = (...rows: ReportCell[][]): string[] =>
  totalsOf({ rows: rows.map((cells) => ({ key: "x", cells })) }).map(({ cells }) =>
    cells.map(say).join(", "),
  );

test("the share of a total is that of the sums, not of the rows", () => {
  assert.deepEqual(totals([money(100n, "USD"), share(50n, 100n)], [money(300n, "USD"), share(-30n, 300n)]), [
    "400 USD, 50 ‰",
  ]);
});

test("each currency has one total, also where a row does not know an amount", () => {
  const rows = [
    [money(40n, "EUR"), null],
    [money(60n, "EUR"), money(70n, "EUR")],
    [money(10n, "USD"), null],
  ];
  assert.deepEqual(totals(...rows), ["100 EUR, 70 EUR", "10 USD, –"]);
  assert.deepEqual(totals(...rows.toReversed()), ["10 USD, –", "100 EUR, 70 EUR"]);
});

test("a total names its currencies once each, in the order of its columns", () => {
  assert.deepEqual(currenciesOf([money(1n, "EUR"), money(5n, "USD"), money(2n, "EUR"), null]), [
    "EUR",
    "USD",
  ]);
  assert.deepEqual(currenciesOf([{ kind: "count", value: 3n }]), []);
});

test("times have no total", () => {
  assert.deepEqual(totals([{ kind: "time", ms: 10 }], [{ kind: "time", ms: 20 }]), ["–"]);
});

test("a file keeps the sign of a small loss, and has nothing where there is no share", async () => {
  const rows = [share(-5n, 1_000n), share(-1_400n, 1_000n), share(200n, 1_000n), share(1n, 0n)];
  const report = {
    name: "margin",
    columns: ["Share"],
    rows: rows.map((cell, index) => ({ key: String(index), cells: [cell] })),
    names: new Map<string, string>(),
    completeUntil: undefined,
  } as const;
  const asked = {
    name: "margin",
    by: "day",
    from: "2026-11-01",
    to: "2026-11-02",
    member: undefined,
  } as const;
  let text = "";
  for await (const piece of reportCsv(report, asked).body) text += piece;
  assert.deepEqual(text.trim().split(/\r?\n/), ["day,share", "0,-0.5", "1,-140.0", "2,20.0", "3,"]);
});
