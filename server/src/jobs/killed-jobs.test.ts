import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { BY, joinParts, openJobDesk, stockFile } from "../../testing/builders/job-desk.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { addEndpoint, addEvent } from "../../testing/builders/webhook-builders.ts";
import { bankCsv } from "../../testing/deposits/deposit-desk.ts";
import { eventually } from "../../testing/eventually.ts";
import { forkNode } from "../../testing/processes/fork-node.ts";
import { addBookedPurchases, writeSpoiltStatement } from "../../testing/upstream/sales/booked-purchases.ts";
import { startSupplierFake } from "../../testing/upstream/supplier-fakes.ts";
import { requestDeposit } from "../deposits/request-deposit.ts";
import { createReseller } from "../resellers/create-reseller.ts";
import { sealSupplierConfig } from "../suppliers/supplier-config.ts";
import { readResult } from "./job-files.ts";
import type { JobParams } from "./job-kind.ts";
import { JOB_KINDS, type JobKindName } from "./kinds.ts";
import { getJob } from "./list-jobs.ts";
import { runNextJob } from "./run-job.ts";

const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;
const CODES = 1_500;
const ORDERS = 20;
/** The third hundred of a spoilt statement begins with a reversal. */
const PURCHASES = 300;

const { db, drop, connectionString, clock, deps, tenant, start, count } = await openJobDesk();
after(drop);
const endpointId = await addEndpoint(db, tenant);
const since = new Date(clock.now().getTime() - DAY_MS).toISOString();
for (let number = 0; number < 5; number += 1) await addEvent(db, { ...tenant, at: clock.now() });
await db.rows(sql`
  insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id, created_at,
                      updated_at)
  select 'ord_' || lpad(n::text, 26, '0'), ${tenant.resellerId}, 'live', n::text, sha256(''), 100, 'USD', 'key', now(), now()
  from generate_series(0, ${ORDERS - 1}::integer) n`);

// The person who starts the jobs, and what the statement pays.
await db.rows(sql`
  insert into accounts (id, kind, email, role, created_at, accepted_at)
  values (${BY.actor.id}, 'staff', 'ana@scrip.example', 'finance', now(), now())`);
const payer = await createReseller(db, clock, { name: "Two", currency: "USD", email: "a@two.example" });
const wallet = { resellerId: payer.id, environment: "live" } as const;
const { deposit } = await requestDeposit(deps, wallet, { amountMinor: 10_000n }, BY);

// A supplier with a catalog and a statement.
const shop = await startSupplierFake("dtone", { seed: 1 });
after(() => shop.fake.close());
const remoteId = await addSupplierRow(db, { kind: "dtone" });
const sealed = sealSupplierConfig(deps.keyring, remoteId, shop.config());
await db.rows(sql`update suppliers set sealed_config = ${sealed} where id = ${remoteId}`);
await addBookedPurchases(db, remoteId, PURCHASES);

type Killed = {
  /** The job waits for this table in the middle of its work. */
  lock: `${string} in ${"exclusive" | "access exclusive"} mode`;
  params?: JobParams;
  input?: string;
  /** What is there once another worker has ended it. */
  check(id: string): Promise<void>;
};

