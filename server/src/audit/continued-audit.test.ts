import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { addOrderInState } from "../../testing/builders/fulfilment-rows.ts";
import {
  addSeller,
  HEALTHY_LIVE_ORDERS,
  HEALTHY_TEST_ORDERS,
  type Seller,
} from "../../testing/builders/healthy-orders.ts";
import { keepPlansIn } from "../../testing/database/keep-plans.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Tx } from "../db/database.ts";
import { systemClock } from "../lib/clock.ts";
import { appendEntry } from "../wallet/entry.ts";
import { insertEntry, lockWallet, updateWallet } from "../wallet/queries.ts";
import { type AuditResult, audit, continueAudit } from "./audit.ts";
import { WHOLE } from "./extent.ts";
import { adoptProof, findProof, insertProof } from "./proof-queries.ts";
import { runAudit } from "./record-audit.ts";

/** The builders' entries are a day older. */
const SETTLED_BEFORE = new Date("2030-01-03T00:00:00.000Z");
const ACTOR = { kind: "command", id: "scrip" } as const;

let database: TestDatabase;
let seller: Seller;

/** Orders in every state, with ids from before that day or from after it. */
const addOrders = (when: "old" | "new") =>
  database.db.transaction(async (tx) => {
    const idOf = (id: string) => id.replace("ord_", when === "old" ? "ord_00" : "ord_z");
    for (const order of HEALTHY_LIVE_ORDERS)
      await addOrderInState(tx, seller.live, { ...order, id: idOf(order.id) });
    for (const order of HEALTHY_TEST_ORDERS)
      await addOrderInState(tx, seller.test, { ...order, id: idOf(order.id) });
  });

before(async () => {
  database = await createTestDatabase();
  seller = await addSeller(database.db);
  await addOrders("old");
  await database.db.transaction(async (tx) => {
    await tx.rows(raw("set local session_replication_role = replica"));
    await tx.rows(sql`update events set id = 'evt_00' || id`);
    await tx.rows(sql`update codes set id = 'cod_00' || id`);
  });
  assert.ok((await audit(database.db)).ok);
  await prove();
  await addOrders("new");
});

/** What a clean run on that day leaves. */
async function prove(): Promise<void> {
  const proofId = await database.db.transaction((tx) => insertProof(tx, WHOLE, undefined, SETTLED_BEFORE));
  await database.db.transaction((tx) => adoptProof(tx, proofId, 0n));
}

after(() => database.drop());

const brokenOf = ({ invariants }: AuditResult): Record<number, string[]> =>
  Object.fromEntries(invariants.filter(({ ok }) => !ok).map((one) => [one.number, one.violations]));

/** What an audit since the proof and one of everything find after a damage, which is rolled back. */
async function findAfter(...damage: (string | ((tx: Tx) => Promise<unknown>))[]) {
  const undo = new Error("undo");
  const found: { since: Record<number, string[]>; full: Record<number, string[]> } = { since: {}, full: {} };
  const work = database.db.transaction(async (tx) => {
    await tx.rows(sql`set transaction isolation level repeatable read`);
    await tx.rows(raw("set local session_replication_role = replica"));
    for (const step of damage) await (typeof step === "string" ? tx.rows(raw(step)) : step(tx));
    const planned = await keepPlansIn(tx);
    const db = {
      ...database.db,
      rows: planned.rows,
      transaction: <T>(run: (tx: Tx) => Promise<T>) => run(planned),
    };
    found.since = brokenOf(await continueAudit(db, {}));
    found.full = brokenOf(await continueAudit(db, { isFull: true }));
    throw undo;
  });
  await assert.rejects(work, undo);
  return found;
}

test("an audit that continues a proof checks new orders, and old ones that were not settled", async () => {
  const { ok, since, invariants } = await continueAudit(database.db, {});
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
  assert.deepEqual(since, SETTLED_BEFORE);
  const orders = HEALTHY_LIVE_ORDERS.length + HEALTHY_TEST_ORDERS.length;
  const [old] = await database.db.rows<{ open: bigint; all: bigint }>(sql`
    select count(*) filter (where o.status in ('pending', 'processing', 'failed')
             or exists (select from supplier_attempts a where a.order_id = o.id and a.status = 'open')) as open, count(*) as all
    from orders o where id like 'ord_00%'`);
  assert.ok(old && old.open > 0n && old.open < old.all);
  assert.equal(invariants[2]?.checked, orders + Number(old.open));
});

