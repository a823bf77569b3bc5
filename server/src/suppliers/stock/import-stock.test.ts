import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { findPlanted } from "../../../testing/builders/find-planted.ts";
import {
  addRouteRow,
  addSupplierRow,
  addUnsuppliedProducts,
} from "../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import type { Db } from "../../db/database.ts";
import { secret } from "../../lib/secret.ts";
import { createCodeDigest } from "../../vault/code-digest.ts";
import { stockPlace } from "../../vault/code-place.ts";
import { createCodeVault } from "../../vault/code-vault.ts";
import { fixedKeyring } from "../../vault/keyring.ts";
import { decodeGoods, type GoodsType } from "../goods.ts";
import { type ImportStockInput, importStock, type StockFault } from "./import-stock.ts";
import { lockStockImport } from "./stock-import-queries.ts";
import { listStockLevels } from "./stock-queries.ts";

const NOW = new Date("2030-06-01T12:00:00.000Z");
const codeVault = createCodeVault(fixedKeyring([secret(Buffer.alloc(32, 7))]));
const digestCode = createCodeDigest(createSecretKey(Buffer.alloc(32, 8)));

let database: TestDatabase;
let db: Db;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-import-stock-"));
  database = await createTestDatabase();
  db = database.db;
  await addUnsuppliedProducts(db, ["card", "game"]);
});

beforeEach(async () => {
  await db.rows(sql`truncate codes, supplier_attempts, product_supply, supplier_routes, suppliers cascade`);
});

after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

let files = 0;
async function run(text: string, changes: Partial<ImportStockInput> & { db?: Db } = {}) {
  files += 1;
  const file = join(folder, `${files}.csv`);
  await writeFile(file, text);
  const faults: StockFault[] = [];
  const deps = { db: changes.db ?? db, clock: { now: () => NOW }, codeVault, digestCode };
  const input = {
    productId: "card",
    file,
    onFault: (fault: StockFault) => void faults.push(fault),
    ...changes,
  };
  return { result: await importStock(deps, input), faults };
}

async function counts(): Promise<[codes: number, suppliers: number, routes: number]> {
  const [row] = await db.rows<{ codes: number; suppliers: number; routes: number }>(sql`
    select (select count(*) from codes)::integer as codes, (select count(*) from suppliers)::integer as suppliers,
           (select count(*) from supplier_routes)::integer as routes`);
  return [row?.codes ?? -1, row?.suppliers ?? -1, row?.routes ?? -1];
}

const supplyOf = async (productId: string) =>
  (await db.rows<{ state: string }>(sql`select state from product_supply where product_id = ${productId}`))[0]
    ?.state;

type CodeRow = { id: string; type: GoodsType; sealed: Buffer; digest: Buffer; expiresAt: Date | null };
const codeRows = () =>
  db.rows<CodeRow>(sql`
    select id, type, sealed, digest, expires_at as "expiresAt" from codes
    where environment = 'live' and state = 'stock' and product_id = 'card' order by id`);

test("what is imported opens at its place in stock and nowhere else, and is known by its digest", async () => {
  const text =
    "code,pin,serial,url,expiresAt\nAAAA-1,11,s1,,2031-01-01T00:00:00Z\n,,,https://gift.example/2,\n";
  const { result } = await run(text);
  assert.ok(result.ok);
  const [first, second, ...more] = await codeRows();
  assert.ok(first && second);
  assert.deepEqual(more, []);
  const opened = [first, second].map((row) =>
    decodeGoods(row.type, codeVault.open(stockPlace(row.id, "card"), row.sealed), row.expiresAt),
  );
  assert.deepEqual(opened, [
    { type: "code", code: "AAAA-1", pin: "11", serial: "s1", expiresAt: "2031-01-01T00:00:00.000Z" },
    { type: "url", url: "https://gift.example/2" },
  ]);
  assert.deepEqual(first.digest, digestCode("AAAA-1"));
  assert.deepEqual(second.digest, digestCode("https://gift.example/2"));
  assert.throws(() => codeVault.open(stockPlace(second.id, "card"), first.sealed));
  assert.throws(() => codeVault.open(stockPlace(first.id, "game"), first.sealed));
});

