import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { TEST_MASTER_KEY } from "../../../testing/app/test-settings.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import {
  connectForTest,
  enterTestServer,
  type TestServer,
  withDatabase,
} from "../../../testing/database/test-server.ts";
import { eventually } from "../../../testing/eventually.ts";
import { openScripDesk, type ScripDesk } from "../../../testing/processes/scrip-desk.ts";
import { audit } from "../../audit/audit.ts";
import type { Db } from "../../db/database.ts";

const STOCK = 10;

let server: TestServer;
let folder: string;
let lost: Shop;
let restored: Db;
let restoredName: string;
let since: string;
let orderId: string;
let soldIds: string[];
let scrip: ScripDesk;

type Moved = { productId: string; count: number }[];
type Reconciled = {
  setAside: Moved;
  released: Moved;
  lostOrders?: string[];
  lostTotals?: { orders: number; total: { amount: number } }[];
  revivedKeys?: string[];
};

/** A copy of a database stands for its restore to that time; the original goes on, and is lost. */
before(async () => {
  server = await enterTestServer();
  folder = await mkdtemp(join(tmpdir(), "scrip-restore-"));
  lost = await openShop();
  const { drain } = createTestFulfiller(lost.scrip);
  const product = await lost.addStocked(STOCK);
  await lost.order([product, 2]);
  await drain();
  [restoredName, since] = await copyDatabase(lost.scrip.connectionString);
  const url = withDatabase(server.connectionString, restoredName);
  restored = connectForTest(url);
  orderId = await lost.order([product, 3]);
  await drain();
  const sold = await lost.scrip.db.rows<{ id: string }>(
    sql`select id from codes where order_id = ${orderId} order by id`,
  );
  soldIds = sold.map(({ id }) => id);
  await lost.scrip.db.rows(sql`update api_keys set revoked_at = now() where id = ${lost.buyer.keyId}`);
  scrip = openScripDesk({
    DATABASE_URL: url,
    DATA_DIR: folder,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });
});

after(async () => {
  await restored.close();
  await lost.close();
  await server.admin.rows(raw(`drop database ${restoredName} with (force)`));
  await server.leave();
  await rm(folder, { recursive: true, force: true });
});

async function copyDatabase(connectionString: string): Promise<[name: string, at: string]> {
  const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
  const from = new URL(connectionString).pathname.slice(1);
  await eventually("nobody uses the database for a moment", async () => {
    await server.admin.rows(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`,
    );
    const copied = server.admin.rows(raw(`create database ${name} template ${from} strategy file_copy`));
    return copied.then(
      () => true,
      () => undefined,
    );
  });
  return [name, new Date().toISOString()];
}

const reconcile = (...args: string[]) =>
  scrip.json<Reconciled>(["stock", "reconcile-restore", "--since", since, ...args]);

async function codesInStock(): Promise<string[]> {
  const rows = await restored.rows<{ id: string }>(
    sql`select id from codes where state = 'stock' order by id`,
  );
  return rows.map(({ id }) => id);
}

async function assertHealthy(): Promise<void> {
  const { invariants } = await audit(restored);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
}

test("a restored database would sell codes again that were sold since", async () => {
  const inStock = await codesInStock();
  assert.equal(inStock.length, STOCK - 2);
  assert.ok(soldIds.every((id) => inStock.includes(id)));
});

test("while a process serves, nothing is set aside", async () => {
  await restored.rows(sql`
    insert into processes (id, role, host, pid, version, started_at, beat_at)
    values ('prc_1', 'worker', 'host', 1, '0', clock_timestamp(), clock_timestamp())`);
  const { code, stderr } = await scrip.run(["stock", "reconcile-restore", "--since", since]);
  assert.equal(code, 1);
  assert.match(stderr, /1 process of Scrip uses this database.*Stop it first/);
  assert.equal((await codesInStock()).length, STOCK - 2);
  await restored.rows(sql`delete from processes`);
});

test("without the lost database, every code that it could have sold is set aside", async () => {
  const { setAside, released, lostOrders } = await reconcile();
  assert.deepEqual([setAside[0]?.count, released, lostOrders], [STOCK - 2, [], undefined]);
  assert.deepEqual(await codesInStock(), []);
  const [supply] = await restored.rows<{ available: boolean }>(
    sql`select count(*) > 0 as available from product_supply where state = 'available'`,
  );
  assert.equal(supply?.available, false);
  await assertHealthy();
});

test("with the lost database, only what it sold stays aside, and what else it knows is reported", async () => {
  const result = await reconcile("--lost", lost.scrip.connectionString);
  assert.deepEqual([result.setAside, result.released[0]?.count], [[], STOCK - 2 - soldIds.length]);
  assert.deepEqual(result.lostOrders, [orderId]);
  assert.deepEqual(
    result.lostTotals?.map(({ orders, total }) => [orders, total.amount]),
    [[1, 300]],
  );
  assert.deepEqual(result.revivedKeys, [lost.buyer.keyId]);
  const inStock = await codesInStock();
  assert.equal(inStock.length, STOCK - 2 - soldIds.length);
  assert.ok(soldIds.every((id) => !inStock.includes(id)));
  await assertHealthy();
});

test("running it again changes nothing", async () => {
  const before = await codesInStock();
  const { setAside, released } = await reconcile("--lost", lost.scrip.connectionString);
  assert.deepEqual([setAside, released], [[], []]);
  assert.deepEqual(await codesInStock(), before);
});

test("what was sold cannot be released by a direct write", async () => {
  await assert.rejects(
    restored.rows(sql`update restored_codes set was_sold = false where was_sold`),
    /stays sold/,
  );
  await assert.rejects(restored.rows(sql`delete from restored_codes`), /restored_codes/);
});

test("the restored database itself, a time in the future and an unreadable time are refused", async () => {
  const url = withDatabase(server.connectionString, restoredName);
  const run = async (...args: string[]) => (await scrip.run(["stock", "reconcile-restore", ...args])).stderr;
  assert.match(await run("--since", since, "--lost", url), /--lost is the restored database itself/);
  assert.match(await run("--since", "2999-01-01T00:00:00Z"), /must not be in the future/);
  assert.match(await run("--since", "yesterday"), /--since must be a time/);
  assert.match(await run(), /required option '--since/);
});

test("the text of a run says what was set aside, what was lost and what to do next", async () => {
  await restored.rows(sql`update api_keys set revoked_at = now()`);
  const { stdout, stderr } = await scrip.run([
    ...["stock", "reconcile-restore", "--since", since],
    ...["--lost", lost.scrip.connectionString],
  ]);
  assert.match(
    stdout,
    /No code had to be set aside\.\nLost: 1 order of rsl_\w+ \(live\), 3\.00 USD\nNow run: scrip audit/,
  );
  assert.match(stderr, /1 order and its debit exist only in the lost database/);
  assert.doesNotMatch(stderr, /revoked/);
});
