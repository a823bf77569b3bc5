import assert from "node:assert/strict";
import { test } from "node:test";
import { type CsvRecord, readCsvRecords } from "./csv-records.ts";

const RECORD_MAX_BYTES = 100;

/** Reads the text in chunks of the given size. A chunk can end inside a cell, a quote or a character. */
async function read(text: string, pieceBytes = 1_000): Promise<CsvRecord[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return collect(readCsvRecords(pieces(), RECORD_MAX_BYTES));
}

test("each record carries the line number where it starts, across empty lines and multi-line cells", async () => {
  const text = '\uFEFFa,b\r\n\r\n1,"x\ny"\n\n\n"2 ""q""",ö\n"3\r\n3",';
  const expected = [
    { line: 1, cells: ["a", "b"] },
    { line: 3, cells: ["1", "x\ny"] },
    { line: 7, cells: ['2 "q"', "ö"] },
    { line: 8, cells: ["3\r\n3", ""] },
  ];
  for (const pieceBytes of [1, 2, 3, 7, 1_000]) assert.deepEqual(await read(text, pieceBytes), expected);
});

test("the delimiter is taken from the first line: comma, semicolon or tab", async () => {
  const cells = [
    ["code", "pin"],
    ["a,b", "1"],
  ];
  for (const [divider, second] of [
    [",", '"a,b"'],
    [";", "a,b"],
    ["\t", "a,b"],
  ] as const) {
    const text = `\uFEFFcode${divider}pin\r\n${second}${divider}1\r\n`;
    for (const pieceBytes of [1, 5, 1_000]) {
      const records = await read(text, pieceBytes);
      assert.deepEqual(
        records.map((record) => ("cells" in record ? record.cells : record)),
        cells,
        text,
      );
    }
  }
  assert.deepEqual(await read('"a;b;c",d\n1,2'), [
    { line: 1, cells: ["a;b;c", "d"] },
    { line: 2, cells: ["1", "2"] },
  ]);
});

test("records can have different numbers of cells, and an empty file has no records", async () => {
  assert.deepEqual(await read("a,b\n1\n1,2,3\n"), [
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ["1"] },
    { line: 3, cells: ["1", "2", "3"] },
  ]);
  assert.deepEqual(await read(""), []);
  assert.deepEqual(await read("\n\n"), []);
});

const BROKEN: [string, string, RegExp][] = [
  ["an unclosed quote", 'good\n\n"SECRET', /never closed/],
  ["text after a closing quote", 'good\n\n"SECRET"SECRET\nSECRET', /follows a closing quote/],
  ["a quote inside an unquoted cell", 'good\n\nSECRET"SECRET"\n', /a quote inside/],
  ["an endless record", `good\n\n"SECRET${"x\n".repeat(200)}`, /too long/],
];

for (const [what, text, reason] of BROKEN) {
  test(`${what} ends the file with a fault that has a line number and no file content`, async () => {
    for (const pieceBytes of [1, 1_000]) {
      const [first, fault, ...more] = await read(text, pieceBytes);
      assert.deepEqual(first, { line: 1, cells: ["good"] });
      assert.ok(fault && "fault" in fault);
      assert.equal(fault.line, 3);
      assert.match(fault.fault, reason);
      assert.equal(fault.fault.includes("SECRET"), false);
      assert.deepEqual(more, []);
    }
  });
}

test("an error while reading the bytes is passed on", async () => {
  const cut: AsyncIterable<Uint8Array> = {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from("a\n1");
      throw new Error("disk failure");
    },
  };
  await assert.rejects(collect(readCsvRecords(cut, RECORD_MAX_BYTES)), /disk failure/);
});

async function collect(records: AsyncIterable<CsvRecord>): Promise<CsvRecord[]> {
  const collected: CsvRecord[] = [];
  for await (const record of records) collected.push(record);
  return collected;
}