test("the first import makes a supplier named Stock and a route, and the product is available then", async () => {
  const { result } = await run("code\nA1\nA2\n", { cost: "8.10" });
  assert.ok(result.ok);
  const { supplierId } = result;
  assert.deepEqual(result, {
    ok: true,
    productId: "card",
    supplierId,
    supplierMade: "Stock",
    routeMade: {
      productId: "card",
      supplierId,
      priority: 100,
      costMinor: 810n,
      costCurrency: "USD",
      maxCostMinor: null,
      sku: "card",
      value: null,
      fieldMap: null,
    },
    cost: { costMinor: 810n, costCurrency: "USD" },
    imported: 2,
    level: 2,
  });
  assert.match(supplierId, /^sup_/);
  assert.equal(await supplyOf("card"), "available");
  const again = await run("code\nA3\n");
  const cost = { costMinor: 810n, costCurrency: "USD" };
  assert.deepEqual(again.result, { ok: true, productId: "card", supplierId, cost, imported: 1, level: 3 });
  const other = await run("code\nB1\n", { productId: "game" });
  assert.ok(other.result.ok);
  assert.equal(other.result.supplierId, supplierId);
  assert.equal(other.result.routeMade?.costMinor, null);
});

test("codes go to the supplier named, else to the product's only stock supplier, else to the only one", async () => {
  const one = await addSupplierRow(db);
  assert.equal(supplierOf((await run("code\nA1\n")).result), one);
  const two = await addSupplierRow(db);
  await addSupplierRow(db, { kind: "scrip" });
  assert.equal(supplierOf((await run("code\nA2\n")).result), one);
  assert.equal(supplierOf((await run("code\nA3\n", { supplierId: two })).result), two);
  await assert.rejects(
    run("code\nA4\n"),
    /card has routes to several stock suppliers; say which with --supplier/,
  );
  await assert.rejects(run("code\nA4\n", { productId: "game" }), /there are several stock suppliers/);
});

const supplierOf = (result: Awaited<ReturnType<typeof run>>["result"]) => result.ok && result.supplierId;

test("a wrong product, supplier or cost is refused before the file is opened", async () => {
  const called = await addSupplierRow(db, { kind: "scrip" });
  const absent = { file: join(folder, "absent.csv") };
  const refused: [Partial<ImportStockInput>, RegExp][] = [
    [{ productId: "none" }, /there is no product none/],
    [{ supplierId: "sup_none" }, /there is no supplier sup_none/],
    [{ supplierId: called }, /has no stock; codes can only be imported/],
    [{ cost: "8.101" }, /too many decimals: USD has/],
    [{ cost: "-1" }, /is not an amount/],
  ];
  for (const [changes, reason] of refused) await assert.rejects(run("", { ...changes, ...absent }), reason);
  await assert.rejects(run("", absent), /no such file/);
  assert.deepEqual(await counts(), [0, 1, 0]);
});

test("each import is a batch with its own cost and currency, by default the route's; a given cost is the route's from then on", async () => {
  const supplierId = await addSupplierRow(db);
  await addRouteRow(db, { productId: "card", supplierId, costMinor: 750n, currency: "EUR" });
  const batches = () =>
    db.rows<object>(sql`
      select code_count as count, cost_minor as cost, cost_currency as currency from stock_batches
      where product_id = 'card' order by cost_minor`);
  const route = async () =>
    (await db.rows(sql`select cost_minor as cost, cost_currency as currency from supplier_routes`))[0];
  await run("code\nA1\n");
  assert.deepEqual(await route(), { cost: 750n, currency: "EUR" });
  await run("code\nA2\nA3\n", { cost: "7.51" });
  assert.deepEqual(await route(), { cost: 751n, currency: "EUR" });
  await run("code\nA4\n", { cost: "1,008.20", currency: "usd" });
  assert.deepEqual(await route(), { cost: 100_820n, currency: "USD" });
  assert.deepEqual(await batches(), [
    { count: 1, cost: 750n, currency: "EUR" },
    { count: 2, cost: 751n, currency: "EUR" },
    { count: 1, cost: 100_820n, currency: "USD" },
  ]);
  const [level] = await listStockLevels(db, { productId: "card", now: NOW });
  assert.deepEqual(level?.value, [
    { currency: "EUR", minor: 2_252n },
    { currency: "USD", minor: 100_820n },
  ]);
  await assert.rejects(
    run("code\nA5\n", { cost: "1", currency: "Euro" }),
    /"Euro" is not an ISO-4217 currency/,
  );
  await assert.rejects(run("code\nA5\n", { currency: "EUR" }), /--currency is the currency of --cost/);
});

