import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import {
  emptyVault,
  FILLED,
  fillVault,
  keyName,
  LOST_KEY,
  NEW_KEY,
  OLD_KEY,
  vaultDeps,
} from "../../testing/builders/filled-vault.ts";
import { addSealedCodes } from "../../testing/builders/sealed-codes.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "../db/database.ts";
import { secret } from "../lib/secret.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
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

test("status shows what is sealed under which key, and marks a key removable when nothing is", async () => {
  await fillVault(db, OLD_KEY);
  await addSealedCodes(db, createCodeVault(fixedKeyring([LOST_KEY])), {
    prefix: "lost",
    count: 2,
    state: "stock",
  });
  await addSealedCodes(db, createCodeVault(fixedKeyring([NEW_KEY])), {
    prefix: "new",
    count: 3,
    state: "stock",
  });
  await db.rows(sql`update codes set sealed = ${Buffer.of(1, 2)} where id = 'delivered-000000'`);
  const spare = secret(Buffer.alloc(32, 4));
  const status = async () => readVaultStatus(db, vaultDeps(db, NEW_KEY, OLD_KEY, spare));
  const none = {
    codes: 0,
    supplierConfigs: 0,
    webhookSecrets: 0,
    totpSecrets: 0,
    uploads: 0,
    serverSecrets: 0,
  };
  const unused = { id: keyName(spare), position: 3, newest: false, values: none, removable: true };
  const lost = { id: keyName(LOST_KEY), newest: false, values: { ...none, codes: 2 }, removable: false };
  const { webhookSecrets } = FILLED;
  const old = {
    codes: FILLED.codes - 1,
    supplierConfigs: 1,
    webhookSecrets,
    totpSecrets: 1,
    uploads: 1,
    serverSecrets: 4,
  };
  assert.deepEqual(await status(), {
    newest: keyName(NEW_KEY),
    keys: [
      { id: keyName(NEW_KEY), position: 1, newest: true, values: { ...none, codes: 3 }, removable: false },
      { id: keyName(OLD_KEY), position: 2, newest: false, values: old, removable: false },
      unused,
      lost,
    ],
    unreadable: 1,
    settled: true,
  });
  await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY, spare));
  const after = await status();
  assert.deepEqual(after.keys[1], {
    id: keyName(OLD_KEY),
    position: 2,
    newest: false,
    values: none,
    removable: true,
  });
  assert.deepEqual(after.keys.slice(2), [unused, lost]);
});

test("a damaged code is ignored and keeps no key in use", async () => {
  await fillVault(db, OLD_KEY);
  await db.rows(
    sql`update codes set state = 'damaged', sealed = ${Buffer.alloc(90, 2)} where id = 'stock-000001'`,
  );
  const rotated = await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  assert.deepEqual([rotated.rewrapped, rotated.failed, rotated.complete], [FILLED.values - 1, 0, true]);
  const { keys, unreadable } = await readVaultStatus(db, vaultDeps(db, NEW_KEY, OLD_KEY));
  assert.deepEqual([keys.length, keys[1]?.removable, unreadable], [2, true, 0]);
});
