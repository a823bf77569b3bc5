import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { type ColumnType, toBinaryArray, type ValueOf } from "./binary-arrays.ts";
import { fromRows, fromTexts, type SentColumn } from "./column-arrays.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const same = <V>(value: V): V => value;

/** The elements of an array as the database writes them. */
async function texts<T extends ColumnType>(type: T, values: readonly (ValueOf[T] | null)[]) {
  const array = toBinaryArray(type, values, same);
  const [row] = await database.db.rows<{ texts: (string | null)[] }>(
    sql`select ${array}::${raw(type)}[]::text[] as texts`,
  );
  return row?.texts;
}

test("every value of every type arrives as it is, nulls among them", async () => {
  const long = "x".repeat(300);
  const beyond = ["", "Zürich", "\u0141\u0100\u007f\u0080\u00ff", "\ud83d\ude00", "\u001e\u001f\t\n", long];
  assert.deepEqual(await texts("text", ["a", null, 'b "c", {d} \\ NULL', "NULL", long]), [
    "a",
    null,
    'b "c", {d} \\ NULL',
    "NULL",
    long,
  ]);
  assert.deepEqual(await texts("text", [null, ...beyond]), [null, ...beyond]);
  assert.deepEqual(await texts("jsonb", ['{"a":"é"}', null, "[]"]), ['{"a": "é"}', null, "[]"]);
  assert.deepEqual(await texts("boolean", [true, null, false]), ["true", null, "false"]);
  assert.deepEqual(await texts("smallint", [-32_768, -1, 0, 255, 256, 32_767, null]), [
    ..."-32768 -1 0 255 256 32767".split(" "),
    null,
  ]);
  assert.deepEqual(
    await texts("integer", [-2_147_483_648, -1, 0, 65_536, 2_147_483_647]),
    "-2147483648 -1 0 65536 2147483647".split(" "),
  );
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  assert.deepEqual(await texts("bytea", [bytes, null, Buffer.of()]), [
    `\\x${bytes.toString("hex")}`,
    null,
    "\\x",
  ]);
});

test("whole numbers of 64 bits are exact, at every border and at random", async () => {
  const random = createRandom(SEED);
  const borders = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n].flatMap((n) =>
    [n - 1n, n, n + 1n].flatMap((one) => [one, -one]),
  );
  const others = Array.from({ length: 200 }, () => {
    const wide = (BigInt(random.below(2 ** 31)) << 32n) | BigInt(random.below(2 ** 32));
    return random.below(2) === 0 ? wide >> BigInt(random.below(63)) : -wide;
  });
  const values = [...borders, 2n ** 63n - 1n, -(2n ** 63n), ...others];
  assert.deepEqual(await texts("bigint", values), values.map(String), `SEED=${SEED}`);
});

test("times are exact to the millisecond, long ago and far ahead", async () => {
  const values = [
    0,
    1,
    -1,
    946_684_800_000,
    1_700_000_000_123,
    Date.UTC(1600, 0),
    Date.UTC(2999, 11, 31, 23, 59, 59, 999),
    Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  ].map((ms) => new Date(ms));
  const rows = await database.db.rows<{ at: Date }>(
    sql`select unnest(${toBinaryArray("timestamptz", values, same)}::timestamptz[]) as at`,
  );
  assert.deepEqual(
    rows.map(({ at }) => at),
    values,
  );
  const micros = await database.db.rows<{ rest: string }>(
    sql`select distinct (extract(microseconds from at)::bigint % 1000)::text as rest
        from unnest(${toBinaryArray("timestamptz", values, same)}::timestamptz[]) at`,
  );
  assert.deepEqual(micros, [{ rest: "0" }]);
});

test("what does not fit into its type is refused, and not cut off", () => {
  for (const value of [32_768, -32_769, 1.5, Number.NaN])
    assert.throws(
      () => toBinaryArray("smallint", [value], same),
      /does not fit into type smallint/,
      `${value}`,
    );
  for (const value of [2 ** 31, -(2 ** 31) - 1, 0.1, Number.POSITIVE_INFINITY])
    assert.throws(
      () => toBinaryArray("integer", [value], same),
      /does not fit into type integer/,
      `${value}`,
    );
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n])
    assert.throws(() => toBinaryArray("bigint", [value], same), /does not fit into type bigint/, `${value}`);
  assert.throws(() => toBinaryArray("timestamptz", [new Date(Number.NaN)], same), RangeError);
});

type Row = { name: string | null; count: number };
const COLUMNS: readonly SentColumn<Row>[] = [
  { column: "name", type: "text", value: ({ name }) => name },
  { column: "count", type: "integer", value: ({ count }) => count },
];

const read = (rows: readonly Row[]): Promise<Row[]> =>
  database.db.rows<Row>(
    sql`select name, count from ${fromRows("given", COLUMNS, rows)} where count < ${100}`,
  );

test("rows come back as they were sent, and none if there are none", async () => {
  const rows = [
    { name: "a", count: 1 },
    { name: null, count: -2 },
  ];
  assert.deepEqual(await read(rows), rows);
  assert.deepEqual(await read([]), []);
});

test("one plan serves any number of rows: the planner does not see how many there are", async () => {
  const estimate = async (count: number): Promise<unknown> => {
    const rows = Array.from({ length: count }, () => ({ name: "a", count: 1 }));
    const plans = await database.db.rows<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>(
      sql`explain (format json) select * from ${fromRows("given", COLUMNS, rows)}`,
    );
    return plans[0]?.["QUERY PLAN"][0].Plan["Plan Rows"];
  };
  assert.equal(await estimate(1), await estimate(300));
});

test("a list of texts is an array of them, and an empty list an empty array", async () => {
  const [found] = await database.db.rows<{ ids: string[]; none: number }>(
    sql`select ${fromTexts(["a", "b"])} as ids, cardinality(${fromTexts([])}) as none`,
  );
  assert.deepEqual(found, { ids: ["a", "b"], none: 0 });
});
