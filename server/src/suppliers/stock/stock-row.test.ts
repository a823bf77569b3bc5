import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStockRow, STOCK_COLUMNS, type StockCells } from "./stock-row.ts";

const NOW = new Date("2030-06-01T12:00:00.000Z");
const EMPTY: StockCells = { code: "", pin: "", serial: "", url: "", expiresAt: "" };
const parse = (cells: Partial<StockCells>) => parseStockRow({ ...EMPTY, ...cells }, NOW);

test("a code or a url with what belongs to it is read unchanged", () => {
  assert.deepEqual(parse({ code: "ABCD-1234" }), { goods: { type: "code", code: "ABCD-1234" } });
  assert.deepEqual(
    parse({ code: "a b,ö", pin: "0042", serial: "007", expiresAt: "2030-06-01T14:00:00.001+02:00" }),
    {
      goods: {
        type: "code",
        code: "a b,ö",
        pin: "0042",
        serial: "007",
        expiresAt: "2030-06-01T12:00:00.001Z",
      },
    },
  );
  assert.deepEqual(parse({ url: "https://gift.example/r?c=1#x", pin: "1" }), {
    goods: { type: "url", url: "https://gift.example/r?c=1#x", pin: "1" },
  });
  assert.deepEqual(parse({ url: "http://gift.example" }), {
    goods: { type: "url", url: "http://gift.example" },
  });
  const longest = "x".repeat(1_000);
  assert.deepEqual(parse({ code: longest }), { goods: { type: "code", code: longest } });
});

const SECRET = "S3CR";
const FAULTS: [string, Partial<StockCells>, RegExp][] = [
  ["neither code nor url", { pin: SECRET }, /^code: has neither a code nor a url$/],
  ["code and url", { code: SECRET, url: `https://${SECRET}.example` }, /^code: has both a code and a url/],
  ["a code that is too long", { code: SECRET + "x".repeat(997) }, /^code: is longer than 1000 characters$/],
  ["a pin that is too long", { code: "x", pin: SECRET.repeat(300) }, /^pin: is longer/],
  ["a line break", { code: `${SECRET}\n1` }, /^code: holds a control character/],
  ["NUL", { code: `${SECRET}\0` }, /^code: holds a control character/],
  ["an escape sequence", { code: "x", serial: `\u001b[31m${SECRET}` }, /^serial: holds a control character/],
  ["a space of no width", { code: `${SECRET}\u200b` }, /^code: holds a control character/],
  ["bytes that are not UTF-8", { code: `${SECRET}\uFFFD` }, /^code: holds bytes that are not UTF-8/],
  ["a code of the sandbox", { code: `TEST-${SECRET}` }, /^code: begins with TEST-/],
  ["a url of another kind", { url: `ftp://${SECRET}.example` }, /^url: is not an address/],
  ["a url that runs", { url: `javascript:${SECRET}` }, /^url: is not an address/],
  ["a url that is none", { url: SECRET }, /^url: is not an address/],
  ["a url with a space", { url: `https://gift.example/${SECRET} 1` }, /^url: is not an address/],
  ["a day that has no such date", { code: "x", expiresAt: "2031-02-30" }, /^expiresAt: is neither a date/],
  ["a day written another way", { code: "x", expiresAt: "31.12.2031" }, /^expiresAt: is neither a date/],
  ["a day that is none", { code: "x", expiresAt: "2031-02-30T00:00:00Z" }, /^expiresAt: is neither a date/],
  ["a code in the wrong column", { code: "x", expiresAt: SECRET }, /^expiresAt: is neither a date/],
  ["a time that is now", { code: "x", expiresAt: NOW.toISOString() }, /^expiresAt: has passed already$/],
  ["a time that was", { code: "x", expiresAt: "2020-01-01T00:00:00Z" }, /^expiresAt: has passed already$/],
];

for (const [what, cells, reason] of FAULTS) {
  test(`${what} is a fault, and its reason repeats nothing of the row`, () => {
    const result = parse(cells);
    assert.ok("faults" in result);
    assert.equal(result.faults.length, 1, result.faults.join("; "));
    assert.match(result.faults[0] ?? "", reason);
    assert.equal(result.faults.join().includes(SECRET), false);
  });
}

test("every fault of a row is told", () => {
  const broken = Object.fromEntries(STOCK_COLUMNS.map((column) => [column, "\u0007"]));
  const result = parse(broken);
  assert.ok("faults" in result);
  assert.equal(result.faults.length, 8);
});
