import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addSeller } from "../../testing/builders/healthy-orders.ts";
import { addManyOrders } from "../../testing/builders/many-orders.ts";
import { type Cost, explain } from "../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { Db, Tx } from "../db/database.ts";
import { audit } from "./audit.ts";
import { collectChanges } from "./collect-changes.ts";
import { WHOLE } from "./extent.ts";
import { invariants } from "./invariants.ts";
import { adoptProof, findProof, insertProof } from "./proof-queries.ts";

const ORDERS = sizeFor("soak", { share: 3_000, wide: 5_000, full: 20_000 });
/** Pending orders have none yet. */
const UNITS = 1.8 * ORDERS;
const HOUR_MS = 3_600_000;
/** Each has a mark that is looked at. */
const WALLETS_MAX = 20;
/** Those before belong to PostgreSQL itself. */
const FIRST_TABLE = 16_384;
/** No query reads a table more often than this, including its indexes. */
const READS_OF_ALL_PAGES_MAX = 3;

let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
  const { live } = await addSeller(database.db);
  await addManyOrders(database.db, live, ORDERS);
});

after(() => database.drop());

/** The database, recording the cost of each statement in its transactions. */
function observed(db: Db): { db: Db; costs: Cost[] } {
  const costs: Cost[] = [];
  const transaction: Db["transaction"] = (work) =>
    db.transaction((tx) => {
      const rows: Tx["rows"] = async (query) => {
        if (!query.text.startsWith("set "))
          costs.push(await explain({ ...db, rows: tx.rows }, (own) => own.rows(query)));
        return tx.rows(query);
      };
      return work({ ...tx, rows });
    });
  return { db: { ...db, transaction }, costs };
}

for (const known of ["are missing", "are present"]) {
  test(`an audit reads whole tables a few times, and none row by row, when statistics ${known}`, async () => {
    if (known === "are present") await database.db.rows(sql`analyze`);
    const [size] = await database.db.rows<{ pages: number }>(sql`
      select (sum(pg_total_relation_size(oid)) / current_setting('block_size')::integer)::integer as pages
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`);
    const { db, costs } = observed(database.db);
    const { ok, invariants } = await audit(db);
    assert.ok(ok, JSON.stringify(invariants));
    assert.equal(invariants.find(({ number }) => number === 6)?.checked, UNITS);
    for (const { buffers, plan } of costs) {
      assert.ok(buffers < READS_OF_ALL_PAGES_MAX * (size?.pages ?? 0), `${buffers} of ${size?.pages}${plan}`);
      assert.doesNotMatch(plan, /Nested Loop/);
    }
  });
}

for (const known of ["are missing", "are present"]) {
  test(`the entries since a proof are found without reading those before, when statistics ${known}`, async () => {
    const { db } = database;
    await db.rows(
      known === "are present" ? sql`analyze` : sql`delete from pg_statistic where starelid >= ${FIRST_TABLE}`,
    );
    const soon = new Date(Date.now() + HOUR_MS);
    const id = await db.transaction((tx) => insertProof(tx, WHOLE, undefined, soon));
    await db.transaction((tx) => adoptProof(tx, id, 0n));
    const proof = await findProof(db);
    assert.ok(proof);
    await db.transaction(async (tx) => {
      const rows: Tx["rows"] = async (query) => {
        if (!query.text.startsWith("create temporary table audited_new_entries")) return tx.rows(query);
        const { rows, plan } = await explain({ ...db, rows: tx.rows }, (own) => own.rows(query));
        assert.ok(rows < WALLETS_MAX, `${rows} rows${plan}`);
        return [];
      };
      await collectChanges({ ...tx, rows }, proof);
    });
  });
}

test("no invariant leaves rows out with NOT IN: PostgreSQL compares each of them with all, once they exceed its memory", () => {
  for (const { number, violations } of invariants)
    assert.doesNotMatch(violations(WHOLE).text, /\bnot\s+in\s*\(\s*select\b/i, `invariant ${number}`);
});
