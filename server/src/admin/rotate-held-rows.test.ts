import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import {
  countUnder,
  emptyVault,
  FILLED,
  fillVault,
  LOST_KEY,
  NEW_KEY,
  OLD_KEY,
  vaultDeps,
} from "../../testing/builders/filled-vault.ts";
import { addSealedCodes, listCodes, placeOf } from "../../testing/builders/sealed-codes.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import type { Db } from "../db/database.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { replaceSealed } from "./rotate-queries.ts";
import { rotateVault } from "./rotate-vault.ts";
import { readVaultStatus } from "./vault-status.ts";

let database: TestDatabase;
let db: Db;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
});
after(() => database.drop());
beforeEach(() => emptyVault(db));

test("a row locked by another transaction is retried, and its change is kept", async () => {
  const vault = createCodeVault(fixedKeyring([OLD_KEY]));
  await addSealedCodes(db, vault, { prefix: "stock", count: 450, state: "stock" });
  const place = placeOf({ ...UNIT, id: "stock-000007", state: "delivered" });
  let rotation: ReturnType<typeof rotateVault> | undefined;
  await db.transaction(async (tx) => {
    await tx.rows(sql`select id from codes where id in ('stock-000007', 'stock-000300') for update`);
    rotation = rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
    await eventually("all but the locked rows are rewrapped", async () =>
      (await countUnder(db, NEW_KEY)) === 448 ? true : undefined,
    );
    await tx.rows(sql`
      update codes set state = 'delivered', sealed = ${vault.seal(place, Buffer.from("delivered"))},
                       order_id = ${UNIT.orderId}, line_index = ${UNIT.lineIndex}, unit_index = ${UNIT.unitIndex},
                       delivered_at = now()
      where id = 'stock-000007'`);
  });
  const rotated = await rotation;
  assert.deepEqual([rotated?.rewrapped, rotated?.complete, rotated?.failed], [450, true, 0]);
  const [code] = (await listCodes(db)).filter(({ id }) => id === "stock-000007");
  assert.equal(code?.state, "delivered");
  const newest = createCodeVault(fixedKeyring([NEW_KEY]));
  assert.equal(newest.open(place, code?.sealed ?? Buffer.of()).toString(), "delivered");
});

test("a row that is locked during the last pass is retried too", async () => {
  await fillVault(db, OLD_KEY);
  const late = createCodeVault(fixedKeyring([OLD_KEY]));
  const release = Promise.withResolvers<void>();
  let holding: Promise<void> | undefined;
  const rows: Db["rows"] = async (query, options) => {
    const found = await db.rows<never>(query, options);
    // All writers have finished. Another one starts only now, and ends after its row was met once.
    if (query.text.includes("pg_locks") && !holding) {
      await addSealedCodes(db, late, { prefix: "late", count: 1, state: "stock" });
      const locked = Promise.withResolvers<void>();
      holding = db.transaction(async (tx) => {
        await tx.rows(sql`select id from codes where id = 'late-000000' for update`);
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
    } else if (holding && query.text.includes("skip locked")) release.resolve();
    return found;
  };
  const rotated = await rotateVault({ ...vaultDeps(db, NEW_KEY, OLD_KEY), db: { ...db, rows } });
  await holding;
  assert.deepEqual(
    [rotated.rewrapped, rotated.complete, await countUnder(db, OLD_KEY)],
    [FILLED.values + 1, true, 0],
  );
});

test("a value that changed since it was read is left as it is", async () => {
  await addSealedCodes(db, createCodeVault(fixedKeyring([OLD_KEY])), {
    prefix: "stock",
    count: 2,
    state: "stock",
  });
  const [first, second] = await listCodes(db);
  assert.ok(first && second);
  const after = Buffer.from("rewrapped");
  const replaced = await replaceSealed(db, CODES, [
    { id: first.id, before: second.sealed, after },
    { id: second.id, before: second.sealed, after },
    { id: "gone", before: first.sealed, after },
  ]);
  assert.deepEqual(replaced, [{ id: second.id }]);
  assert.deepEqual(
    (await listCodes(db)).map((code) => code.sealed),
    [first.sealed, after],
  );
});

test("codes still being written under the older key are waited for", async () => {
  await fillVault(db, OLD_KEY);
  const vault = createCodeVault(fixedKeyring([OLD_KEY]));
  let rotation: ReturnType<typeof rotateVault> | undefined;
  await db.transaction(async (tx) => {
    // Collected in a temporary table first, as an import does. The codes table is not touched until the end.
    await tx.rows(sql`create temp table gathered (sealed bytea) on commit drop`);
    await tx.rows(sql`insert into gathered values (${Buffer.of(0)})`);
    rotation = rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
    await eventually("visible codes are rewrapped", async () =>
      (await countUnder(db, NEW_KEY)) === FILLED.codes ? true : undefined,
    );
    await addSealedCodes(tx, vault, { prefix: "late", count: 300, state: "stock" });
  });
  const rotated = await rotation;
  assert.deepEqual([rotated?.rewrapped, rotated?.complete], [FILLED.values + 300, true]);
  assert.equal(await countUnder(db, OLD_KEY), 0);
});

test("after its time limit it reports that it is incomplete, and counts what it did", async () => {
  await fillVault(db, OLD_KEY);
  await db.transaction(async (tx) => {
    await tx.rows(sql`select id from codes where id = 'stock-000000' for update`);
    const rotated = await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY), { patienceMs: 100 });
    assert.deepEqual([rotated.rewrapped, rotated.complete, rotated.failed], [FILLED.values - 1, false, 0]);
    const status = await readVaultStatus(db, vaultDeps(db, NEW_KEY, OLD_KEY, LOST_KEY), 100);
    assert.equal(status.settled, false);
    // Nothing visible uses the third key, but an open transaction might.
    assert.equal(status.keys[2]?.removable, false);
  });
  const again = await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  assert.deepEqual([again.rewrapped, again.current, again.complete], [1, FILLED.values - 1, true]);
});

const CODES = { table: raw("codes"), id: raw("id"), sealed: raw("sealed"), where: sql`true` };
const UNIT = { productId: "card", orderId: "ord-1", lineIndex: 0, unitIndex: 0 };
