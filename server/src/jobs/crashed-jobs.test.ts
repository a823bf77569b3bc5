import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { BY, crashAt, joinParts, openJobDesk, stockFile } from "../../testing/builders/job-desk.ts";
import { newId } from "../../testing/builders/new-id.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { addEndpoint, addEvent } from "../../testing/builders/webhook-builders.ts";
import { bankCsv } from "../../testing/deposits/deposit-desk.ts";
import { addBookedPurchases, writeSpoiltStatement } from "../../testing/upstream/sales/booked-purchases.ts";
import { startSupplierFake } from "../../testing/upstream/supplier-fakes.ts";
import { requestDeposit } from "../deposits/request-deposit.ts";
import { secret } from "../lib/secret.ts";
import { sealSupplierConfig } from "../suppliers/supplier-config.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { cancelJob, confirmJob } from "./change-job.ts";
import { readResult } from "./job-files.ts";
import { getJob } from "./list-jobs.ts";
import { runNextJob } from "./run-job.ts";
import { startJob } from "./start-job.ts";

const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;
/** Two steps of an export. */
const ORDERS = 1_100;

const { db, drop, clock, deps, tenant, supplierId, start, runAll, count } = await openJobDesk();
after(drop);
const endpointId = await addEndpoint(db, tenant);
await db.rows(sql`
  insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id, created_at,
                      updated_at)
  select 'ord_' || lpad(n::text, 26, '0'), ${tenant.resellerId}, 'live', n::text, sha256(''), 100, 'USD', 'key', now(), now()
  from generate_series(0, ${ORDERS - 1}::integer) n`);

/** Crashes the job at each of its effects in turn, and lets another worker go on. */
async function crashEverywhere(
  begin: (attempt: number) => Promise<string>,
  check: (id: string) => Promise<void>,
) {
  let crashes = 0;
  for (let point = 1; ; point += 1) {
    const id = await begin(point);
    const crashing = crashAt(db, point);
    await runNextJob({ ...deps, db: crashing.db }).catch(() => {});
    const isDone = crashing.passed() < point;
    if (!isDone) {
      crashes += 1;
      assert.notEqual((await getJob(db, id)).state, "failed", `after a crash at ${point}`);
      clock.advance(LEASE_MS);
      await runAll();
    }
    assert.equal((await getJob(db, id)).state, "succeeded", `crashed at ${point}`);
    assert.equal(
      await count(`from job_parts where job_id = '${id}' and role = 'input'`),
      0,
      "the input is erased",
    );
    await check(id);
    if (isDone) return crashes;
  }
}

test("import_stock: a crash anywhere imports every code once", async () => {
  const codesOf = (attempt: number) => ["a", "b", "c"].map((name) => `CRASH-${attempt}-${name}`);
  let imported = 0;
  const crashes = await crashEverywhere(
    (attempt) => start("import_stock", { productId: "card" }, stockFile(codesOf(attempt))),
    async (id) => {
      imported += 3;
      assert.equal(await count("from codes where state = 'stock'"), imported);
      assert.deepEqual((await getJob(db, id)).result, { imported: 3, level: imported, supplierId });
    },
  );
  assert.ok(crashes >= 6, `${crashes} crashes`);
});