test("it finds whatever a full audit finds in what has changed", async () => {
  const refundOld = async (tx: Tx) => {
    const head = await lockWallet(tx, seller.live);
    const createdAt = new Date("2030-01-04T00:00:00.000Z");
    const orderId = "ord_00completed";
    const next =
      head &&
      appendEntry(head, {
        id: "ent_late",
        type: "refund",
        amountMinor: 300n,
        orderId,
        note: null,
        createdAt,
      });
    assert.ok(next);
    await insertEntry(tx, next.entry);
    await updateWallet(tx, next.head);
  };
  const { since, full } = await findAfter(
    "update ledger_entries set note = 'x' where order_id = 'ord_zcompleted' and type = 'order'",
    refundOld,
    "update wallets set balance_minor = balance_minor + 1 where reseller_id = 'rsl_other' and environment = 'live'",
    "update orders set total_minor = total_minor + 1 where id = 'ord_zpartly'",
    "update order_lines set refunded_quantity = 0 where order_id = 'ord_ztaken'",
    "delete from codes where order_id = 'ord_zcompleted' and line_index = 1",
    "delete from order_work where order_id in ('ord_00pending', 'ord_zpending')",
    "update order_units set status = 'waiting', delivered_at = null where order_id = 'ord_ztaken_half' and unit_index = 1",
    "delete from events where order_id = 'ord_zcompleted'",
    "update supplier_attempts set product_id = 'other' where order_id in ('ord_zcompleted', 'ord_00partly')",
    `insert into code_reveals (order_id, reseller_id, environment, key_id, request_id, address, code_count, revealed_at)
     values ('ord_00completed', 'rsl_other', 'live', 'key', 'req', '192.0.2.1', 1, '2030-02-01')`,
    `insert into report_orders (environment, hour, reseller_id, currency, orders) values ('live', '2030-02-01', 'rsl_seller', 'USD', 1)`,
    `insert into report_lines (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, sold_minor,
       landed_minor, unlanded_minor, lost_units, lost_minor)
     values ('live', 'rsl_seller', '2030-02-01', 'card', '', 'USD', '', 5, 0, 0, 0, 0)`,
    "insert into key_spending (key_id, hour, spent_minor) values ('key', '2030-02-01', 5)",
  );
  assert.deepEqual(since, full);
  assert.deepEqual(Object.keys(full), ["1", "2", "3", "4", "6", "7", "8", "9", "10", "12", "14", "15"]);
});

test("a change behind the proof is found by a full audit, and one of a proved entry by both", async () => {
  const old = await findAfter(
    "update order_lines set refunded_quantity = 1 where order_id = 'ord_00completed' and line_index = 0",
    "update ledger_entries set note = 'x' where order_id = 'ord_00completed'",
  );
  assert.deepEqual(old.since, {});
  assert.deepEqual(Object.keys(old.full), ["1", "4"]);
  const chain = await findAfter(
    "update ledger_entries set hash = sha256('x') where (reseller_id, environment, sequence) in (select reseller_id, environment, sequence from audit_marks where environment = 'test')",
  );
  for (const found of [chain.since, chain.full])
    assert.ok(
      found[1]?.some((one) => one.endsWith("not the one that was proved before")),
      JSON.stringify(found),
    );
  const marks = await findAfter("update audit_marks set sequence = sequence - 1 where environment = 'test'");
  assert.ok(marks.since[1]?.some((one) => /^the marks of proof \d+ were changed$/.test(one)));
});

test("a run that is interrupted before its result is kept has proved nothing", async () => {
  const known = await findProof(database.db);
  const { proofId } = await continueAudit(database.db, {});
  assert.ok(proofId !== undefined && proofId !== known?.id);
  assert.deepEqual(await findProof(database.db), known);
});

const run = (isFull = false) =>
  runAudit({ db: database.db, clock: systemClock }, ACTOR, { isFull }).then(({ ok, since }) => [ok, since]);

test("after a run with a violation the next one is full and finds it too, even behind the last proof", async () => {
  await database.db.rows(sql`delete from order_work where order_id = 'ord_zpending'`);
  assert.deepEqual(await run(), [false, SETTLED_BEFORE]);
  assert.deepEqual(await run(), [false, undefined]);
  await database.db.rows(sql`insert into order_work (order_id, due_at) values ('ord_zpending', now())`);
  assert.deepEqual(await run(), [true, undefined]);
  const damage = (refunded: number) =>
    database.db.transaction(async (tx) => {
      await tx.rows(raw("set local session_replication_role = replica"));
      await tx.rows(sql`
        update order_lines set refunded_quantity = ${refunded} where order_id = 'ord_00completed' and line_index = 0`);
    });
  await prove();
  await damage(1);
  const meanwhile = await continueAudit(database.db, {});
  assert.deepEqual(await run(true), [false, undefined]);
  assert.ok(meanwhile.proofId, "the damage is behind the proof");
  const { proofId } = meanwhile;
  await database.db.transaction((tx) => adoptProof(tx, proofId, 1n));
  assert.deepEqual(await run(), [false, undefined], "a clean run at the same time hides nothing");
  await damage(0);
  assert.deepEqual(await run(), [true, undefined]);
});

test("a proof of other invariants is not continued", async () => {
  assert.ok(await findProof(database.db));
  const undo = new Error("undo");
  const work = database.db.transaction(async (tx) => {
    await tx.rows(sql`update audit_proofs set invariants_digest = sha256('of an older version')`);
    assert.equal(await findProof(tx), undefined);
    throw undo;
  });
  await assert.rejects(work, undo);
});

test("of two audits at the same time the one with the later snapshot is continued, whichever ends first", async () => {
  const earlier = await continueAudit(database.db, {});
  const later = await continueAudit(database.db, { isFull: true });
  assert.ok(earlier.proofId && later.proofId);
  const adopt = (id: bigint) => database.db.transaction((tx) => adoptProof(tx, id, 1n));
  await adopt(later.proofId);
  await adopt(earlier.proofId);
  assert.equal((await findProof(database.db))?.id, later.proofId);
  const both = await Promise.all([1, 2].map(() => runAudit({ db: database.db, clock: systemClock }, ACTOR)));
  assert.deepEqual(
    both.map(({ ok }) => ok),
    [true, true],
  );
  const rows = await database.db.rows(sql`select from audit_proofs`);
  assert.equal(rows.length, 1);
});
