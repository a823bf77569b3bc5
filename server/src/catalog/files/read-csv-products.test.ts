import assert from "node:assert/strict";
import { test } from "node:test";
import { readCsvProducts } from "./read-csv-products.ts";
import { PRODUCT_BYTES_MAX, type ReadRow } from "./read-json-products.ts";

async function read(text: string, chunkBytes = 7): Promise<ReadRow[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const rows: ReadRow[] = [];
  for await (const row of readCsvProducts(chunks())) rows.push(row);
  return rows;
}

const plain = (rows: ReadRow[]): unknown => JSON.parse(JSON.stringify(rows));
const HEADER = "id,name,faceValue.amount,faceValue.currency";
const product = (id: string, name = "A") => ({ id, name, faceValue: { amount: "25.00", currency: "USD" } });

test("cells become the members of a JSON file, and empty cells are absent", async () => {
  const header =
    "id,name,type,faceValue.amount,faceValue.currency,faceValue.unit,faceValue.isMoney,bonus,minQuantity," +
    "maxQuantity,inputFields,active,hidden";
  const rows = await read(
    `${header}\na,A,top_up,325,USD,UC,No,+5,2,20,"[{""key"":""k"",""type"":""text""}]",YES,0\nb,B,,1,USD,,,,,,,,\n`,
  );
  assert.deepEqual(plain(rows), [
    {
      line: 2,
      value: {
        id: "a",
        name: "A",
        type: "top_up",
        faceValue: { amount: "325", currency: "USD", unit: "UC", isMoney: false },
        bonus: "+5",
        minQuantity: 2,
        maxQuantity: 20,
        inputFields: [{ key: "k", type: "text" }],
        active: true,
        hidden: false,
      },
    },
    { line: 3, value: { id: "b", name: "B", faceValue: { amount: "1", currency: "USD" } } },
  ]);
});

test("booleans are true, false, yes, no, 1 or 0 in any case; other values and loose numbers stay text to be refused", async () => {
  const rows = await read(
    `${HEADER},minQuantity,active\n` +
      ["TRUE", "False", "yes", "NO", "1", "0", "constructor", "y"]
        .map((word) => `a,A,1,USD,01,${word}\n`)
        .join(""),
  );
  const values = rows.map((row) => ("value" in row ? (row.value as { active: unknown }).active : row));
  assert.deepEqual(values, [true, false, true, false, true, false, "constructor", "y"]);
  assert.match(JSON.stringify(rows[0]), /"minQuantity":"01"/);
});

test("a cell with broken JSON stays text, so that the validator can locate the error", async () => {
  const rows = await read(`${HEADER},inputFields\na,A,1,USD,[{]\n`);
  assert.match(JSON.stringify(rows), /"inputFields":"\[\{\]"/);
});

test("columns can be in any order, and chunk boundaries do not matter", async () => {
  const text =
    '\uFEFFname,faceValue.currency,id,faceValue.amount\r\n"é🎮, ""x""\r\ny",USD,a,25.00\r\nA,USD,b,25.00';
  const expected = [
    { line: 2, value: product("a", 'é🎮, "x"\r\ny') },
    { line: 4, value: product("b") },
  ];
  for (let size = 1; size <= text.length + 8; size += 1) {
    assert.deepEqual(plain(await read(text, size)), expected, `chunks of ${size}`);
  }
});

test("the line is where the record starts, after empty lines and multi-line cells, with LF and CRLF", async () => {
  const lines = [
    "",
    HEADER,
    'a,"x',
    "",
    'y",25.00,USD',
    "",
    "",
    "b,A,25.00,USD",
    'c,"z',
    '",25.00,USD',
    "d,A,25.00,USD",
  ];
  for (const end of ["\n", "\r\n"]) {
    const rows = await read(lines.join(end));
    assert.deepEqual(
      rows.map((row) => row.line),
      [3, 8, 9, 11],
    );
  }
});

test("unknown, missing and duplicate columns are one fault of the header, and no rows are read", async () => {
  const rows = await read("id,Name,id,faceValue.amount,faceValue.currency\na,A,a,1,USD\n");
  assert.deepEqual(
    rows.map((row) => ("fault" in row ? `${row.line} ${row.fault.split("; the columns are")[0]}` : row)),
    ['1 unknown column "Name"; duplicate column "id"; missing column "name"'],
  );
  assert.deepEqual(await read(""), [
    { line: 1, fault: "the file is empty; the first line must be a header row" },
  ]);
});

test("a record with too few or too many cells is a fault of its line, and reading continues", async () => {
  const rows = await read(`${HEADER}\na,A,25.00\nb,A,25.00,USD,x\nc,A,25.00,USD\n`);
  assert.deepEqual(plain(rows), [
    { line: 2, fault: "row has 3 cells, expected 4" },
    { line: 3, fault: "row has 5 cells, expected 4" },
    { line: 4, value: product("c") },
  ]);
});

test("a broken quote is a fault of the line where its record starts, and earlier rows are kept", async () => {
  const broken = ['b,"A,25.00,USD\nc,A,25.00,USD\n', 'b,"A"x,25.00,USD\n', 'b,A"x,25.00,USD\n'];
  for (const record of broken) {
    for (const size of [7, 65_536]) {
      const rows = await read(`${HEADER}\na,A,25.00,USD\n\n${record}`, size);
      assert.deepEqual(plain(rows.slice(0, 1)), [{ line: 2, value: product("a") }]);
      assert.equal(rows.length, 2, record);
      assert.equal(rows[1]?.line, 4);
      assert.match(JSON.stringify(rows[1]), /quote/);
    }
  }
});

test("a record above the size limit is a fault", async () => {
  const rows = await read(`${HEADER}\na,A,25.00,USD\nb,"${"x".repeat(PRODUCT_BYTES_MAX + 1)}`, 65_536);
  assert.equal(rows.length, 2);
  assert.match(JSON.stringify(rows[1]), /"line":3.*too long/);
});

test("the stream is closed when reading stops early", async () => {
  let closed = false;
  async function* chunks() {
    try {
      for (;;) yield Buffer.from("x\n");
    } finally {
      closed = true;
    }
  }
  let faults = 0;
  for await (const row of readCsvProducts(chunks())) faults += "fault" in row ? 1 : 0;
  assert.ok(faults > 0);
  assert.equal(closed, true);
});