test("import_prices and import_catalog: a preview changes nothing, a crash anywhere imports once", async () => {
  const product = (attempt: number) =>
    `id,name,faceValue.amount,faceValue.currency\nnew-${attempt},New,10,USD\n`;
  const crashes = await crashEverywhere(
    (attempt) => start("import_catalog", { preview: false }, product(attempt)),
    async (id) => assert.deepEqual((await getJob(db, id)).result, { created: 1, updated: 0, unchanged: 0 }),
  );
  assert.ok(crashes >= 5);
  await crashEverywhere(
    (attempt) => start("import_prices", {}, `product,list,currency,amount\ncard,list-${attempt},USD,9.50\n`),
    async (id) => assert.deepEqual((await getJob(db, id)).result, { created: 1, updated: 0, unchanged: 0 }),
  );

  const file = "id,name,faceValue.amount,faceValue.currency\nnew-1,Renamed,10,USD\nnewest,Newest,10,USD\n";
  const preview = await start("import_catalog", { preview: true }, file);
  await runAll();
  const shown = await getJob(db, preview);
  assert.equal(shown.state, "ready");
  assert.deepEqual(shown.result, {
    created: 1,
    updated: 1,
    unchanged: 0,
    changes: [
      { id: "new-1", name: "Renamed", isNew: false, changed: ["name"] },
      { id: "newest", name: "Newest", isNew: true, changed: [] },
    ],
  });
  assert.equal(await count("from products where name in ('Renamed', 'Newest')"), 0);
  const confirmed = await Promise.allSettled([confirmJob(deps, preview, BY), confirmJob(deps, preview, BY)]);
  assert.deepEqual(confirmed.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await runAll();
  assert.deepEqual((await getJob(db, preview)).result, { created: 1, updated: 1, unchanged: 0 });
  assert.equal(await count("from products where name in ('Renamed', 'Newest')"), 2);

  const prices = await start(
    "import_prices",
    { preview: true },
    "product,list,currency,amount\ncard,gold,USD,9.50\n",
  );
  await runAll();
  const { changes, ...counts } = (await getJob(db, prices)).result ?? {};
  assert.deepEqual(counts, { created: 1, updated: 0, unchanged: 0, resellers: 0 });
  assert.equal((changes as unknown[]).length, 1);
  assert.equal(await count("from list_prices where price_list = 'gold'"), 0);
  await cancelJob(deps, prices, BY);
  assert.equal((await getJob(db, prices)).state, "cancelled");
  assert.equal(await count(`from job_parts where job_id = '${prices}'`), 0);
});

test("export_orders: a crash anywhere repeats no order and leaves none out", async () => {
  const crashes = await crashEverywhere(
    () => start("export_orders", { environment: "live" }),
    async (id) => {
      const lines = (await joinParts(readResult(db, id))).trimEnd().split("\r\n");
      assert.equal(lines.length, 1 + ORDERS);
      assert.equal(new Set(lines).size, lines.length);
      assert.match(lines[1] ?? "", /^ord_0+1099,'=One,live,pending,/);
    },
  );
  assert.ok(crashes >= 4);
});

test("recover_events, audit and rotate_vault: a crash anywhere ends in one result", async () => {
  const at = clock.now();
  for (let number = 0; number < 5; number += 1) await addEvent(db, { ...tenant, at });
  const since = new Date(at.getTime() - DAY_MS).toISOString();
  await crashEverywhere(
    async () => {
      await db.rows(sql`delete from deliveries`);
      return start("recover_events", { ...tenant, endpointId, since });
    },
    async (id) => {
      assert.deepEqual((await getJob(db, id)).result, { recovered: 5 });
      assert.equal(await count("from deliveries where status = 'pending'"), 5);
    },
  );
  const runs = await count("from audit_runs");
  let jobs = 0;
  await crashEverywhere(
    () => start("audit"),
    async () => {
      jobs += 1;
      assert.equal(await count("from audit_runs"), runs + jobs, "one result for each job");
    },
  );
  const newer = fixedKeyring([secret(Buffer.alloc(32, 9)), ...deps.keyring.masterKeys()]);
  const rotating = { ...deps, keyring: newer, codeVault: createCodeVault(newer) };
  const id = await start("rotate_vault");
  const crashing = crashAt(db, 12);
  await runNextJob({ ...rotating, db: crashing.db }).catch(() => {});
  clock.advance(LEASE_MS);
  await runNextJob(rotating);
  const { state, result } = await getJob(db, id);
  assert.deepEqual([state, result?.complete, result?.failed], ["succeeded", true, 0]);
});

test("sync_catalog and reconcile_supplier: a crash anywhere keeps one proposal and notes each reversal once", async (t) => {
  const shop = await startSupplierFake("dtone", { seed: 1 });
  t.after(() => shop.fake.close());
  const remoteId = await addSupplierRow(db, { kind: "dtone" });
  const sealed = sealSupplierConfig(deps.keyring, remoteId, shop.config());
  await db.rows(sql`update suppliers set sealed_config = ${sealed} where id = ${remoteId}`);
  const synced = await crashEverywhere(
    () => start("sync_catalog", { supplierId: remoteId }),
    async (id) => assert.equal((await getJob(db, id)).result?.proposedNew, 1),
  );
  assert.ok(synced >= 3, `${synced} crashes`);
  await addBookedPurchases(db, remoteId, 300);
  const reconciled = await crashEverywhere(
    async () => {
      await db.rows(sql`delete from supplier_reversals`);
      return start("reconcile_supplier", { supplierId: remoteId }, writeSpoiltStatement(300));
    },
    async (id) => {
      assert.equal((await getJob(db, id)).result?.newReversals, 1);
      assert.equal(await count("from supplier_reversals"), 1);
    },
  );
  assert.ok(reconciled >= 3, `${reconciled} crashes`);
});

test("import_deposits: a crash anywhere credits each deposit once", async () => {
  const person = newId("stf");
  await db.rows(sql`
    insert into accounts (id, kind, email, name, role, created_at, accepted_at)
    values (${person}, 'staff', 'finance@scrip.example', 'Finance', 'finance', now(), now())`);
  const by = { actor: { kind: "staff", id: person } } as const;
  let credited = 0;
  const crashes = await crashEverywhere(
    async (attempt) => {
      const { deposit } = await requestDeposit(deps, tenant, { amountMinor: 10_000n }, by);
      const file = bankCsv([["2030-01-02", "100.00", "USD", deposit.reference, `bank-${attempt}`]]);
      const input = Buffer.from(file);
      return startJob(deps, { kind: "import_deposits", params: { preview: false, rows: null }, input }, by);
    },
    async () => {
      credited += 1;
      const entries = "from ledger_entries where deposit_id is not null";
      assert.equal(await count(entries), credited);
      assert.equal(await count("from deposits where status = 'credited'"), credited);
      assert.equal(await count("from bank_lines"), credited);
    },
  );
  assert.ok(crashes >= 5, `${crashes} crashes`);
});
