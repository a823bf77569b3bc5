import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import sql from "sql-template-tag";
import {
  type CatalogBench,
  createCatalogBench,
  withDefaults,
} from "../../../testing/builders/catalog-files.ts";
import { importCatalog } from "./import-catalog.ts";

let bench: CatalogBench;

before(async () => {
  bench = await createCatalogBench();
});
after(() => bench?.drop());
afterEach(() => bench.clear());

async function readRevision(): Promise<bigint> {
  const [state] = await bench.db.rows<{ revision: bigint }>(sql`select revision from catalog_state`);
  assert.ok(state);
  return state.revision;
}

async function takeGood(products: readonly { id: string; name?: string }[]) {
  const lines: number[] = [];
  const text = `{"products": [\n${products.map((one) => JSON.stringify(withDefaults(one))).join(",\n")}\n]}`;
  const file = await bench.write(text, "half.json");
  const onFault = ({ line }: { line: number }) => void lines.push(line);
  const result = await importCatalog(bench.db, { file, takeGood: true, onFault });
  return { result, lines: lines.sort() };
}

type Stored = { id: string; name: string; active: boolean; hidden: boolean; touched: boolean };

/** The products, and whether each was changed after it was created. */
const readProducts = (): Promise<Stored[]> =>
  bench.db.rows<Stored>(
    sql`select id, name, active, hidden, updated_at <> created_at as touched from products order by id`,
  );

test("one faulty row refuses the whole file, and every faulty row is reported with its line and reasons", async () => {
  await bench.importProducts({ id: "a" });
  const revision = await readRevision();
  const { result, faults } = await bench.importProducts(
    { id: "a", name: "Changed" },
    { id: "b c" },
    { id: "d", name: "", maxQuantity: 0 },
    { id: "e" },
  );
  assert.deepEqual(result, { ok: false, faults: 2 });
  assert.deepEqual(faults, [
    { line: 3, id: "b c", reason: "id: can contain only A-Z, a-z, 0-9 and . _ : -" },
    {
      line: 4,
      id: "d",
      reason: "name: must not be empty; maxQuantity: must be a whole number from 1 to 10000",
    },
  ]);
  assert.deepEqual(
    (await readProducts()).map(({ id, name }) => [id, name]),
    [["a", "Nimbus 25 USD"]],
  );
  assert.equal(await readRevision(), revision);
});

test("a duplicate id is a fault of the later line and names the first", async () => {
  const { result, faults } = await bench.importProducts(
    { id: "a" },
    { id: "b" },
    { id: "a" },
    { id: "b" },
    { id: "a" },
  );
  assert.deepEqual(result, { ok: false, faults: 3 });
  assert.deepEqual(faults, [
    { line: 4, id: "a", reason: "id: duplicate of line 2" },
    { line: 5, id: "b", reason: "id: duplicate of line 3" },
    { line: 6, id: "a", reason: "id: duplicate of line 2" },
  ]);
  assert.deepEqual(await readProducts(), []);
});

test("duplicates are found across batches and beyond one fetch", async () => {
  const products = Array.from({ length: 2_500 }, (_, index) => ({ id: `p${index % 1_200}` }));
  const { result, faults } = await bench.importProducts(...products);
  assert.deepEqual(result, { ok: false, faults: 1_300 });
  assert.deepEqual(faults.at(-1), { line: 2_501, id: "p99", reason: "id: duplicate of line 101" });
});

test("a broken file is refused with the line of the break and the faults before it", async () => {
  const { result, faults } = await bench.importText('{"products": [\n{"id": "a"},\n{"id" 1}]}');
  assert.deepEqual(result, { ok: false, faults: 2 });
  assert.deepEqual(
    faults.map((fault) => fault.line),
    [2, 3],
  );
});

test("CSV files are imported too, and rows are identified by their starting line", async () => {
  const header = "id,name,faceValue.amount,faceValue.currency,inputFields\n";
  const fields = '"[{""key"": ""a"",\n""type"": ""text""}]"';
  const good = await bench.importText(`${header}a,A,5,USD,${fields}\nb,B,5,USD,\n`, "catalog.csv");
  assert.deepEqual(good.result, { ok: true, created: 2, updated: 0, unchanged: 0 });
  const bad = await bench.importText(`${header}a,A,5,USD,${fields}\nb,B,5 USD,USD,\nc,C\n`, "catalog.csv");
  assert.deepEqual(
    bad.faults.map(({ line, id }) => [line, id]),
    [
      [4, "b"],
      [5, undefined],
    ],
  );
});

