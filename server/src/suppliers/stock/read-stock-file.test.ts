import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { readStockFile, type StockRow } from "./read-stock-file.ts";

const NOW = new Date("2030-06-01T12:00:00.000Z");
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-stock-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function read(content: string | Buffer) {
  const file = join(folder, "stock.csv");
  await writeFile(file, content);
  const rows = await collect(readStockFile(file, NOW));
  return rows.map((row) => ("fault" in row ? row : { line: row.line, goods: row.goods.reveal() }));
}

test("columns stand in any order, rows keep their lines, and space around cells is dropped", async () => {
  const text =
    '\uFEFFexpiresAt, url ,code,serial\r\n\r\n,, AB-1 ,7\n2031-01-01T00:00:00Z,"https://x.example",,\n';
  assert.deepEqual(await read(text), [
    { line: 3, goods: { type: "code", code: "AB-1", serial: "7" } },
    { line: 4, goods: { type: "url", url: "https://x.example", expiresAt: "2031-01-01T00:00:00.000Z" } },
  ]);
});

test("a faulty row does not hide the next one", async () => {
  const text = "code,pin\nA1\nA2,1,2\n,\nA3,3\n";
  assert.deepEqual(await read(text), [
    { line: 2, fault: "has 1 cells, and there are 2 columns" },
    { line: 3, fault: "has 3 cells, and there are 2 columns" },
    { line: 4, fault: "code: has neither a code nor a url" },
    { line: 5, goods: { type: "code", code: "A3", pin: "3" } },
  ]);
});

test("a file without a header does not give its first code away", async () => {
  const rows = await read("S3CR-ET01,S3CR-ET02\nS3CR-ET03,1\n");
  assert.equal(rows.length, 1);
  assert.match(
    JSON.stringify(rows),
    /column 1 has no known name.*column 2 has no known name.*neither a column/,
  );
  assert.equal(JSON.stringify(rows).includes("S3CR"), false);
});

test("a duplicate column, or no column for codes, is a single fault of the header", async () => {
  assert.deepEqual(await read("code,pin,code\nA,B,C\n"), [{ line: 1, fault: "duplicate column code" }]);
  assert.deepEqual(await read("pin,serial\nA,B\n"), [
    { line: 1, fault: "there is neither a column code nor a column url" },
  ]);
});

test("a file that holds nothing is a fault", async () => {
  for (const text of ["", "\n\n", "code\n", "code,pin"]) {
    const [row, ...more] = await read(text);
    assert.deepEqual(more, []);
    assert.match(JSON.stringify(row), /the file holds no codes/);
  }
});

test("bytes that are not UTF-8 are a fault of their row", async () => {
  const latin1 = Buffer.concat([Buffer.from("code\nA1\nS3CR"), Buffer.from([0xe4]), Buffer.from("\nA2\n")]);
  const rows = await read(latin1);
  assert.deepEqual(
    [rows[0], rows[2]],
    [
      { line: 2, goods: { type: "code", code: "A1" } },
      { line: 4, goods: { type: "code", code: "A2" } },
    ],
  );
  assert.deepEqual(rows[1], {
    line: 3,
    fault: "code: holds bytes that are not UTF-8; save the file as UTF-8",
  });
  const utf16 = await read(Buffer.from("code\nS3CR\n", "utf16le"));
  assert.equal(utf16.length, 1);
  assert.match(JSON.stringify(utf16), /no known name/);
});

test("what is read does not print itself", async () => {
  const file = join(folder, "printed.csv");
  await writeFile(file, "code,pin\nS3CR-ET,S3CR\n");
  const rows = await collect(readStockFile(file, NOW));
  for (const printed of [inspect(rows, { depth: null, showHidden: true }), JSON.stringify(rows), `${rows}`]) {
    assert.equal(printed.includes("S3CR"), false);
  }
});

test("a file that cannot be read is an error that says why", async () => {
  await assert.rejects(collect(readStockFile(join(folder, "none.csv"), NOW)), /no such file/);
  await assert.rejects(collect(readStockFile(folder, NOW)), /is a directory/);
});

async function collect(rows: AsyncIterable<StockRow>): Promise<StockRow[]> {
  const collected: StockRow[] = [];
  for await (const row of rows) collected.push(row);
  return collected;
}
