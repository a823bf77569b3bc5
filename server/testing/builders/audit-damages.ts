import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { raw } from "sql-template-tag";
import type { Db, Tx } from "../../src/db/database.ts";
import { createTestDatabase, type TestDatabase } from "../database/test-database.ts";
import { connectForTest } from "../database/test-server.ts";
import { auditAfter, type Findings } from "./audit-after.ts";
import { addOrderInState, type OrderSeed } from "./fulfilment-rows.ts";
import { addHealthyOrders, addSeller, type Seller } from "./healthy-orders.ts";

/** Statements, orders in an invalid state, and other damage, applied in order. */
export type Damage = readonly (string | OrderSeed | ((tx: Tx, seller: Seller) => Promise<unknown>))[];

/** One test for each damage, on a database with an order in every valid state. Without findings it is no damage. */
export function testDamages(damages: Readonly<Record<string, readonly [Damage, Findings]>>): void {
  let database: TestDatabase;
  let unguarded: Db;
  let seller: Seller;

  before(async () => {
    database = await createTestDatabase();
    seller = await addSeller(database.db);
    await database.db.transaction((tx) => addHealthyOrders(tx, seller));
    // Damage must not be stopped by triggers. Set for the connection, because PostgreSQL forgets its plans with each change.
    const name = new URL(database.connectionString).pathname.slice(1);
    await database.db.rows(raw(`alter database ${name} set session_replication_role = replica`));
    unguarded = connectForTest(database.connectionString);
  });

  after(async () => {
    await unguarded.close();
    await database.drop();
  });

  for (const [what, [damage, finds]] of Object.entries(damages)) {
    const isClean = Object.keys(finds).length === 0;
    const title = isClean ? `accepts ${what}` : `finds ${what}, and nothing else`;
    test(`the audit ${title}`, async () => {
      const found = await auditAfter(unguarded, async (tx) => {
        for (const step of damage) await apply(tx, seller, step);
      });
      assert.deepEqual(found, finds);
    });
  }
}

async function apply(tx: Tx, seller: Seller, step: Damage[number]): Promise<void> {
  if (typeof step === "string") await tx.rows(raw(step));
  else if (typeof step === "function") await step(tx, seller);
  else await addOrderInState(tx, seller.live, step);
}
