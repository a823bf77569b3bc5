import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { secret } from "../lib/secret.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { seal } from "../vault/seal.ts";
import { openSupplier } from "./open-suppliers.ts";
import { supplierConfigContext } from "./supplier-config.ts";

const keyring = fixedKeyring([secret(Buffer.alloc(32, 1))]);
const apiKey = `sc_live_${"k".repeat(38)}`;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** Sealed as it is, whatever `supplier add` would say of it now. */
async function addWith(config: object): Promise<string> {
  const id = await addSupplierRow(database.db, { kind: "scrip" });
  const plain = Buffer.from(JSON.stringify(config));
  const sealed = seal(keyring.masterKeys(), supplierConfigContext(id), plain);
  await database.db.rows(sql`update suppliers set sealed_config = ${sealed} where id = ${id}`);
  return id;
}

const open = async (id: string) => {
  const reasons: string[] = [];
  const opened = await openSupplier(database.db, keyring, id, 1_000, (reason) => reasons.push(reason));
  return { isOpen: opened !== undefined, reasons };
};

test("a supplier whose address is plain http is not opened, and the reason is told, unless its config says so", async () => {
  const config = { baseUrl: "http://upstream.example", apiKey };
  const { isOpen, reasons } = await open(await addWith(config));
  assert.equal(isOpen, false);
  assert.match(reasons.join(), /^baseUrl is plain http/);
  assert.doesNotMatch(reasons.join(), /upstream|sc_live/);
  const usable = { isOpen: true, reasons: [] };
  assert.deepEqual(await open(await addWith({ ...config, allowInsecure: true })), usable);
  assert.deepEqual(await open(await addWith({ ...config, baseUrl: "https://upstream.example" })), usable);
});

test("a supplier without a config that opens is not opened", async () => {
  assert.deepEqual(await open(await addSupplierRow(database.db, { kind: "scrip" })), {
    isOpen: false,
    reasons: [],
  });
  assert.deepEqual(await open("sup_none"), { isOpen: false, reasons: [] });
});
