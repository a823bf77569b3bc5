import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import type { Db } from "../db/database.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { type Secret, secret } from "../lib/secret.ts";
import { eventually } from "../testing/eventually.ts";
import { addSealedCodes, listCodes, placeOf, textOf } from "../testing/sealed-codes.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { keyIdOf, type MasterKeys, open, seal } from "../vault/seal.ts";
import { replaceSealed } from "./rotate-queries.ts";
import { rotateVault } from "./rotate-vault.ts";
import { readVaultStatus } from "./vault-status.ts";

const OLD = secret(Buffer.alloc(32, 1));
const NEW = secret(Buffer.alloc(32, 2));
const LOST = secret(Buffer.alloc(32, 3));
let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());
beforeEach(async () => {
  await database.db.rows(sql`truncate codes, suppliers, sealed_secrets cascade`);
});

test("every kind of sealed value comes under the newest key and opens with it alone", async () => {
  const { db } = database;
  await fill(OLD);
  const rotated = await rotateVault(depsWith(NEW, OLD));
  const expected = { rewrapped: 1_008, current: 0, failed: 0, complete: true, failures: [] };
  assert.deepEqual(rotated, { key: idOf(NEW), ...expected });
  const vault = createCodeVault(fixedKeyring([NEW]));
  const codes = await listCodes(db);
  assert.equal(codes.length, 1_004);
  for (const code of codes) assert.equal(vault.open(placeOf(code), code.sealed).toString(), textOf(code.id));
  const [supplier] = await db.rows<{ sealed: Buffer }>(
    sql`select sealed_config as sealed from suppliers where id = 'sup_up'`,
  );
  assert.equal(open([NEW], "supplier-config:sup_up", supplier?.sealed ?? Buffer.of()).toString(), "config");
  await loadServerSecrets(db, [NEW]);
});

test("the server's secrets stay what they are", async () => {
  const { db } = database;
  const before = await loadServerSecrets(db, [OLD]);
  await rotateVault(depsWith(NEW, OLD));
  const after = await loadServerSecrets(db, [NEW]);
  for (const name of ["pepper", "cursorKey", "codeDigestKey"] as const) {
    assert.ok(before[name].equals(after[name]), name);
  }
  assert.equal(after.pepper.equals(after.codeDigestKey), false);
});

test("run again it changes nothing, and sandbox codes and stock suppliers are no concern of it", async () => {
  const { db } = database;
  await fill(OLD);
  await db.rows(sql`
    insert into codes (id, environment, product_id, state, type, test_code, order_id, line_index, unit_index, delivered_at)
    values ('cod-test', 'test', 'card', 'delivered', 'code', 'TEST-0000-0000-0000', 'ord-test', 0, 0, now())`);
  await rotateVault(depsWith(NEW, OLD));
  const before = await everything();
  const rotated = await rotateVault(depsWith(NEW, OLD));
  assert.deepEqual([rotated.rewrapped, rotated.current, rotated.failed], [0, 1_008, 0]);
  assert.deepEqual(await everything(), before);
});

test("a code that was set aside as damaged is no longer asked for, and keeps no key in use", async () => {
  const { db } = database;
  await fill(OLD);
  await db.rows(
    sql`update codes set state = 'damaged', sealed = ${Buffer.alloc(90, 2)} where id = 'stock-000001'`,
  );
  const rotated = await rotateVault(depsWith(NEW, OLD));
  assert.deepEqual([rotated.rewrapped, rotated.failed, rotated.complete], [1_007, 0, true]);
  const { keys, unreadable } = await readVaultStatus(db, depsWith(NEW, OLD));
  assert.deepEqual([keys.length, keys[1]?.removable, unreadable], [2, true, 0]);
});