test("a file name without .json or .csv is detected by its first character", async () => {
  const json = await bench.importText(
    ` \n{"products": [${JSON.stringify(withDefaults({ id: "a" }))}]}`,
    "catalog",
  );
  assert.deepEqual(json.result, { ok: true, created: 1, updated: 0, unchanged: 0 });
  const csv = await bench.importText(
    "id,name,faceValue.amount,faceValue.currency\nb,B,5,USD\n",
    "catalog.txt",
  );
  assert.deepEqual(csv.result, { ok: true, created: 1, updated: 0, unchanged: 0 });
  const array = await bench.importText("[]", "catalog.dat");
  assert.match(array.faults[0]?.reason ?? "", /^wrap the array/);
});

test("quoted file content in a fault is cut and free of terminal escapes", async () => {
  const { faults } = await bench.importProducts({ id: "\u001b[2J", [`\u001b]0;${"x".repeat(9_000)}`]: 1 });
  assert.equal(faults.length, 1);
  assert.equal(faults[0]?.id, "�[2J");
  assert.ok((faults[0]?.reason.length ?? 0) <= 2_000);
  assert.doesNotMatch(JSON.stringify(faults), /\\u001b/);
});

test("an empty list is valid, and an empty file is a fault", async () => {
  assert.deepEqual((await bench.importText('{"products": []}')).result, {
    ok: true,
    created: 0,
    updated: 0,
    unchanged: 0,
  });
  assert.deepEqual((await bench.importText("")).result, { ok: false, faults: 1 });
  assert.deepEqual((await bench.importText("", "catalog.csv")).result, { ok: false, faults: 1 });
});

test("an unreadable file is a one-line error", async () => {
  const attempt = (file: string) => importCatalog(bench.db, { file, onFault: () => {} });
  await assert.rejects(attempt("/no/such/catalog.json"), {
    message: "cannot read /no/such/catalog.json: no such file",
  });
  await assert.rejects(attempt(bench.folder), { message: `cannot read ${bench.folder}: is a directory` });
});

test("progress is reported after each batch", async () => {
  const products = Array.from({ length: 2_200 }, (_, index) => withDefaults({ id: `p${index}` }));
  const file = await bench.write(JSON.stringify({ products }), "progress.json");
  const told: number[] = [];
  await importCatalog(bench.db, { file, onFault: () => {}, onProgress: (rows) => told.push(rows) });
  assert.deepEqual(told, [1_000, 2_000, 2_200]);
});

test("rows that only the database refuses are reported too, and nothing is written", async () => {
  await bench.db.rows(
    sql`alter table products add constraint products_no_moon check (name not like '%Moon%')`,
  );
  try {
    const { result, faults } = await bench.importProducts(
      { id: "a" },
      { id: "b", name: "Moon 5" },
      { id: "c" },
      { id: "d", name: "Moon 9" },
    );
    assert.deepEqual(result, { ok: false, faults: 2 });
    assert.deepEqual(faults, [
      { line: 3, id: "b", reason: "violates the database constraint products_no_moon" },
      { line: 5, id: "d", reason: "violates the database constraint products_no_moon" },
    ]);
    assert.deepEqual(await readProducts(), []);
    const kept = await takeGood([
      { id: "a" },
      { id: "b", name: "Moon 5" },
      { id: "b c" },
      { id: "a", name: "Later" },
      { id: "e" },
    ]);
    assert.deepEqual(kept.result, { ok: true, created: 2, updated: 0, unchanged: 0, faults: 3 });
    assert.deepEqual(kept.lines, [3, 4, 5]);
    assert.deepEqual(
      (await readProducts()).map(({ id, name }) => [id, name]),
      [
        ["a", "Nimbus 25 USD"],
        ["e", "Nimbus 25 USD"],
      ],
      "of two equal ids the first stays",
    );
    assert.deepEqual((await takeGood([{ id: "b c" }])).result, { ok: false, faults: 1 });
  } finally {
    await bench.db.rows(sql`alter table products drop constraint products_no_moon`);
  }
});
