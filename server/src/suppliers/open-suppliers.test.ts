import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { secret } from "../lib/secret.ts";
import type { Json } from "../lib/strict-json.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { createOpenSuppliers } from "./open-suppliers.ts";
import type { RemoteSupplier } from "./supplier.ts";
import { sealSupplierConfig } from "./supplier-config.ts";

const keyring = fixedKeyring([secret(Buffer.alloc(32, 1))]);
const apiKey = `sc_live_${"k".repeat(38)}`;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** Sealed as it is, without the checks of `supplier add`. */
async function addWith(config: Json): Promise<string> {
  const id = await addSupplierRow(database.db, { kind: "scrip" });
  await sealFor(id, config);
  return id;
}

async function sealFor(id: string, config: Json): Promise<void> {
  const sealed = sealSupplierConfig(keyring, id, config);
  await database.db.rows(sql`update suppliers set sealed_config = ${sealed} where id = ${id}`);
}

const create = (reasons: string[] = []) =>
  createOpenSuppliers({
    db: database.db,
    keyring,
    timeoutMs: 1_000,
    onUnusable: (reason) => reasons.push(reason),
  });

const open = async (id: string) => {
  const reasons: string[] = [];
  const opened = await create(reasons).open(id);
  return { isOpen: opened !== undefined, reasons };
};

test("a supplier whose address is plain http is not opened, and the reason is reported, unless its config allows it", async () => {
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

test("a supplier of a kind that this version does not know is not opened, and the reason is reported", async () => {
  const id = await addWith({ baseUrl: "https://upstream.example", apiKey });
  await database.db.rows(sql`update suppliers set kind = 'newer' where id = ${id}`);
  const { isOpen, reasons } = await open(id);
  assert.equal(isOpen, false);
  assert.match(reasons.join(), /^the kind of a supplier is stock or scrip/);
});

test("an opened supplier is kept until its config is sealed again", async () => {
  const config = { baseUrl: "https://upstream.example", apiKey };
  const id = await addWith(config);
  const suppliers = create();
  const first = await suppliers.open(id);
  const [second, third] = await Promise.all([suppliers.open(id), suppliers.open(id)]);
  assert.ok(first && first.supplier === second?.supplier && first.supplier === third?.supplier);
  await sealFor(id, config);
  const reopened = await suppliers.open(id);
  assert.ok(reopened && reopened.supplier !== first.supplier);
  // A caller that still holds the closed one sends nothing.
  const request = { reference: "r", sku: "s", inputFields: null };
  assert.deepEqual(await first.supplier.buy(request), { kind: "unknown", reason: "closed" });
});

const gone = { kind: "unknown", reason: "timeout" } as const;

test("a supplier is closed when its config changes and when the process stops, each time after its last call", async () => {
  const closed: string[] = [];
  const calls: (() => void)[] = [];
  const openedAs = (json: unknown): RemoteSupplier => ({
    buy: async () => gone,
    lookUp: () => new Promise((resolve) => calls.push(() => resolve(gone))),
    close: async () => void closed.push((json as { baseUrl: string }).baseUrl),
  });
  const id = await addWith({ baseUrl: "https://first.example", apiKey });
  const suppliers = createOpenSuppliers({
    db: database.db,
    keyring,
    timeoutMs: 1_000,
    kindOf: () => ({ open: openedAs }),
  });
  const first = await suppliers.open(id);
  const call = first?.supplier.lookUp("reference", undefined);
  await sealFor(id, { baseUrl: "https://second.example", apiKey });
  await suppliers.open(id);
  assert.deepEqual(closed, []);
  calls.shift()?.();
  assert.deepEqual(await call, gone);
  await suppliers.close();
  assert.deepEqual(closed.sort(), ["https://first.example", "https://second.example"]);
});
