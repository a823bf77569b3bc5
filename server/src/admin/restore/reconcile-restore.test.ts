import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { TEST_MASTER_KEY } from "../../../testing/app/test-settings.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addUnsuppliedProducts } from "../../../testing/builders/supply-builders.ts";
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
import { listProcesses } from "../../db/primary/list-processes.ts";
import { PROCESS_HOME } from "../../db/primary/serving-process.ts";

const STOCK = 10;
const LATE_CODE = "LATE-1";

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
  refused: number;
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
  // Imported and sold after the restore point: only the lost database knows it.
  const late = await lost.addStocked([{ type: "code", code: LATE_CODE }]);
  await lost.order([late, 1]);
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
  assert.match(
    stderr,
    /1 process of Scrip uses this database.*Stop it first\. If it has ended, run this again in 1[0-5] seconds/,
  );
  assert.equal((await codesInStock()).length, STOCK - 2);
  await restored.rows(sql`delete from processes`);
});

test("a process whose heartbeat came with the dump does not serve the restored database", async () => {
  const [source] = await lost.scrip.db.rows<{ home: string }>(sql`select ${raw(PROCESS_HOME)} as home`);
  const beat = (id: string, home: string | undefined) =>
    restored.rows(sql`
      insert into processes (id, role, host, pid, version, beat_at, home)
      values (${id}, 'worker', 'host', 1, '0', clock_timestamp(), ${home})`);
  await beat("prc_source", source?.home);
  assert.deepEqual(
    (await listProcesses(restored)).map(({ id, isAlive, silentInSeconds }) => [id, isAlive, silentInSeconds]),
    [["prc_source", false, 0]],
  );
  await restored.rows(sql`update processes set home = ${raw(PROCESS_HOME)}`);
  assert.equal((await listProcesses(restored))[0]?.isAlive, true);
  // As a dump does that is restored over the database that it was made of.
  const undo = new Error("back to what it was");
  const restore = restored.transaction(async (tx) => {
    await tx.rows(sql`create table dumped as select * from processes`);
    await tx.rows(sql`drop table processes`);
    await tx.rows(sql`alter table dumped rename to processes`);
    assert.equal((await listProcesses(tx))[0]?.isAlive, false);
    throw undo;
  });
  await assert.rejects(restore, undo);
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
  assert.equal(result.lostOrders?.[0], orderId);
  assert.deepEqual([result.lostOrders?.length, result.refused], [2, 1]);
  assert.deepEqual(
    result.lostTotals?.map(({ orders, total }) => [orders, total.amount]),
    [[2, 400]],
  );
  assert.deepEqual(result.revivedKeys, [lost.buyer.keyId]);
  const inStock = await codesInStock();
  assert.equal(inStock.length, STOCK - 2 - soldIds.length);
  assert.ok(soldIds.every((id) => !inStock.includes(id)));
  await assertHealthy();
});

test("a code that only the lost database knew and sold cannot be imported again", async () => {
  await addUnsuppliedProducts(restored, ["again"]);
  const file = join(folder, "late.csv");
  await writeFile(file, `code\n${LATE_CODE}\nLATE-2\n`);
  const { code, stderr } = await scrip.run(["stock", "import", "--product", "again", file]);
  assert.equal(code, 1);
  assert.match(stderr, /line 2.*was sold before the database was restored/);
  assert.doesNotMatch(stderr, /LATE/);
});

test("a code that the lost database sold is set aside, whenever it was imported here", async () => {
  const before = await codesInStock();
  await restored.rows(sql`update codes set created_at = now() + interval '1 day' where id = ${before[0]}`);
  await lost.scrip.db.rows(sql`update codes set state = 'withdrawn' where id = ${before[0]}`);
  const { setAside } = await reconcile("--lost", lost.scrip.connectionString);
  assert.equal(setAside[0]?.count, 1);
  assert.deepEqual(await codesInStock(), before.slice(1));
});

test("codes that were set aside are not exported in plain text", async () => {
  const [row] = await restored.rows<{ productId: string }>(
    sql`select product_id as "productId" from codes limit 1`,
  );
  const args = ["stock", "export", "--product", row?.productId ?? "", "--reveal", "--reason", "leaving"];
  const { code, stdout } = await scrip.run(args);
  assert.deepEqual([code, stdout], [1, ""]);
});

test("running it again changes nothing", async () => {
  const before = await codesInStock();
  const { setAside, released } = await reconcile("--lost", lost.scrip.connectionString);
  assert.deepEqual([setAside, released], [[], []]);
  assert.deepEqual(await codesInStock(), before);
});

test("what was sold cannot be released by a direct write", async () => {
  await assert.rejects(
    restored.rows(sql`update restored_codes set may_return = true where not may_return`),
    /stays sold/,
  );
  await assert.rejects(restored.rows(sql`delete from restored_codes`), /restored_codes/);
});

test("the restored database itself, a time in the future and an unreadable time are refused", async () => {
  const url = withDatabase(server.connectionString, restoredName);
  const run = async (...args: string[]) => (await scrip.run(["stock", "reconcile-restore", ...args])).stderr;
  assert.match(await run("--since", since, "--lost", url), /--lost is the restored database itself/);
  const template = withDatabase(server.connectionString, server.template);
  assert.match(await run("--since", since, "--lost", template), /was never, before --since/);
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
    /No code had to be set aside\.\n1 code that only the lost .* by an import\.\nLost: 2 orders of rsl_\w+ \(live\), 4\.00 USD\nNow run: scrip audit --full/,
  );
  assert.match(stderr, /2 orders and their debits exist only in the lost database/);
  assert.doesNotMatch(stderr, /revoked/);
});