test("with takeGood the good codes come in, and the first of two equal ones; without a good one nothing does", async () => {
  await run("code\nOLD-1\n");
  const text = "code,expiresAt\nOLD-1,\nA1,2030-12-31\nA2,soon\nA1,\n,\nA3,\n";
  const { result, faults } = await run(text, { takeGood: true });
  assert.ok(result.ok);
  assert.deepEqual([result.imported, result.level, result.faults], [2, 3, 4]);
  assert.deepEqual(faults.map(({ line }) => line).toSorted(), [2, 4, 5, 6]);
  const [row] = await db.rows<{ until: Date }>(
    sql`select expires_at as until from codes where expires_at is not null`,
  );
  assert.equal(row?.until.toISOString(), "2030-12-31T23:59:59.000Z", "a date ends with its day in UTC");
  const none = await run("code\nOLD-1\n,\n", { takeGood: true });
  assert.deepEqual(none.result, { ok: false, faults: 2 });
  assert.equal((await counts())[0], 3);
});

test("any faulty row keeps all of them out, and every one is named by its line", async () => {
  const text = "code,expiresAt\nA1,\nA2,soon\n,\nA1,\nA3,2020-01-01T00:00:00Z\nTEST-1,\nA1,\n";
  const { result, faults } = await run(text);
  assert.deepEqual(result, { ok: false, faults: 6 });
  assert.deepEqual(
    faults.map(({ line, reason }) => [line, reason]),
    [
      [3, "expiresAt: is neither a date such as 2030-12-31 nor a time such as 2030-12-31T23:59:59Z"],
      [4, "code: has neither a code nor a url"],
      [6, "expiresAt: has passed already"],
      [7, "code: begins with TEST-, as codes of the sandbox alone do"],
      [5, "code: duplicate of line 2"],
      [8, "code: duplicate of line 2"],
    ],
  );
  assert.deepEqual(await counts(), [0, 0, 0]);
  assert.equal(await supplyOf("card"), undefined);
});

test("a code already known is refused by line, id and state, whatever became of it and for whatever product", async () => {
  assert.ok((await run("code\nA1\nA2\nA3\nA4\n")).result.ok);
  const [stock, delivered, expired, quarantined] = await codeRows();
  assert.ok(stock && delivered && expired && quarantined);
  const unit = sql`order_id = 'ord_1', line_index = 0, unit_index = 0`;
  await db.rows(
    sql`update codes set state = 'delivered', delivered_at = now(), ${unit} where id = ${delivered.id}`,
  );
  await db.rows(sql`update codes set state = 'expired' where id = ${expired.id}`);
  await db.rows(sql`
    update codes set state = 'quarantined', quarantine_reason = 'late', ${unit} where id = ${quarantined.id}`);
  const { result, faults } = await run("code\nN1\nA3\nA2\n A1 \nA4\n", { productId: "game" });
  assert.deepEqual(result, { ok: false, faults: 3 });
  assert.deepEqual(faults, [
    { line: 3, reason: `code: is known already: ${expired.id}, expired` },
    { line: 4, reason: `code: is known already: ${delivered.id}, delivered` },
    { line: 5, reason: `code: is known already: ${stock.id}, in stock` },
  ]);
  assert.equal((await counts())[0], 4);
  // What lies in quarantine was never delivered to anyone, and the operator may put it in stock.
  assert.ok((await run("code\nA4\n")).result.ok);
});

