import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import {
  addRouteRow,
  addSupplierRow,
  addUnsuppliedProducts,
} from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { systemClock } from "../lib/clock.ts";
import { type ImportRoutesResult, importRoutes } from "./import-routes.ts";

let database: TestDatabase;
let folder: string;
let supplierId: string;

before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "scrip-routes-"));
  await addUnsuppliedProducts(database.db, ["first", "second"]);
  supplierId = await addSupplierRow(database.db);
  for (const productId of ["first", "second"]) await addRouteRow(database.db, { productId, supplierId });
});
after(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

async function importCosts(cost: string, ...products: string[]): Promise<ImportRoutesResult> {
  const file = join(folder, `${cost}.csv`);
  const rows = products.map((product) => `${product},${supplierId},1,${cost}`);
  await writeFile(file, ["product,supplier,priority,cost", ...rows].join("\n"));
  return importRoutes(database.db, systemClock, { file, onFault: ({ reason }) => assert.fail(reason) });
}

const countWaiting = async (): Promise<number> => {
  const [row] = await database.db.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
};

test("two imports that name the same routes in opposite order wait for each other and do not deadlock", async () => {
  const { db } = database;
  const imports: Promise<ImportRoutesResult>[] = [];
  await db.transaction(async (tx) => {
    await tx.rows(sql`select from supplier_routes where product_id = 'first' for update`);
    for (const [cost, ...products] of [
      ["1.50", "first", "second"],
      ["2.50", "second", "first"],
    ] as const) {
      imports.push(importCosts(cost, ...products));
      await eventually(
        "the import waits",
        async () => (await countWaiting()) === imports.length || undefined,
      );
    }
  });
  const updated = { ok: true, created: 0, updated: 2, unchanged: 0 };
  assert.deepEqual(await Promise.all(imports), [updated, updated]);
  const costs = await db.rows<{ costMinor: bigint }>(
    sql`select distinct cost_minor as "costMinor" from supplier_routes`,
  );
  assert.equal(costs.length, 1);
});
