import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import {
  addRouteRow,
  addStockRow,
  addSupplierRow,
  addUnsuppliedProducts,
} from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import type { Db, Queryable } from "../db/database.ts";
import { refreshSupply } from "./refresh-supply.ts";
import { expireStock } from "./stock/expire-stock.ts";

let database: TestDatabase;
let db: Db;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
});

after(() => database.drop());

const NOW = new Date("2030-06-01T12:00:00.000Z");
const LATER = new Date("2030-06-01T12:00:00.001Z");

/** A product of its own for each test, routed to a supplier of its own. */
async function addRouted(
  productId: string,
  supplier: { kind?: string; enabled?: boolean } = {},
): Promise<string> {
  await addUnsuppliedProducts(db, [productId]);
  const supplierId = await addSupplierRow(db, supplier);
  await addRouteRow(db, { productId, supplierId });
  return supplierId;
}

async function supplyOf(productId: string): Promise<string | undefined> {
  const [row] = await db.rows<{ state: string }>(
    sql`select state from product_supply where product_id = ${productId}`,
  );
  return row?.state;
}

async function revision(): Promise<bigint> {
  const [row] = await db.rows<{ revision: bigint }>(sql`select revision from catalog_state`);
  return row?.revision ?? 0n;
}

const setEnabled = (supplierId: string, enabled: boolean) =>
  db.rows(sql`update suppliers set enabled = ${enabled} where id = ${supplierId}`);

const sell = (on: Queryable, codeId: string) =>
  on.rows(sql`
    update codes set state = 'delivered', order_id = id, line_index = 0, unit_index = 0, delivered_at = ${NOW}
    where id = ${codeId}`);

test("a product is available while an enabled supplier is called for it", async () => {
  const supplierId = await addRouted("called", { kind: "scrip" });
  assert.equal(await refreshSupply(db, ["called"], NOW), 1);
  assert.equal(await supplyOf("called"), "available");
  await setEnabled(supplierId, false);
  assert.equal(await refreshSupply(db, ["called"], NOW), 1);
  assert.equal(await supplyOf("called"), undefined);
  await setEnabled(supplierId, true);
  assert.equal(await refreshSupply(db, ["called"], NOW), 1);
  assert.equal(await supplyOf("called"), "available");
});

test("a product is available from a supplier of any kind that is called, also one that this version does not know", async () => {
  await addRouted("newly-called", { kind: "newer" });
  await refreshSupply(db, ["newly-called"], NOW);
  assert.equal(await supplyOf("newly-called"), "available");
});

test("a product from stock is empty, available with a code, and empty again when it is sold", async () => {
  const supplierId = await addRouted("stocked");
  await refreshSupply(db, ["stocked"], NOW);
  assert.equal(await supplyOf("stocked"), "empty");
  const code = await addStockRow(db, { productId: "stocked", supplierId });
  await refreshSupply(db, ["stocked"], NOW);
  assert.equal(await supplyOf("stocked"), "available");
  await sell(db, code);
  await refreshSupply(db, ["stocked"], NOW);
  assert.equal(await supplyOf("stocked"), "empty");
});

test("only the product's own codes at a supplier that it is routed to count", async () => {
  const supplierId = await addRouted("own");
  const other = await addRouted("another");
  await addStockRow(db, { productId: "own", supplierId: other });
  await addStockRow(db, { productId: "another", supplierId });
  await refreshSupply(db, ["own", "another"], NOW);
  assert.deepEqual([await supplyOf("own"), await supplyOf("another")], ["empty", "empty"]);
});

test("one supplier that can deliver is enough, and a disabled one with stock is not", async () => {
  const empty = await addRouted("several");
  const full = await addSupplierRow(db);
  await addRouteRow(db, { productId: "several", supplierId: full });
  await addStockRow(db, { productId: "several", supplierId: full });
  await refreshSupply(db, ["several"], NOW);
  assert.equal(await supplyOf("several"), "available");
  await setEnabled(full, false);
  await refreshSupply(db, ["several"], NOW);
  assert.equal(await supplyOf("several"), "empty");
  await setEnabled(empty, false);
  await refreshSupply(db, ["several"], NOW);
  assert.equal(await supplyOf("several"), undefined);
});

test("a code counts until the moment it expires", async () => {
  const supplierId = await addRouted("expiring");
  await addStockRow(db, { productId: "expiring", supplierId, expiresAt: LATER });
  await refreshSupply(db, ["expiring"], NOW);
  assert.equal(await supplyOf("expiring"), "available");
  await refreshSupply(db, ["expiring"], LATER);
  assert.equal(await supplyOf("expiring"), "empty");
});

