import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addBuyer, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { explain } from "../../testing/database/explain.ts";
import { keepPlans } from "../../testing/database/keep-plans.ts";
import {
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../testing/upstream/scripted-supplier.ts";
import { wideTest } from "../../testing/wide-test.ts";
import { audit } from "../audit/audit.ts";
import type { Db, Statement, Tx } from "../db/database.ts";
import { followWrittenOff } from "../fulfilment/operate/follow-written-off.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import { isCurrency, minorUnitExponent } from "../lib/currencies.ts";
import { countFacts } from "./count-facts.ts";
import { findCountable, readByKey } from "./count-queries.ts";
import { TIME_BOUNDS_MS } from "./time-classes.ts";

/** Small, so that a few orders need several transactions. */
const LIMITS = { walletsMax: 1, entriesMax: 2, allEntriesMax: 2, changesMax: 2 };
const HOUR_MS = 3_600_000;

let shop: Shop;
let db: Db;
let supplierId: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;

before(async () => {
  shop = await openShop();
  db = shop.scrip.db;
  supplierId = await addSupplierRow(db, { kind: "scrip" });
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
});
after(() => shop.close());

async function countAll(of: Db = db): Promise<void> {
  while (await countFacts({ db: of, clock: shop.clock }, LIMITS));
}

const assertProven = async (): Promise<void> => {
  const proven = (await audit(keepPlans(db))).invariants.find(({ number }) => number === 12);
  assert.deepEqual(proven?.violations, []);
};

/** Of all that was counted so far, whatever the hour. */
async function totals(): Promise<Record<string, bigint>> {
  const [row] = await db.rows<Record<string, bigint>>(sql`
    select sum(orders)::bigint as orders, sum(sold_minor)::bigint as sold, sum(refunds)::bigint as refunds,
           sum(refunded_minor)::bigint as refunded, sum(completed)::bigint as completed,
           sum(completed_in_part)::bigint as partly, sum(failed)::bigint as failed,
           (select sum(delivered_units)::bigint from report_lines) as delivered,
           (select sum(bought_units)::bigint from report_lines) as bought,
           (select sum(cost_minor)::bigint from report_lines) as cost,
           (select sum(returned_minor)::bigint from report_lines) as returned
    from report_orders`);
  return row ?? {};
}

/** A database whose next transaction has done its work and commits only when it is let go. */
function heldBack(): { db: Db; reached: Promise<void>; done: () => void } {
  let done = () => {};
  let reach = () => {};
  const gate = new Promise<void>((resolve) => {
    done = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const transaction: Db["transaction"] = (work) =>
    db.transaction(async (tx) => {
      const result = await work(tx);
      reach();
      await gate;
      return result;
    });
  return { db: { ...db, transaction }, reached, done };
}

test("the classes of times are the same in SQL", async () => {
  const cases = TIME_BOUNDS_MS.flatMap((bound, index) => [
    [bound, index],
    [bound + 1, index + 1],
  ]);
  const rows = await db.rows<{ bucket: number }>(sql`
    select report_bucket(ms) as bucket from unnest(${cases.map(([ms]) => ms)}::bigint[]) with ordinality t (ms, n) order by n`);
  assert.deepEqual(
    rows.map(({ bucket }) => bucket),
    cases.map(([, bucket]) => bucket),
  );
});

test("the decimals of every currency are the same in SQL", async () => {
  const codes = Intl.supportedValuesOf("currency").filter(isCurrency);
  const rows = await db.rows<{ code: string; decimals: number }>(
    sql`select code, currency_exponent(code) as decimals from unnest(${[...codes, "CLF", "UYW"]}::text[]) code`,
  );
  for (const { code, decimals } of rows) assert.equal(decimals, minorUnitExponent(code), code);
});

test("an amount is converted exactly and rounded half up, and one that nothing can hold is not known", async () => {
  const cases = [
    ["975", "USD", "EUR", "0.9215", "898"],
    ["1", "USD", "EUR", "0.5", "1"],
    ["49", "USD", "JPY", "1", "0"],
    ["50", "USD", "JPY", "1", "1"],
    ["-50", "USD", "JPY", "1", "-1"],
    ["1", "JPY", "KWD", "0.0020499999", "2"],
    ["7", "EUR", "EUR", null, "7"],
    ["7", "EUR", "USD", null, null],
    ["9007199254740991", "USD", "VND", "26000", null],
  ];
  for (const [amount, from, to, rate, expected] of cases) {
    const [row] = await db.rows<{ minor: string | null }>(
      sql`select converted_minor(${amount}::bigint, ${from}, ${to}, ${rate}::numeric)::text as minor`,
    );
    assert.equal(row?.minor, expected, `${amount} ${from} at ${rate} in ${to}`);
  }
});

test("sales, refunds, deliveries and purchases are counted once, in the hours in which they happened", async () => {
  const stocked = await shop.addStocked(3);
  const bought = await shop.addBought(supplierId);
  supplier.answers = [sold("A-1"), refused("rejected_by_issuer"), refused("rejected_by_issuer")];
  const whole = await shop.order([stocked, 2], [bought, 1]);
  shop.clock.advance(700);
  await worker.drain();
  await shop.order([stocked, 1], [bought, 1]);
  await worker.drain();
  await shop.order([bought, 1]);
  await worker.drain();
  await assertProven();
  await countAll();
  await assertProven();
  assert.deepEqual(await totals(), {
    ...{ orders: 3n, sold: 600n, refunds: 2n, refunded: 200n, completed: 1n, partly: 1n, failed: 1n },
    ...{ delivered: 4n, bought: 4n, cost: 320n, returned: 0n },
  });
  shop.clock.advance(5 * HOUR_MS);
  await refundOrder(db, shop.clock, { orderId: whole, lines: [1], reason: "returned" });
  shop.clock.advance(HOUR_MS);
  await refundOrder(db, shop.clock, { orderId: whole, lines: undefined, reason: "the rest" });
  await countAll();
  await countAll();
  const { refunds, refunded, returned, completed } = await totals();
  assert.deepEqual([refunds, refunded, returned, completed], [4n, 500n, 300n, 1n]);
  const byHour = await db.rows(sql`
    select product_id as id, supplier_id as by, cost_currency as in, returned_minor as amount from report_lines
    where returned_minor > 0 order by hour`);
  assert.deepEqual(byHour, [
    { id: bought, by: supplierId, in: "USD", amount: 100n },
    { id: stocked, by: shop.stockSupplierId, in: "USD", amount: 200n },
  ]);
  const times = await db.rows(
    sql`select sum(count)::integer as n, dimension as of from report_times group by 2 order by 2`,
  );
  assert.deepEqual(times, [
    { of: "product", n: 4 },
    { of: "reseller", n: 2 },
    { of: "supplier", n: 4 },
  ]);
  await assertProven();
});

test("a purchase that was written off and turns out to be made is counted when that is known", async () => {
  const before = await totals();
  const bought = await shop.addBought(supplierId);
  supplier.answers = [lost];
  const id = await shop.order([bought, 1]);
  await worker.drain();
  await refundOrder(db, shop.clock, { orderId: id, lines: undefined, reason: "it never came" });
  await countAll();
  assert.equal((await totals()).bought, before.bought);
  supplier.answers = [sold("LATE-1")];
  shop.clock.advance(2 * HOUR_MS);
  await followWrittenOff(worker.deps);
  await assertProven();
  await countAll();
  await assertProven();
  const { bought: units, cost } = await totals();
  assert.deepEqual([units, cost], [(before.bought ?? 0n) + 1n, (before.cost ?? 0n) + 80n]);
});

test("a transaction that commits after later ones were counted is counted all the same", async () => {
  const stocked = await shop.addStocked(3);
  const id = await shop.order([stocked, 1]);
  await worker.drain();
  await countAll();
  const before = await totals();
  const refund = heldBack();
  const refunding = refundOrder(refund.db, shop.clock, { orderId: id, lines: undefined, reason: "slow" });
  await refund.reached;
  const other = await addBuyer(shop.scrip, "100.00");
  const place = (name: string) =>
    postOrder(shop.scrip, other, name, { lines: [{ productId: stocked, quantity: 1 }] });
  assert.equal((await place("first")).statusCode, 202);
  const settle = heldBack();
  const slow = createTestFulfiller({ ...shop.scrip, db: settle.db });
  const settling = slow.step().then(() => slow.idle());
  await settle.reached;
  assert.equal((await place("second")).statusCode, 202);
  // One step: the first order stays due until its transaction has ended, and is skipped.
  await worker.step();
  await countAll();
  await assertProven();
  const { refunds, completed } = await totals();
  assert.deepEqual([refunds, completed], [before.refunds, (before.completed ?? 0n) + 1n]);
  refund.done();
  settle.done();
  await Promise.all([refunding, settling]);
  await assertProven();
  await countAll();
  await assertProven();
  const last = await totals();
  assert.deepEqual(
    [last.refunds, last.completed],
    [(before.refunds ?? 0n) + 1n, (before.completed ?? 0n) + 2n],
  );
});

test("a process that dies between any two statements leaves nothing half counted", async () => {
  const stocked = await shop.addStocked(3);
  for (let order = 0; order < 3; order += 1) await shop.order([stocked, 1]);
  await worker.drain();
  const before = await totals();
  for (let dies = 1; dies <= 9; dies += 1) {
    const dying: Db = {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          let statements = 0;
          const rows: Tx["rows"] = async <Row>(statement: Statement): Promise<Row[]> => {
            statements += 1;
            const answer = await tx.rows<Row>(statement);
            if (statements === dies) await tx.rows(sql`select pg_terminate_backend(pg_backend_pid())`);
            return answer;
          };
          return work({ ...tx, rows });
        }),
    };
    await assert.rejects(countFacts({ db: dying, clock: shop.clock }));
    assert.deepEqual(await totals(), before, `after statement ${dies}`);
    await assertProven();
  }
  await countAll();
  await assertProven();
  assert.equal((await totals()).completed, (before.completed ?? 0n) + 3n);
});

test("each change finds its order by key, also while nothing has analysed the tables", async () => {
  const stocked = await shop.addStocked(2);
  for (let order = 0; order < 2; order += 1) await shop.order([stocked, 1]);
  await worker.drain();
  await db.transaction(async (tx) => {
    await readByKey(tx);
    const { plan } = await explain({ ...db, rows: tx.rows }, (own) => own.rows(findCountable(10)));
    assert.match(plan, /Index Scan ledger_entries_order_debit: 1 rows/);
    assert.doesNotMatch(plan, /Bitmap/);
  });
  await countAll();
});

wideTest(
  "wallets that sell at the same time are counted in one transaction, until it has enough entries",
  async () => {
    const stocked = await shop.addStocked(30);
    const lines = [{ productId: stocked, quantity: 1 }];
    const buyers = await Promise.all(Array.from({ length: 25 }, () => addBuyer(shop.scrip, "100.00")));
    const sell = async (name: string) => {
      for (const buyer of buyers)
        assert.equal((await postOrder(shop.scrip, buyer, name, { lines })).statusCode, 202);
    };
    await countAll();
    await sell("first");
    const before = await totals();
    assert.equal(await countFacts({ db, clock: shop.clock }), false);
    assert.equal((await totals()).orders, (before.orders ?? 0n) + 25n);
    await sell("second");
    const few = { walletsMax: 100, entriesMax: 10, allEntriesMax: 3, changesMax: 10 };
    assert.equal(await countFacts({ db, clock: shop.clock }, few), true);
    assert.equal((await totals()).orders, (before.orders ?? 0n) + 28n);
    await countAll();
    await worker.drain();
    await countAll();
    await assertProven();
  },
);

test("processes that count at the same time, beside placements and fulfilment, count each thing once", async () => {
  const stocked = await shop.addStocked(30);
  const before = await totals();
  let isDone = false;
  const counting = [1, 2, 3].map(async () => {
    while (!isDone) await countFacts({ db, clock: shop.clock }, LIMITS);
  });
  for (let round = 0; round < 6; round += 1) {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => shop.order([stocked, 1])));
    await worker.drain();
    await Promise.all(
      ids
        .slice(0, 2)
        .map((orderId) => refundOrder(db, shop.clock, { orderId, lines: undefined, reason: "race" })),
    );
  }
  isDone = true;
  await Promise.all(counting);
  await countAll();
  await assertProven();
  const now = await totals();
  assert.deepEqual(
    [now.orders, now.completed, now.refunds].map(
      (count, n) => (count ?? 0n) - ([before.orders, before.completed, before.refunds][n] ?? 0n),
    ),
    [30n, 30n, 12n],
  );
  const [state] = await db.rows<{ at: Date }>(sql`select complete_until as at from report_state`);
  assert.deepEqual(state?.at, shop.clock.now());
});
