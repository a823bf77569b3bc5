import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addUnsuppliedProducts } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { systemClock } from "../lib/clock.ts";
import { secret } from "../lib/secret.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { addSupplier } from "./add-supplier.ts";
import { changeSupplier } from "./change-supplier.ts";
import { unsealSupplierConfig } from "./supplier-config.ts";

const keyring = fixedKeyring([secret(Buffer.alloc(32, 1))]);
const configOf = (letter: string, host = "one") => ({
  baseUrl: `https://${host}.example`,
  apiKey: `sc_live_${letter.repeat(38)}`,
});

let database: TestDatabase;
let made = 0;
before(async () => {
  database = await createTestDatabase();
  await addUnsuppliedProducts(database.db, ["card"]);
});
after(() => database.drop());

async function addWithOpenPurchase(): Promise<string> {
  made += 1;
  const { db } = database;
  const added = { kind: "scrip", name: `Upstream ${made}`, ratePerSecond: 5, config: configOf("a") };
  const { id } = await addSupplier({ db, clock: systemClock, keyring }, added);
  await db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   status, sends, opened_at)
    values (${`ord_${id}`}, 0, 0, 1, 'live', 'card', ${id}, 'card', 'open', 1, now())`);
  return id;
}

const change = (id: string, config: object, isSameAccount = false) =>
  changeSupplier({ db: database.db, keyring }, id, {
    name: undefined,
    ratePerSecond: undefined,
    config: { ...config },
    isSameAccount,
  });

async function keyIn(id: string): Promise<string> {
  const [row] = await database.db.rows<{ sealedConfig: Buffer }>(sql`
    select sealed_config as "sealedConfig" from suppliers where id = ${id}`);
  const config = unsealSupplierConfig(keyring, { id, sealedConfig: row?.sealedConfig ?? Buffer.alloc(0) });
  return (config as { apiKey: string }).apiKey.at(-1) ?? "";
}

test("another key is refused while a purchase is open, and the error says what to do", async () => {
  const id = await addWithOpenPurchase();
  await assert.rejects(
    change(id, configOf("b")),
    /^RangeError: 1 purchase\(s\) have no outcome yet.*scrip order list --unknown.*--same-account/,
  );
  assert.equal(await keyIn(id), "a");
  await change(id, { ...configOf("a"), allowInsecure: true });
  await change(id, configOf("b"), true);
  assert.equal(await keyIn(id), "b");
});

test("another key is accepted once no purchase is open", async () => {
  const id = await addWithOpenPurchase();
  await database.db.rows(sql`
    update supplier_attempts set status = 'refused', failure_code = 'out_of_stock', resolved_at = now()
    where supplier_id = ${id}`);
  await change(id, configOf("b"));
  assert.equal(await keyIn(id), "b");
});

test("another address needs a disabled supplier and no open purchase, or the word that the account is the same", async () => {
  const id = await addWithOpenPurchase();
  await assert.rejects(change(id, configOf("a", "two")), /first run: scrip supplier disable/);
  await database.db.rows(sql`update suppliers set enabled = false where id = ${id}`);
  await assert.rejects(change(id, configOf("a", "two")), /1 purchase\(s\) have no outcome/);
  await change(id, configOf("a", "two"), true);
});

test("a purchase that is being opened while the key changes is counted", async () => {
  const id = await addWithOpenPurchase();
  await database.db.rows(sql`delete from supplier_attempts where supplier_id = ${id}`);
  let changing: Promise<unknown> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.rows(sql`select from suppliers where id = ${id} for no key update`);
    changing = assert.rejects(change(id, configOf("b")), /1 purchase\(s\) have no outcome/);
    await tx.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     status, sends, opened_at)
      values (${`ord_${id}`}, 0, 1, 1, 'live', 'card', ${id}, 'card', 'open', 1, now())`);
  });
  await changing;
});

test("two configs that do not tell their accounts may be of two accounts", async () => {
  const id = await addWithOpenPurchase();
  const login = (apiKey: number) => ({ apiKey, apiSecret: "secret" });
  await database.db.rows(sql`update suppliers set kind = 'dtone' where id = ${id}`);
  await change(id, login(1), true);
  await assert.rejects(change(id, login(2)), /1 purchase\(s\) have no outcome/);
});

test("stock has no config to change", async () => {
  const { db } = database;
  const shelf = { kind: "stock", name: "Shelf", ratePerSecond: 5, config: undefined };
  const { id } = await addSupplier({ db, clock: systemClock, keyring }, shelf);
  await assert.rejects(change(id, configOf("a")), /a stock supplier takes no config/);
});