test("what does not open is named by id, left as it was, and does not stop the rest", async () => {
  const { db } = database;
  await fill(OLD);
  const lost = createCodeVault(fixedKeyring([LOST]));
  await addSealedCodes(db, lost, { prefix: "lost", count: 1, state: "stock" });
  await db.rows(sql`update codes set sealed = ${Buffer.of(1, 2)} where id = 'delivered-000000'`);
  await db.rows(sql`
    update codes moved set sealed = other.sealed from codes other
    where moved.id = 'stock-000003' and other.id = 'stock-000004'`);
  await db.rows(
    sql`update codes set sealed = set_byte(sealed, 90, get_byte(sealed, 90) # 1) where id = 'stock-000500'`,
  );
  await db.rows(sql`update suppliers set sealed_config = ${Buffer.of()} where id = 'sup_up'`);
  const bad = ["delivered-000000", "lost-000000", "stock-000003", "stock-000500"];
  const before = (await listCodes(db)).filter((code) => bad.includes(code.id));
  const rotated = await rotateVault(depsWith(NEW, OLD));
  assert.deepEqual(
    rotated.failures.map(({ kind, id }) => `${kind} ${id}`),
    [...bad.map((id) => `codes ${id}`), "supplierConfigs sup_up"],
  );
  assert.deepEqual([rotated.rewrapped, rotated.failed, rotated.complete], [1_004, 5, true]);
  assert.deepEqual(
    (await listCodes(db)).filter((code) => bad.includes(code.id)),
    before,
  );
});

