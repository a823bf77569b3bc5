import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import {
  addRouteRow,
  addStockRow,
  addSupplierRow,
  addUnsuppliedProducts,
} from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { upgradeRows } from "../../testing/database/upgrade-rows.ts";
import type { Db } from "../db/database.ts";
import { refreshSupply } from "./refresh-supply.ts";

const NOW = new Date("2030-06-01T12:00:00.000Z");
const LATER = new Date("2030-06-01T12:00:00.001Z");

let database: TestDatabase;
let db: Db;
let called: string;
before(async () => {
  database = await createTestDatabase();
  db = database.db;
  called = await addSupplierRow(db, { kind: "scrip" });
});
after(() => database.drop());
beforeEach(() => forget());

const forget = () => db.rows(sql`delete from price_changes`);

/** A product that comes from own stock first, and then from a supplier that is called. */
async function addTwice(productId: string): Promise<string> {
  await addUnsuppliedProducts(db, [productId]);
  const supplierId = await addSupplierRow(db);
  await addRouteRow(db, { productId, supplierId, priority: 1 });
  await addRouteRow(db, { productId, supplierId: called, priority: 2 });
  await refreshSupply(db, [productId], NOW);
  await forget();
  return supplierId;
}

const listNoted = async (): Promise<string[]> =>
  (
    await db.rows<{ productId: string }>(sql`select product_id as "productId" from price_changes order by 1`)
  ).map(({ productId }) => productId);

const listInStock = async (productId: string): Promise<string[]> =>
  (
    await db.rows<{ supplierId: string }>(sql`
      select supplier_id as "supplierId" from supplier_routes where product_id = ${productId} and in_stock`)
  ).map(({ supplierId }) => supplierId);

const withdraw = (codeId: string) =>
  db.rows(sql`update codes set state = 'withdrawn' where id = ${codeId} and state = 'stock'`);

async function revision(): Promise<bigint> {
  const [row] = await db.rows<{ revision: bigint }>(sql`select revision from catalog_state`);
  return row?.revision ?? 0n;
}

test("a product is noted when the stock of one of its routes comes and when it runs out, and resellers see no change", async () => {
  const supplierId = await addTwice("noted");
  const before = await revision();
  const code = await addStockRow(db, { productId: "noted", supplierId });
  assert.equal(await refreshSupply(db, ["noted"], NOW), 0, "it is available either way");
  assert.deepEqual([await listInStock("noted"), await listNoted()], [[supplierId], ["noted"]]);
  await forget();
  await withdraw(code);
  await refreshSupply(db, ["noted"], NOW);
  assert.deepEqual([await listInStock("noted"), await listNoted()], [[], ["noted"]]);
  assert.equal(await revision(), before);
});

test("a code counts as stock until the moment it expires", async () => {
  const supplierId = await addTwice("perishing");
  await addStockRow(db, { productId: "perishing", supplierId, expiresAt: LATER });
  await refreshSupply(db, ["perishing"], NOW);
  assert.deepEqual(await listInStock("perishing"), [supplierId]);
  await forget();
  await refreshSupply(db, undefined, LATER);
  assert.deepEqual([await listInStock("perishing"), await listNoted()], [[], ["perishing"]]);
});

test("stock that grows or shrinks without running out is not noted", async () => {
  const supplierId = await addTwice("plenty");
  const codes = [await addStockRow(db, { productId: "plenty", supplierId })];
  await refreshSupply(db, ["plenty"], NOW);
  await forget();
  codes.push(await addStockRow(db, { productId: "plenty", supplierId }));
  await refreshSupply(db, ["plenty"], NOW);
  for (const code of codes.slice(1)) await withdraw(code);
  await refreshSupply(db, ["plenty"], NOW);
  assert.deepEqual([await listInStock("plenty"), await listNoted()], [[supplierId], []]);
});

test("a refresh that finds nothing changed only reads", async () => {
  const supplierId = await addTwice("settled");
  await addStockRow(db, { productId: "settled", supplierId });
  await refreshSupply(db, undefined, NOW);
  await forget();
  const onlyReading: Db = {
    ...db,
    transaction: () => assert.fail("it writes"),
    rows: (query, options) => {
      assert.match(query.text, /^\s*select/);
      return db.rows(query, options);
    },
  };
  assert.equal(await refreshSupply(onlyReading, ["settled"], NOW), 0);
  assert.equal(await refreshSupply(onlyReading, undefined, NOW), 0);
  assert.deepEqual(await listNoted(), []);
});

