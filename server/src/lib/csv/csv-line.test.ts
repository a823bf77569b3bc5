import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine, spreadsheetCell } from "./csv-line.ts";

test("what a spreadsheet would run begins with an apostrophe", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "|calc", "＝1"])
    assert.equal(spreadsheetCell(text), `'${text}`);
});

test("other text stays as it is, and is still quoted as CSV", () => {
  for (const text of ["", "plain", "a=b", "1,234.50 USD", "'=1"]) assert.equal(spreadsheetCell(text), text);
  assert.equal(csvLine([spreadsheetCell('=HYPERLINK("x")'), "b"]), `"'=HYPERLINK(""x"")",b`);
});
