import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import sql from "sql-template-tag";
import {
  type CatalogBench,
  createCatalogBench,
  type Imported,
  withDefaults,
} from "../../../testing/builders/catalog-files.ts";
import { lockCatalog } from "../lock-catalog.ts";
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

type Stored = { id: string; name: string; active: boolean; hidden: boolean; touched: boolean };

/** The products, and whether each was changed after it was created. */
const readProducts = (): Promise<Stored[]> =>
  bench.db.rows<Stored>(
    sql`select id, name, active, hidden, updated_at <> created_at as touched from products order by id`,
  );

test("a first import creates every product, active and visible unless the file says otherwise", async () => {
  const { result } = await bench.importProducts({ id: "a" }, { id: "b", active: false, hidden: true });
  assert.deepEqual(result, { ok: true, created: 2, updated: 0, unchanged: 0 });
  assert.deepEqual(await readProducts(), [
    { id: "a", name: "Nimbus 25 USD", active: true, hidden: false, touched: false },
    { id: "b", name: "Nimbus 25 USD", active: false, hidden: true, touched: false },
  ]);
});

test("importing the same file again changes no row and no revision", async () => {
  const fields = [{ key: "region", type: "select", options: [{ value: "eu" }] }];
  const products = [{ id: "a" }, { id: "b", inputFields: fields }];
  await bench.importProducts(...products);
  const revision = await readRevision();
  const { result } = await bench.importProducts(...products);
  assert.deepEqual(result, { ok: true, created: 0, updated: 0, unchanged: 2 });
  assert.equal(await readRevision(), revision);
  assert.deepEqual(
    (await readProducts()).map((product) => product.touched),
    [false, false],
  );
});

test("only products that differ are updated, and products missing from the file stay", async () => {
  await bench.importProducts({ id: "a" }, { id: "b" }, { id: "c" });
  const before = await readRevision();
  const { result } = await bench.importProducts({ id: "b", name: "Renamed" }, { id: "c" }, { id: "d" });
  assert.deepEqual(result, { ok: true, created: 1, updated: 1, unchanged: 1 });
  assert.deepEqual(
    (await readProducts()).map(({ id, name, touched }) => `${id} ${name} ${touched}`),
    ["a Nimbus 25 USD false", "b Renamed true", "c Nimbus 25 USD false", "d Nimbus 25 USD false"],
  );
  assert.ok((await readRevision()) > before);
});

test("changing any single member is an update", async () => {
  const changes: { [key: string]: unknown }[] = [
    { name: "B" },
    { type: "top_up" },
    { faceValue: { amount: "25", currency: "USD" } },
    { faceValue: { amount: "25.00", currency: "EUR" } },
    { faceValue: { amount: "25.00", currency: "USD", unit: "UC" } },
    { bonus: "+5" },
    { minQuantity: 2 },
    { maxQuantity: 20 },
    { inputFields: [{ key: "a", type: "text" }] },
    { active: false },
    { hidden: true },
  ];
  for (const change of changes) {
    await bench.importProducts({ id: "a", active: true, hidden: false });
    const { result } = await bench.importProducts({ id: "a", ...change });
    assert.deepEqual(result, { ok: true, created: 0, updated: 1, unchanged: 0 }, JSON.stringify(change));
  }
});

test("a file without active and hidden keeps what the operator has set", async () => {
  await bench.importProducts({ id: "a" }, { id: "b" });
  await bench.db.rows(sql`update products set hidden = true, active = false where id = 'a'`);
  assert.deepEqual((await bench.importProducts({ id: "a" }, { id: "b" })).result, {
    ok: true,
    created: 0,
    updated: 0,
    unchanged: 2,
  });
  await bench.importProducts({ id: "a", name: "New name" });
  const [product] = await readProducts();
  assert.deepEqual([product?.name, product?.active, product?.hidden], ["New name", false, true]);
  await bench.importProducts({ id: "a", name: "New name", active: true, hidden: false });
  assert.equal((await readProducts())[0]?.hidden, false);
});

test("concurrent imports of the same products run in turn, and both succeed", async () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => `p${index}`);
  const files = [ids, ids.toReversed()].map(async (order, index) => {
    const products = order.map((id) => withDefaults({ id, name: `Import ${index}` }));
    const file = await bench.write(JSON.stringify({ products }), `turn-${index}.json`);
    return importCatalog(bench.db, { file, onFault: () => {} });
  });
  const results = await Promise.all(files);
  assert.deepEqual(
    results.map((result) => result.ok),
    [true, true],
  );
  const counts = results.map((result) => (result.ok ? [result.created, result.updated].join() : "")).sort();
  assert.deepEqual(counts, ["0,1500", "1500,0"]);
});

test("an import waits for the catalog lock and sees what its holder wrote", {
  timeout: 30_000,
}, async () => {
  let importing: Promise<Imported> | undefined;
  await bench.db.transaction(async (tx) => {
    await lockCatalog(tx);
    importing = bench.importProducts({ id: "a" });
    await waitForLockWaiter();
    await tx.rows(sql`
      insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money)
      values ('a', 'Nimbus 25 USD', '25.00', 'USD', 'USD', true)`);
  });
  assert.deepEqual((await importing)?.result, { ok: true, created: 0, updated: 0, unchanged: 1 });
});

async function waitForLockWaiter(): Promise<void> {
  for (;;) {
    const waiting = await bench.db.rows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    if (waiting.length > 0) return;
  }
}