test("a supplier that is called has nothing in stock, also where codes of it are left", async () => {
  await addTwice("called-only");
  await addStockRow(db, { productId: "called-only", supplierId: called });
  await refreshSupply(db, ["called-only"], NOW);
  assert.deepEqual([await listInStock("called-only"), await listNoted()], [[], []]);
});

test("the note and the mark are one change: neither is there without the other", async () => {
  const supplierId = await addTwice("together");
  await addStockRow(db, { productId: "together", supplierId });
  const failing: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        await work(tx);
        throw new Error("the database is gone");
      }),
  };
  await assert.rejects(refreshSupply(failing, ["together"], NOW), /the database is gone/);
  assert.deepEqual([await listInStock("together"), await listNoted()], [[], []]);
  await refreshSupply(db, ["together"], NOW);
  assert.deepEqual([await listInStock("together"), await listNoted()], [[supplierId], ["together"]]);
});

test("a route that somebody is changing is not waited for, and is marked after their commit", async () => {
  const supplierId = await addTwice("busy");
  await addStockRow(db, { productId: "busy", supplierId });
  await db.transaction(async (tx) => {
    await tx.rows(sql`update supplier_routes set priority = 5 where product_id = 'busy'`);
    let rounds = 0;
    const counted: Db = {
      ...db,
      transaction: (run) => {
        rounds += 1;
        return db.transaction(run);
      },
    };
    await refreshSupply(counted, ["busy"], NOW);
    assert.equal(rounds, 1);
    assert.deepEqual(await listInStock("busy"), []);
  });
  await refreshSupply(db, ["busy"], NOW);
  assert.deepEqual(await listInStock("busy"), [supplierId]);
});

test("many that sell the last codes of the same products end at the truth, and none of them deadlocks", async () => {
  const ids = ["crowd-1", "crowd-2", "crowd-3"];
  const codes: string[] = [];
  for (const productId of ids) {
    const supplierId = await addTwice(productId);
    for (let count = 0; count < 4; count += 1) codes.push(await addStockRow(db, { productId, supplierId }));
  }
  await refreshSupply(db, ids, NOW);
  await Promise.all(
    codes.map(async (code, index) => {
      await withdraw(code);
      await refreshSupply(db, index % 2 === 0 ? ids : [...ids].reverse(), NOW);
    }),
  );
  for (const productId of ids) assert.deepEqual(await listInStock(productId), []);
});

test("after the upgrade routes are marked by the stock that is there, and the prices of own stock are worked out again", async () => {
  const product = (id: string): string => `
    insert into products (id, name, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, bonus, input_fields)
    values ('${id}', '${id}', '25.00', 'USD', 'USD', true, '', '[]');`;
  const route = (productId: string, supplierId: string): string => `
    insert into supplier_routes (product_id, supplier_id, priority, sku) values ('${productId}', '${supplierId}', 1, 'x');`;
  const code = (
    id: string,
    productId: string,
    supplierId: string,
    state: string,
    expiresAt: string,
  ): string => `
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, expires_at)
    values ('${id}', 'live', '${productId}', '${supplierId}', '${state}', 'code', '\\x00', ${expiresAt});`;
  const rows = `
    insert into suppliers (id, kind, name, sealed_config)
    values ('sup_stock', 'stock', 'One', null), ('sup_other', 'stock', 'Two', null), ('sup_called', 'scrip', 'Three', '\\x00');
    ${["full", "empty", "old", "bought"].map(product).join("")}
    ${route("full", "sup_stock")} ${route("full", "sup_other")} ${route("full", "sup_called")}
    ${route("empty", "sup_stock")} ${route("old", "sup_stock")} ${route("bought", "sup_called")}
    ${code("cod_1", "full", "sup_stock", "stock", "null")} ${code("cod_2", "full", "sup_stock", "stock", "null")}
    ${code("cod_3", "empty", "sup_stock", "withdrawn", "null")} ${code("cod_4", "old", "sup_stock", "stock", "now() - interval '1 second'")}
    ${code("cod_5", "empty", "sup_other", "stock", "null")}
    delete from price_changes;`;
  const range = { first: "0121_routes_in_stock.sql", last: "0122_routes_in_stock_known.sql", rows };
  await upgradeRows(db, range, async (tx) => {
    const marked = await tx.rows(sql`
      select product_id || ' ' || supplier_id as route from supplier_routes where in_stock`);
    assert.deepEqual(marked, [{ route: "full sup_stock" }]);
    const noted = await tx.rows<{ id: string }>(
      sql`select distinct product_id as id from price_changes order by 1`,
    );
    assert.deepEqual(
      noted.map(({ id }) => id),
      ["empty", "full", "old"],
    );
  });
});