test("without ids every product with a route or a row is brought in line, and a second time nothing is written", async () => {
  await addUnsuppliedProducts(db, ["stranded", "untouched"]);
  await db.rows(sql`insert into product_supply (product_id, state) values ('stranded', 'available')`);
  await addRouted("fresh", { kind: "scrip" });
  const others = await addRouted("not-asked", { kind: "scrip" });
  assert.equal(await refreshSupply(db, ["fresh"], NOW), 1);
  assert.equal(await supplyOf("not-asked"), undefined);
  assert.ok((await refreshSupply(db, undefined, NOW)) >= 2);
  assert.equal(await supplyOf("stranded"), undefined);
  assert.equal(await supplyOf("not-asked"), "available");
  assert.equal(await supplyOf("untouched"), undefined);
  const before = await revision();
  assert.equal(await refreshSupply(db, undefined, NOW), 0);
  assert.equal(await revision(), before);
  await setEnabled(others, false);
  assert.equal(await refreshSupply(db, undefined, NOW), 1);
  assert.equal(await revision(), before + 1n);
  await setEnabled(others, true);
  assert.equal(await refreshSupply(db, undefined, NOW), 1);
  // To triggers an upsert is an insert and an update.
  assert.equal(await revision(), before + 3n);
});

test("no ids at all are no products, not all of them", async () => {
  await addRouted("nobody-asked", { kind: "scrip" });
  assert.equal(await refreshSupply(db, [], NOW), 0);
  assert.equal(await supplyOf("nobody-asked"), undefined);
});

test("a locked code is not waited for", async () => {
  const supplierId = await addRouted("held");
  const code = await addStockRow(db, { productId: "held", supplierId });
  await db.transaction(async (tx) => {
    await sell(tx, code);
    assert.equal(await refreshSupply(db, ["held"], NOW), 1);
    assert.equal(await supplyOf("held"), "available");
  });
  assert.equal(await refreshSupply(db, ["held"], NOW), 1);
  assert.equal(await supplyOf("held"), "empty");
});

test("what is sold while the row is being written does not leave it wrong", async () => {
  const supplierId = await addRouted("raced");
  const code = await addStockRow(db, { productId: "raced", supplierId });
  let sold = false;
  const racing: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        // The taker commits, and compares with a row that is not there yet, before ours is committed.
        if (!sold) {
          sold = true;
          await sell(db, code);
          assert.equal(await supplyOf("raced"), undefined);
        }
        return result;
      }),
  };
  await refreshSupply(racing, ["raced"], NOW);
  assert.equal(await supplyOf("raced"), "empty");
});

test("two that set and delete at once take turns instead of deadlocking", async () => {
  await addRouted("turn-set", { kind: "scrip" });
  await addUnsuppliedProducts(db, ["turn-gone"]);
  await db.rows(sql`insert into product_supply (product_id, state) values ('turn-gone', 'empty')`);
  let second: Promise<number> | undefined;
  const halfway: Db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          rows: async (query, options) => {
            // The first has set its row and raised the revision; now the second comes for the row that is to go.
            if (!second && query.text.includes("delete from product_supply")) {
              second = refreshSupply(db, ["turn-gone"], NOW);
              await eventually("the second waits", findWaiting);
            }
            return tx.rows(query, options);
          },
        }),
      ),
  };
  assert.equal(await refreshSupply(halfway, ["turn-set", "turn-gone"], NOW), 2);
  assert.equal(await second, 0);
  assert.deepEqual([await supplyOf("turn-set"), await supplyOf("turn-gone")], ["available", undefined]);
});

/** Whether some statement on this database waits for a lock. */
async function findWaiting(): Promise<true | undefined> {
  const waiting = await db.rows(sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return waiting.length > 0 ? true : undefined;
}

test("many at once end at the truth, and none of them deadlocks", async () => {
  const supplierId = await addRouted("crowded");
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => addStockRow(db, { productId: "crowded", supplierId })),
  );
  await Promise.all(
    ids.map(async (id) => {
      await sell(db, id);
      await refreshSupply(db, ["crowded"], NOW);
    }),
  );
  assert.equal(await supplyOf("crowded"), "empty");
});

test("expired stock is put aside, the rest stays, and its products are empty then", async () => {
  const supplierId = await addRouted("perishable");
  const keep = await addRouted("lasting");
  const gone = await addStockRow(db, { productId: "perishable", supplierId, expiresAt: NOW });
  const kept = await addStockRow(db, { productId: "lasting", supplierId: keep, expiresAt: LATER });
  const endless = await addStockRow(db, { productId: "lasting", supplierId: keep });
  await refreshSupply(db, ["perishable", "lasting"], new Date(NOW.getTime() - 1));
  assert.equal(await supplyOf("perishable"), "available");
  assert.equal(await expireStock(db, NOW), 1);
  assert.equal(await expireStock(db, NOW), 0);
  const states = await db.rows(sql`
    select id, state from codes where id = any(${[gone, kept, endless]}::text[]) order by id`);
  assert.deepEqual(states, [
    { id: gone, state: "expired" },
    { id: kept, state: "stock" },
    { id: endless, state: "stock" },
  ]);
  assert.equal(await supplyOf("perishable"), "empty");
  assert.equal(await supplyOf("lasting"), "available");
});