/** Each kind is stopped after it has begun and before its last write. */
const KILLED: Readonly<Record<JobKindName, Killed>> = {
  import_stock: {
    // Its codes are sealed and staged, and not stored yet.
    lock: "codes in exclusive mode",
    params: { productId: "card" },
    input: stockFile(Array.from({ length: CODES }, (_, number) => `KILL-${number}`)),
    async check(id) {
      assert.equal((await getJob(db, id)).result?.imported, CODES);
      assert.equal(await count("from codes"), CODES);
    },
  },
  import_catalog: {
    lock: "products in exclusive mode",
    input: "id,name,faceValue.amount,faceValue.currency\nnewest,Newest,25,USD\n",
    async check(id) {
      assert.deepEqual((await getJob(db, id)).result, { created: 1, updated: 0, unchanged: 0 });
      assert.equal(await count("from products where id = 'newest'"), 1);
    },
  },
  import_prices: {
    lock: "list_prices in exclusive mode",
    input: "product,list,currency,amount\ncard,standard,USD,9.50\n",
    async check(id) {
      assert.deepEqual((await getJob(db, id)).result, { created: 1, updated: 0, unchanged: 0 });
      assert.equal(await count("from list_prices where amount_minor = 950"), 1);
    },
  },
  import_deposits: {
    // The line is recorded and the deposit received, and the wallet is not credited yet.
    lock: "ledger_entries in exclusive mode",
    input: bankCsv([["2030-01-02", "100.00", "USD", deposit.reference]]),
    async check(id) {
      assert.equal((await getJob(db, id)).result?.credited, 1);
      assert.equal(await count("from ledger_entries where deposit_id is not null"), 1);
      assert.equal(await count("from bank_lines"), 1);
    },
  },
  recover_events: {
    lock: "deliveries in exclusive mode",
    params: { ...tenant, endpointId, since },
    async check(id) {
      assert.deepEqual((await getJob(db, id)).result, { recovered: 5 });
      assert.equal(await count("from deliveries where status = 'pending'"), 5);
    },
  },
  audit: {
    lock: "audit_runs in exclusive mode",
    async check() {
      assert.equal(await count("from audit_runs"), 1);
    },
  },
  rotate_vault: {
    lock: "codes in access exclusive mode",
    async check(id) {
      assert.equal((await getJob(db, id)).result?.complete, true);
    },
  },
  export_orders: {
    lock: "job_parts in exclusive mode",
    params: { environment: "live" },
    async check(id) {
      const lines = (await joinParts(readResult(db, id))).trimEnd().split("\r\n");
      assert.deepEqual([lines.length, new Set(lines).size], [1 + ORDERS, 1 + ORDERS]);
    },
  },
  sync_catalog: {
    // The catalog is read, and the proposal is not kept yet.
    lock: "supplier_syncs in exclusive mode",
    params: { supplierId: remoteId },
    async check(id) {
      const { proposedNew, proposedGone } = (await getJob(db, id)).result ?? {};
      assert.deepEqual([proposedNew, proposedGone], [1, 0]);
      assert.equal(await count("from supplier_syncs"), 1);
    },
  },
  reconcile_supplier: {
    lock: "supplier_reversals in exclusive mode",
    params: { supplierId: remoteId },
    input: writeSpoiltStatement(PURCHASES),
    async check(id) {
      const { reversal, newReversals, amount_differs, duplicate } = (await getJob(db, id)).result ?? {};
      assert.deepEqual([reversal, newReversals, amount_differs, duplicate], [1, 1, 1, 1]);
      assert.equal(await count("from supplier_reversals"), 1);
      assert.equal((await joinParts(readResult(db, id))).trimEnd().split("\n").length, 1 + 3);
    },
  },
};

/** Lets a worker in another process come as far as the lock, and kills it there. */
const killAt = (lock: string) =>
  db.transaction(async (tx) => {
    await tx.rows(raw(`lock table ${lock}`));
    const worker = await forkNode("jobs", { connectionString, nowMs: clock.now().getTime() });
    await eventually(`the job waits for ${lock}`, async () => {
      const [table = ""] = lock.split(" ");
      const waiting = await db.rows(sql`
        select from pg_locks where relation = ${table}::regclass and not granted`);
      return waiting.length > 0 ? true : undefined;
    });
    await worker.kill();
    assert.equal((await worker.ended).signal, "SIGKILL");
  });

for (const kind of Object.keys(JOB_KINDS) as JobKindName[])
  test(`kill -9 in the middle of ${kind}: another worker ends it, and nothing happens twice`, async () => {
    const { lock, params = {}, input, check } = KILLED[kind];
    const id = await start(kind, params, input);
    await killAt(lock);
    assert.equal((await getJob(db, id)).state, "running");
    assert.equal(await runNextJob(deps), false, "its lease has not ended yet");
    clock.advance(LEASE_MS);
    // The database may not have noticed yet that the process is gone, and keeps the locks of its transaction until then.
    await eventually("the job is taken again", async () => (await runNextJob(deps)) || undefined);
    assert.equal((await getJob(db, id)).state, "succeeded");
    assert.equal(await runNextJob(deps), false, "it has ended");
    await check(id);
  });