test("of two imports of the same codes at once one goes in and the other is told", async () => {
  const text = (codes: string[]) => `code\n${codes.join("\n")}\n`;
  const codes = Array.from({ length: 2_500 }, (_, index) => `C${index}`);
  let waiting = 0;
  const onWaiting = () => {
    waiting += 1;
  };
  const { running } = await db.transaction(async (tx) => {
    await lockStockImport(tx);
    const running = [
      run(text(codes), { onWaiting }),
      run(text([...codes].reverse()), { onWaiting }),
      run(text(codes.slice(1_000)), { onWaiting }),
    ];
    await eventually("all three wait", async () => (waiting === running.length ? true : undefined));
    return { running };
  });
  const finished = await Promise.all(running);
  assert.equal(finished.filter(({ result }) => result.ok).length, 1);
  for (const { result, faults } of finished.filter(({ result }) => !result.ok)) {
    assert.deepEqual(result, { ok: false, faults: faults.length });
    assert.match(faults[0]?.reason ?? "", /^code: is known already: cod_\w+, in stock$/);
  }
  const [imported] = finished.filter(({ result }) => result.ok);
  assert.equal((await counts())[0], imported?.result.ok && imported.result.imported);
  assert.deepEqual((await counts()).slice(1), [1, 1]);
});

test("a code that is delivered by a supplier while its file is being read is refused too", async () => {
  const supplierId = await addSupplierRow(db);
  let planted = false;
  const racing: Db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          rows: async (query, options) => {
            if (!planted && query.text.includes("insert into supplier_routes")) {
              planted = true;
              await db.rows(sql`
                insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id,
                                   line_index, unit_index, delivered_at)
                values ('cod_planted', 'live', 'card', ${supplierId}, 'delivered', 'code', '\\x00', ${digestCode("A2")},
                        'ord_1', 0, 0, now())`);
            }
            return tx.rows(query, options);
          },
        }),
      ),
  };
  const { result, faults } = await run("code\nA1\nA2\n", { db: racing });
  assert.equal(planted, true);
  assert.deepEqual(faults, [{ line: 3, reason: "code: is known already: cod_planted, delivered" }]);
  assert.deepEqual(result, { ok: false, faults: 1 });
  assert.equal((await counts())[0], 1);
});

test("nothing of a code reaches the database in plain, neither stored nor on the way", async () => {
  const planted = ["PLANTED-CODE-4711", "PLANTED-PIN-4712", "PLANTED-SERIAL-4713"];
  const sent: string[] = [];
  const watched: Db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          rows: (query, options) => {
            sent.push(query.text, ...query.values.flat().map(asText));
            return tx.rows(query, options);
          },
        }),
      ),
  };
  const row = planted.join(",");
  assert.ok((await run(`code,pin,serial\n${row}\n`, { db: watched })).result.ok);
  // A second time, so that it is refused: reasons must not repeat it either.
  const { faults } = await run(`code,pin,serial\n${row}\n${row},\n`, { db: watched });
  assert.equal(faults.length, 2);
  for (const text of planted) {
    assert.deepEqual(await findPlanted(db, text), []);
    assert.equal(sent.join("\n").includes(text), false);
    assert.equal(JSON.stringify(faults).includes(text), false);
  }
  // The search itself finds what is there.
  await db.rows(sql`update suppliers set name = ${`x${Buffer.from(`..${planted[0]}`).toString("base64")}`}`);
  assert.deepEqual(await findPlanted(db, planted[0] ?? ""), ["public.suppliers"]);
});

const asText = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString("latin1") : String(value);

test("a rotation of the master key sees an import from its first code on", async () => {
  let seen = 0;
  const text = `code\n${Array.from({ length: 1_500 }, (_, index) => `R${index}`).join("\n")}\n`;
  const watched: Db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          rows: async (query, options) => {
            if (query.text.includes("insert into staged_codes")) {
              const held = await db.rows(sql`
                select from pg_locks
                where database = (select oid from pg_database where datname = current_database())
                  and relation = 'codes'::regclass and mode = 'RowExclusiveLock'`);
              seen += held.length;
            }
            return tx.rows(query, options);
          },
        }),
      ),
  };
  assert.ok((await run(text, { db: watched })).result.ok);
  assert.equal(seen, 2);
});