test("a row that another holds is visited again, and what he made of it is not undone", async () => {
  const { db } = database;
  const vault = createCodeVault(fixedKeyring([OLD]));
  await addSealedCodes(db, vault, { prefix: "stock", count: 450, state: "stock" });
  const place = placeOf({ ...UNIT, id: "stock-000007", state: "delivered" });
  let rotation: ReturnType<typeof rotateVault> | undefined;
  await db.transaction(async (tx) => {
    await tx.rows(sql`select id from codes where id in ('stock-000007', 'stock-000300') for update`);
    rotation = rotateVault(depsWith(NEW, OLD));
    await eventually("all but the held rows are rewrapped", async () =>
      (await countUnder(NEW)) === 448 ? true : undefined,
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
  const newest = createCodeVault(fixedKeyring([NEW]));
  assert.equal(newest.open(place, code?.sealed ?? Buffer.of()).toString(), "delivered");
});

test("a row that is held at the last look is visited again too", async () => {
  const { db } = database;
  await fill(OLD);
  const late = createCodeVault(fixedKeyring([OLD]));
  const release = Promise.withResolvers<void>();
  let holding: Promise<void> | undefined;
  const rows: Db["rows"] = async (query, options) => {
    const found = await db.rows<never>(query, options);
    // The writers have been waited for: somebody comes only now, and leaves when he was met once.
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
  const rotated = await rotateVault({ ...depsWith(NEW, OLD), db: { ...db, rows } });
  await holding;
  assert.deepEqual([rotated.rewrapped, rotated.complete, await countUnder(OLD)], [1_009, true, 0]);
});

test("a value that changed since it was read is left as it is now", async () => {
  const { db } = database;
  await addSealedCodes(db, createCodeVault(fixedKeyring([OLD])), {
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

test("codes that are still being written under the older key are waited for", async () => {
  const { db } = database;
  await fill(OLD);
  const vault = createCodeVault(fixedKeyring([OLD]));
  let rotation: ReturnType<typeof rotateVault> | undefined;
  await db.transaction(async (tx) => {
    // Gathered in a table of its own first, as an import does: the codes are not touched until the end.
    await tx.rows(sql`create temp table gathered (sealed bytea) on commit drop`);
    await tx.rows(sql`insert into gathered values (${Buffer.of(0)})`);
    rotation = rotateVault(depsWith(NEW, OLD));
    await eventually("what can be seen is rewrapped", async () =>
      (await countUnder(NEW)) === 1_004 ? true : undefined,
    );
    await addSealedCodes(tx, vault, { prefix: "late", count: 300, state: "stock" });
  });
  const rotated = await rotation;
  assert.deepEqual([rotated?.rewrapped, rotated?.complete], [1_308, true]);
  assert.equal(await countUnder(OLD), 0);
});

test("past its patience it says that it is not complete, and counts what it did", async () => {
  const { db } = database;
  await fill(OLD);
  await db.transaction(async (tx) => {
    await tx.rows(sql`select id from codes where id = 'stock-000000' for update`);
    const rotated = await rotateVault(depsWith(NEW, OLD), { patienceMs: 100 });
    assert.deepEqual([rotated.rewrapped, rotated.complete, rotated.failed], [1_007, false, 0]);
    const status = await readVaultStatus(db, depsWith(NEW, OLD, LOST), 100);
    assert.equal(status.settled, false);
    // Nothing is seen under the third key, but who knows what is about to be.
    assert.equal(status.keys[2]?.removable, false);
  });
  const again = await rotateVault(depsWith(NEW, OLD));
  assert.deepEqual([again.rewrapped, again.current, again.complete], [1, 1_007, true]);
});

test("progress counts up to all that there is to do", async () => {
  await fill(OLD);
  const told: number[] = [];
  await rotateVault(depsWith(NEW, OLD), {
    onProgress: (done, total) => {
      assert.equal(total, 1_008);
      told.push(done);
    },
  });
  assert.deepEqual(
    told,
    told.toSorted((one, other) => one - other),
  );
  assert.ok(told.length > 5 && told.at(-1) === 1_008, told.join());
});

test("status tells what is under which key, and calls a key removable when nothing is", async () => {
  const { db } = database;
  await fill(OLD);
  await addSealedCodes(db, createCodeVault(fixedKeyring([LOST])), {
    prefix: "lost",
    count: 2,
    state: "stock",
  });
  await addSealedCodes(db, createCodeVault(fixedKeyring([NEW])), { prefix: "new", count: 3, state: "stock" });
  await db.rows(sql`update codes set sealed = ${Buffer.of(1, 2)} where id = 'delivered-000000'`);
  const spare = secret(Buffer.alloc(32, 4));
  const status = async () => readVaultStatus(db, depsWith(NEW, OLD, spare));
  const none = { codes: 0, supplierConfigs: 0, serverSecrets: 0 };
  const unused = { id: idOf(spare), position: 3, newest: false, values: none, removable: true };
  const lost = { id: idOf(LOST), newest: false, values: { ...none, codes: 2 }, removable: false };
  const old = { codes: 1_003, supplierConfigs: 1, serverSecrets: 3 };
  assert.deepEqual(await status(), {
    newest: idOf(NEW),
    keys: [
      { id: idOf(NEW), position: 1, newest: true, values: { ...none, codes: 3 }, removable: false },
      { id: idOf(OLD), position: 2, newest: false, values: old, removable: false },
      unused,
      lost,
    ],
    unreadable: 1,
    settled: true,
  });
  await rotateVault(depsWith(NEW, OLD, spare));
  const after = await status();
  assert.deepEqual(after.keys[1], {
    id: idOf(OLD),
    position: 2,
    newest: false,
    values: none,
    removable: true,
  });
  assert.deepEqual(after.keys.slice(2), [unused, lost]);
});

const CODES = { table: raw("codes"), id: raw("id"), sealed: raw("sealed"), where: sql`true` };
const UNIT = { productId: "card", orderId: "ord-1", lineIndex: 0, unitIndex: 0 };

/** 1,004 codes in every state, a supplier's config and the three secrets of the server. */
async function fill(key: Secret<Buffer>): Promise<void> {
  const { db } = database;
  const vault = createCodeVault(fixedKeyring([key]));
  await addSealedCodes(db, vault, { prefix: "stock", count: 1_000, state: "stock" });
  await addSealedCodes(db, vault, { prefix: "expired", count: 2, state: "expired" });
  await addSealedCodes(db, vault, { prefix: "delivered", count: 1, state: "delivered" });
  await addSealedCodes(db, vault, { prefix: "quarantined", count: 1, state: "quarantined" });
  const config = seal([key], "supplier-config:sup_up", Buffer.from("config"));
  await db.rows(
    sql`insert into suppliers (id, kind, name, sealed_config) values ('sup_up', 'scrip', 'Upstream', ${config})`,
  );
  await loadServerSecrets(db, [key]);
}

const depsWith = (...keys: [Secret<Buffer>, ...Secret<Buffer>[]]) => {
  const keyring = fixedKeyring(keys satisfies MasterKeys);
  return { db: database.db, keyring, codeVault: createCodeVault(keyring) };
};

const idOf = (key: Secret<Buffer>): string => keyIdOf(key).toString("hex");

async function countUnder(key: Secret<Buffer>): Promise<number> {
  const codes = await listCodes(database.db);
  return codes.filter(({ sealed }) => sealed.subarray(1, 5).equals(keyIdOf(key))).length;
}

const everything = async () => [
  await database.db.rows(sql`select id, state, sealed, test_code from codes order by id`),
  await database.db.rows(sql`select id, sealed_config from suppliers order by id`),
  await database.db.rows(sql`select name, sealed from sealed_secrets order by name`),
];
