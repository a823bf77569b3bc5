import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { fromList, fromRows, hex, type SentColumn, withoutSeparators } from "./column-texts.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

type Row = {
  name: string | null;
  count: number;
  amount: bigint;
  at: Date;
  bytes: Buffer | null;
  isOn: boolean;
};

const COLUMNS: readonly SentColumn<Row>[] = [
  { column: "name", type: "text", value: ({ name }) => name },
  { column: "count", type: "integer", value: ({ count }) => count },
  { column: "amount", type: "bigint", value: ({ amount }) => amount },
  { column: "at", type: "timestamptz", value: ({ at }) => at.toISOString() },
  { column: "bytes", type: "bytea", value: ({ bytes }) => bytes && hex(bytes) },
  { column: "is_on", type: "boolean", value: ({ isOn }) => isOn },
];

const row = (changes: Partial<Row>): Row => ({
  ...{
    name: "one",
    count: 1,
    amount: 9_007_199_254_740_993n,
    at: new Date(1_234),
    bytes: Buffer.of(0, 255),
    isOn: true,
  },
  ...changes,
});

const read = (rows: readonly Row[]): Promise<Row[]> =>
  database.db.rows<Row>(sql`
    select name, count, amount, at, bytes, is_on as "isOn" from ${fromRows("given", COLUMNS, rows)} where count < ${100}`);

test("rows come back as they were sent, with nulls, quotes, braces and line breaks", async () => {
  const rows = [
    row({}),
    row({ name: null, bytes: null, isOn: false }),
    row({ name: 'a "b", {c} \\ NULL\n\ud83d\ude00', count: -2 }),
    row({ name: "NULL" }),
  ];
  assert.deepEqual(await read(rows), rows);
  assert.deepEqual(await read(rows.slice(1, 2)), rows.slice(1, 2));
});

test("a list is an array of its values", async () => {
  const [found] = await database.db.rows<{ ids: string[]; isIn: boolean }>(sql`
    select ${fromList("text", ["a", "b"], (id) => id)} as ids, 2 = any(${fromList("integer", [1, 2], (n) => n)}) as "isIn"`);
  assert.deepEqual(found, { ids: ["a", "b"], isIn: true });
});

test("separators in untrusted text become spaces", () => {
  assert.equal(withoutSeparators("a\u001fb\u001ec"), "a b c");
});
