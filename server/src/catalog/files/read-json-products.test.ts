import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCT_BYTES_MAX, type ReadRow, readJsonProducts } from "./read-json-products.ts";

/** Reads the text in chunks of this many bytes, to put boundaries everywhere. */
async function read(text: string | Uint8Array, chunkBytes = 7): Promise<ReadRow[]> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const rows: ReadRow[] = [];
  for await (const row of readJsonProducts(chunks())) rows.push(row);
  return rows;
}

const plain = (rows: ReadRow[]): unknown => JSON.parse(JSON.stringify(rows));

/** The one fault that ends a broken file. */
async function faultOf(text: string): Promise<{ line: number; fault: string }> {
  const last = (await read(text)).at(-1);
  assert.ok(last && "fault" in last, `no fault in ${text}`);
  return last;
}

test("each product has the line where it starts", async () => {
  const text = '{\n  "products": [\n    {"id": "a"}, {"id": "b"},\n\n    {\n      "id": "c"\n    }\n  ]\n}\n';
  assert.deepEqual(plain(await read(text)), [
    { line: 3, value: { id: "a" } },
    { line: 3, value: { id: "b" } },
    { line: 5, value: { id: "c" } },
  ]);
});

test("chunk boundaries do not matter", async () => {
  const text =
    '\uFEFF{"products"\r\n:\t[{"id":"é🎮\\"}],{","n":[1,{"x":"\\\\"}]},\r\n[],"s,]}", -1.5 ,null\r\n] }\r\n';
  const expected = [
    { line: 2, value: { id: 'é🎮"}],{', n: [1, { x: "\\" }] } },
    { line: 3, value: [] },
    { line: 3, value: "s,]}" },
    { line: 3, value: -1.5 },
    { line: 3, value: null },
  ];
  for (let size = 1; size <= text.length + 8; size += 1) {
    assert.deepEqual(plain(await read(text, size)), expected, `chunks of ${size}`);
  }
});

test("an empty list has no rows", async () => {
  assert.deepEqual(await read('{"products": [ ]}'), []);
});

test("any key other than products is refused and named", async () => {
  assert.match((await faultOf('[{"id": "a"}]')).fault, /^wrap the array/);
  assert.match((await faultOf("{}")).fault, /"products" is missing/);
  assert.match((await faultOf('{"items": []}')).fault, /unknown key "items"/);
  assert.match((await faultOf('{"products": {}}')).fault, /"products" must be an array/);
  assert.deepEqual(await faultOf('{"products": [],\n"total": 0}'), {
    line: 2,
    fault: 'unexpected key "total"; a catalog file is {"products": [...]}',
  });
  assert.match((await faultOf(" \n ")).fault, /^the file is empty/);
  assert.match((await faultOf('"x"')).fault, /^the file is not valid JSON/);
});

test("a syntax error is one fault with its line, and the last row", async () => {
  const broken: [string, number][] = [
    ['{"products": [\n{"id": "a"},\n{"id" "b"},\n{"id": "c"}]}', 3],
    ['{"products": [\n{"id": "a"},\n{"id": "b"}\n{"id": "c"}]}', 3],
    ['{"products": [\n{"id": "a"},\n{"id": "b}\n]}', 3],
    ['{"products": [\n{"id": "a"},\n{"id": "b"]\n]}', 3],
    ['{"products": [\n{"id": "a"},\n]}', 3],
    ['{"products": [\n{"id": "a"},\n,{}]}', 3],
    ['{"products": [\n{"id": "a"}\n}', 3],
    ['{"products": [\n{"id": "a"}\n] x}', 3],
    ['{"products": [\n{"id": "a"}\n]} {}', 3],
    ['{"products": [\n{"id": "a"}\n]', 3],
    ['{"products": [\n{"id": "a"},\n{"id": "b"', 3],
    ['{"products": [\n{"id": "a"},\n{id: 1}, {}]}', 3],
  ];
  for (const [text, line] of broken) {
    const rows = await read(text);
    assert.equal(rows.length, 2, text);
    assert.deepEqual(plain(rows.slice(0, 1)), [{ line: 2, value: { id: "a" } }]);
    assert.ok(rows[1] && "fault" in rows[1], text);
    assert.equal(rows[1].line, line, text);
  }
});

test("a violation of our own rules is a fault of that product only, and reading continues", async () => {
  const text =
    '{"products": [\n{"id":"a","id":"b"},\n{"n":9007199254740993},\n{"s":"\\ud800"},\n{"s":"\\u0000"},\n{}]}';
  const rows = await read(text);
  assert.deepEqual(
    rows.map((row) => ("fault" in row ? `${row.line} ${row.fault}` : "good")),
    [
      '2 Duplicate key "id". Look near /id.',
      "3 A number is outside ±(2^53−1). Look near /n.",
      "4 A string contains a lone surrogate. Look near /s.",
      "5 A string contains the NUL character. Look near /s.",
      "good",
    ],
  );
});

test("invalid UTF-8 is a fault of its product", async () => {
  const bytes = Buffer.from('{"products": [\n{"id":"?"},\n{"id":"b"}]}');
  bytes[bytes.indexOf("?")] = 0xe9;
  assert.deepEqual(plain(await read(bytes)), [
    { line: 2, fault: "The product is not valid UTF-8." },
    { line: 3, value: { id: "b" } },
  ]);
});

test("a product above the size limit is a fault and is not kept in memory; the next one is read", async () => {
  const long = `{"x":"${"y".repeat(PRODUCT_BYTES_MAX)}"}`;
  const fits = `{"x":"${"y".repeat(PRODUCT_BYTES_MAX - 8)}"}`;
  const rows = await read(`{"products": [\n${long},\n${fits}]}`, 65_536);
  assert.deepEqual(rows[0], { line: 2, fault: "is longer than 1048576 bytes" });
  assert.ok(rows[1] && "value" in rows[1]);
});

test("the stream is closed when reading stops early", async () => {
  let closed = false;
  async function* chunks() {
    try {
      for (;;) yield Buffer.from("[");
    } finally {
      closed = true;
    }
  }
  let faults = 0;
  for await (const row of readJsonProducts(chunks())) faults += "fault" in row ? 1 : 0;
  assert.ok(faults > 0);
  assert.equal(closed, true);
});
