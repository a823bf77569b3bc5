import assert from "node:assert/strict";
import { test } from "node:test";
import { showCount, showMoney, showTime } from "./format.ts";
import { table } from "./table.ts";
import { cutTo, displayWidth } from "./terminal.ts";

const COLUMNS = [
  "ID",
  { heading: "NAME", cut: true },
  { heading: "PRICE", right: true },
  { heading: "NOTE", cut: true, optional: true },
] as const;
const ID = "prd_01kbx3m7e8f9g0h1j2k3m4n5p6";
const LONG = "A gift card with a name that goes on for longer than any terminal is wide";
const ROWS = [
  [ID, LONG, "1,234.50 USD", "second"],
  ["card", "Short", "5.00 USD", LONG],
];

test("without a terminal nothing is cut; money is aligned on the right", () => {
  const lines = table(COLUMNS, ROWS, Number.POSITIVE_INFINITY).split("\n");
  assert.equal(lines.length, 3);
  assert.ok(lines[1]?.includes(LONG));
  assert.equal(lines[1]?.indexOf("USD"), lines[2]?.indexOf("USD"));
  assert.ok(lines.every((line) => line === line.trimEnd()));
});

test("in a terminal of 80 and of 200 columns every line fits, and no id or amount is ever cut", () => {
  for (const width of [70, 80, 100, 200]) {
    const lines = table(COLUMNS, ROWS, width).split("\n");
    for (const line of lines) assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
    assert.ok(lines[1]?.includes(ID) && lines[1].includes("1,234.50 USD"), lines[1]);
    assert.equal(lines[0]?.includes("NOTE"), width >= 88);
  }
  assert.match(table(COLUMNS, ROWS, 100), /…/);
});

test("an empty column is left out in a terminal and stays in a pipe", () => {
  const columns = ["ID", { heading: "NOTE", optional: true }] as const;
  assert.equal(table(columns, [["card", ""]], 80), "ID\ncard");
  assert.equal(table(columns, [["card", ""]], Number.POSITIVE_INFINITY), "ID    NOTE\ncard");
});

test("required columns are shown even in a terminal that is too narrow", () => {
  const [, first] = table(["ID", { heading: "PRICE", right: true }], [[ID, "1.00 USD"]], 40).split("\n");
  assert.equal(first, `${ID}  1.00 USD`);
});

test("cells cannot control the terminal or imitate other cells", () => {
  const text = table(["NAME", "NEXT"], [["evil\u001b[2J\n\u202eeman", "ok"]], Number.POSITIVE_INFINITY);
  assert.equal(text.split("\n").length, 2);
  assert.ok(text.includes("evil\\u{1b}[2J\\u{a}\\u{202e}eman  ok"));
});

test("wide characters take two columns and marks none, in padding and in cutting", () => {
  assert.equal(displayWidth("漢字"), 4);
  assert.equal(displayWidth("e\u0301"), 1);
  assert.equal(cutTo("漢字漢字", 5), "漢字…");
  const lines = table(
    ["NAME", "X"],
    [
      ["漢字漢", "1"],
      ["abc", "2"],
    ],
    200,
  ).split("\n");
  assert.deepEqual(lines.slice(1), ["漢字漢  1", "abc     2"]);
});

test("amounts have thousands separators, with any number of decimals", () => {
  assert.equal(showMoney(123_456_789n, "USD"), "1,234,567.89 USD");
  assert.equal(showMoney(-1_234_567n, "JPY"), "-1,234,567 JPY");
  assert.equal(showMoney(1_234_567n, "KWD"), "1,234.567 KWD");
  assert.equal(showMoney(50n, "USD"), "0.50 USD");
  assert.equal(showCount(1_000_000), "1,000,000");
  assert.equal(showTime("2030-01-31T12:34:56.000Z"), "2030-01-31 12:34");
});
