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
import { addSealedCodes, listCodes, placeOf, textOf } from "../../testing/builders/sealed-codes.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "../db/database.ts";
import { loadServerSecrets } from "../keys/server-secrets.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { open } from "../vault/seal.ts";
import { rotateVault } from "./rotate-vault.ts";

let database: TestDatabase;
let db: Db;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
});
after(() => database.drop());
beforeEach(() => emptyVault(db));

test("every kind of sealed value is moved to the newest key and opens with that key alone", async () => {
  await fillVault(db, OLD_KEY);
  const rotated = await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  const expected = { rewrapped: FILLED.values, current: 0, failed: 0, complete: true, failures: [] };
  assert.deepEqual(rotated, { key: keyName(NEW_KEY), ...expected });
  const vault = createCodeVault(fixedKeyring([NEW_KEY]));
  const codes = await listCodes(db);
  assert.equal(codes.length, FILLED.codes);
  for (const code of codes) assert.equal(vault.open(placeOf(code), code.sealed).toString(), textOf(code.id));
  const [supplier] = await db.rows<{ sealed: Buffer }>(
    sql`select sealed_config as sealed from suppliers where id = 'sup_up'`,
  );
  assert.equal(
    open([NEW_KEY], "supplier-config:sup_up", supplier?.sealed ?? Buffer.of()).toString(),
    "config",
  );
  const webhookSecrets = await db.rows<{ endpointId: string; sealed: Buffer }>(
    sql`select endpoint_id as "endpointId", sealed from webhook_secrets`,
  );
  assert.equal(webhookSecrets.length, FILLED.webhookSecrets);
  for (const { endpointId, sealed } of webhookSecrets) {
    const plain = open([NEW_KEY], `webhook-secret:${endpointId}`, sealed).toString();
    assert.equal(plain, `whsec_of_${endpointId}`);
  }
  await loadServerSecrets(db, [NEW_KEY]);
});

test("the server secrets keep their values", async () => {
  const before = await loadServerSecrets(db, [OLD_KEY]);
  await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  const after = await loadServerSecrets(db, [NEW_KEY]);
  for (const name of ["pepper", "cursorKey", "codeDigestKey"] as const) {
    assert.ok(before[name].equals(after[name]), name);
  }
  assert.equal(after.pepper.equals(after.codeDigestKey), false);
});

test("running it again changes nothing, and sandbox codes and stock suppliers are not touched", async () => {
  await fillVault(db, OLD_KEY);
  await db.rows(sql`
    insert into codes (id, environment, product_id, state, type, test_code, order_id, line_index, unit_index, delivered_at)
    values ('cod-test', 'test', 'card', 'delivered', 'code', 'TEST-0000-0000-0000', 'ord-test', 0, 0, now())`);
  await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  const before = await everything();
  const rotated = await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  assert.deepEqual([rotated.rewrapped, rotated.current, rotated.failed], [0, FILLED.values, 0]);
  assert.deepEqual(await everything(), before);
});

test("a value that does not open is reported by id, left unchanged, and does not stop the rest", async () => {
  await fillVault(db, OLD_KEY);
  const lost = createCodeVault(fixedKeyring([LOST_KEY]));
  await addSealedCodes(db, lost, { prefix: "lost", count: 1, state: "stock" });
  await db.rows(sql`update codes set sealed = ${Buffer.of(1, 2)} where id = 'delivered-000000'`);
  await db.rows(sql`
    update codes moved set sealed = other.sealed from codes other
    where moved.id = 'stock-000003' and other.id = 'stock-000004'`);
  await db.rows(
    sql`update codes set sealed = set_byte(sealed, 90, get_byte(sealed, 90) # 1) where id = 'stock-000500'`,
  );
  await db.rows(sql`update suppliers set sealed_config = ${Buffer.of()} where id = 'sup_up'`);
  const [moved] = await db.rows<{ id: string }>(sql`
    update webhook_secrets moved set sealed = other.sealed from webhook_secrets other
    where moved.endpoint_id = 'whk_second' and other.endpoint_id = 'whk_first' returning moved.id::text as id`);
  const bad = ["delivered-000000", "lost-000000", "stock-000003", "stock-000500"];
  const before = (await listCodes(db)).filter((code) => bad.includes(code.id));
  const rotated = await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY));
  assert.deepEqual(
    rotated.failures.map(({ kind, id }) => `${kind} ${id}`),
    [...bad.map((id) => `codes ${id}`), "supplierConfigs sup_up", `webhookSecrets ${moved?.id}`],
  );
  assert.deepEqual([rotated.rewrapped, rotated.failed, rotated.complete], [FILLED.values - 5, 6, true]);
  assert.deepEqual(
    (await listCodes(db)).filter((code) => bad.includes(code.id)),
    before,
  );
});

test("progress counts up to the total", async () => {
  await fillVault(db, OLD_KEY);
  const told: number[] = [];
  await rotateVault(vaultDeps(db, NEW_KEY, OLD_KEY), {
    onProgress: (done, total) => {
      assert.equal(total, FILLED.values);
      told.push(done);
    },
  });
  assert.deepEqual(
    told,
    told.toSorted((one, other) => one - other),
  );
  assert.ok(told.length > 5 && told.at(-1) === FILLED.values, told.join());
});

const everything = async () => [
  await db.rows(sql`select id, state, sealed, test_code from codes order by id`),
  await db.rows(sql`select id, sealed_config from suppliers order by id`),
  await db.rows(sql`select id, sealed from webhook_secrets order by id`),
  await db.rows(sql`select name, sealed from sealed_secrets order by name`),
];
