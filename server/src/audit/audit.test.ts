import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { addBuyer, addCard, postOrder } from "../../testing/builders/buyers.ts";
import { keepPlans } from "../../testing/database/keep-plans.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { runScrip } from "../../testing/processes/run-scrip.ts";
import { type AuditResult, audit } from "./audit.ts";

let scrip: TestApp;
let orderId: string;

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
  const buyer = await addBuyer(scrip);
  orderId = (await postOrder(scrip, buyer, "one")).json().order.id;
});

after(() => scrip.close());

const runAudit = (...options: string[]) =>
  runScrip(["audit", ...options], {
    DATABASE_URL: scrip.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });

test("an empty database and one with orders are clean, and the audit reports how much it checked", async () => {
  const { ok, invariants } = await audit(keepPlans(scrip.db));
  assert.ok(ok);
  assert.deepEqual(
    invariants.map(({ number, checked }) => [number, checked]),
    [
      [1, 2],
      [2, 3],
      [3, 1],
      [4, 0],
      [5, 1],
      [6, 0],
      [7, 1],
      [8, 1],
      [9, 0],
      [10, 1],
      [11, 7],
      [12, 0],
      [13, 0],
      [14, 0],
      [15, 0],
      [16, 0],
      [17, 0],
      [18, 0],
    ],
  );
  const empty = await createTestDatabase();
  assert.ok((await audit(empty.db)).ok);
  await empty.drop();
});

test("the audit sees one snapshot during concurrent writes", async () => {
  const buyer = await addBuyer(scrip);
  let stopped = false;
  const writing = (async () => {
    for (let n = 0; !stopped; n += 1) await postOrder(scrip, buyer, `while-${n}`);
  })();
  for (let n = 0; n < 20; n += 1) {
    const { ok, invariants } = await audit(keepPlans(scrip.db));
    assert.ok(ok, JSON.stringify(invariants));
    const orders = invariants
      .filter(({ number }) => [3, 5, 7, 8, 10].includes(number))
      .map(({ checked }) => checked);
    assert.equal(new Set(orders).size, 1, `${orders} orders were there`);
  }
  stopped = true;
  await writing;
});

test("scrip audit prints one line per invariant and exits with 0 if all hold", async () => {
  const { code, stdout } = await runAudit();
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 18);
  for (const line of lines) assert.match(line, /^ok {4}\d+\. .+ \(\d+ checked\)$/);
  const json = await runAudit("--json");
  assert.equal(json.code, 0);
  assert.equal((JSON.parse(json.stdout) as AuditResult).ok, true);
});

test("scrip audit lists at most 100 violations and exits with 1", async () => {
  await scrip.db.rows(sql`delete from order_work where order_id = ${orderId}`);
  const text = await runAudit();
  assert.equal(text.code, 1);
  assert.match(text.stdout, /^FAIL {2}7\. .+\n {8}order ord_\w+ is pending but has no work$/m);
  await scrip.db.rows(sql`
    insert into order_work (order_id, due_at) select 'ord_' || n, now() from generate_series(1, 150) n`);
  const json = await runAudit("--json");
  assert.deepEqual([json.code, json.stderr], [1, ""]);
  const result = JSON.parse(json.stdout) as AuditResult;
  assert.deepEqual(Object.keys(result), ["ok", "invariants", "since"]);
  assert.equal(result.ok, false);
  for (const one of result.invariants) {
    assert.deepEqual(Object.keys(one), ["number", "name", "ok", "checked", "violations"]);
    assert.equal(one.ok, one.number !== 7);
    assert.equal(one.violations.length, one.number === 7 ? 100 : 0);
  }
});
