import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "../db/database.ts";
import { supplierStatement } from "./supplier-statement.ts";

let database: TestDatabase;
let db: Db;
let first: string;
let second: string;

const at = (minute: number): Date => new Date(Date.UTC(2030, 0, 1, 12, minute));

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  first = await addSupplierRow(db, { name: "First" });
  second = await addSupplierRow(db, { name: "Second" });
  await attempt({ minute: 1, status: "delivered", cost: [810n, "USD"] });
  await attempt({ minute: 2, status: "delivered", cost: [890n, "USD"] });
  await attempt({ minute: 3, status: "refused", cost: [5_000n, "USD"] });
  await attempt({ minute: 4, status: "quarantined", cost: [1_000n, "USD"], quarantine: "duplicate" });
  await attempt({ minute: 5, status: "open", cost: [700n, "USD"], sends: 2 });
  await attempt({ minute: 6, status: "open", cost: [7n, "JPY"] });
  await attempt({ minute: 7, status: "delivered" });
  await attempt({ minute: 8, status: "open", sends: 1, upstream: "up-1", supplierId: second });
  await attempt({ minute: 9, status: "open", sends: 1, upstream: "up-2", doubted: true, supplierId: second });
  await attempt({
    minute: 10,
    status: "open",
    sends: 1,
    doubted: true,
    writtenOff: true,
    supplierId: second,
  });
  await attempt({ minute: 11, status: "quarantined", quarantine: "late", supplierId: second });
});

after(() => database.drop());

type Seed = {
  minute: number;
  status: "open" | "delivered" | "refused" | "quarantined";
  supplierId?: string;
  cost?: [bigint, string];
  sends?: number;
  upstream?: string;
  doubted?: boolean;
  writtenOff?: boolean;
  quarantine?: "duplicate" | "late";
};

/** Each attempt is one for a unit of its own, of an order named after its minute. */
async function attempt(seed: Seed): Promise<void> {
  const { minute, status, supplierId = first, cost = [null, null] } = seed;
  const orderId = `ord_${minute}`;
  const resolvedAt = status === "open" ? null : at(minute + 1);
  const writtenOffAt = seed.writtenOff ? at(minute + 1) : null;
  await db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   cost_minor, cost_currency, status, failure_code, upstream_id, doubtful,
                                   doubted_failure_code, sends, opened_at, resolved_at, written_off_at, next_look_at)
    values (${orderId}, 1, ${minute}, 2, 'live', 'card', ${supplierId}, 'card', ${cost[0]}, ${cost[1]}, ${status},
            ${status === "refused" ? "out_of_stock" : null}, ${seed.upstream ?? null}, ${seed.doubted ?? false},
            ${seed.doubted ? "out_of_stock" : null}, ${seed.sends ?? 0}, ${at(minute)}, ${resolvedAt}, ${writtenOffAt},
            ${writtenOffAt})`);
  if (!seed.quarantine) return;
  await db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, order_id, line_index, unit_index,
                       quarantine_reason)
    values (${`cod_${minute}`}, 'live', 'card', ${supplierId}, 'quarantined', 'code', '\\x00', ${orderId}, 1, ${minute},
            ${seed.quarantine})`);
}

const EVERYTHING = { supplierId: undefined, from: undefined, to: undefined };
const money = (amount: number, currency: string, minorUnitExponent: number) => ({
  amount,
  currency,
  minorUnitExponent,
});
const none = { bought: 0, delivered: 0, quarantined: 0, refused: 0, notMade: 0, unknown: 0 };

test("counts and costs are those of each supplier and currency, and what is refused costs nothing", async () => {
  const { data } = await supplierStatement(db, EVERYTHING, 100);
  assert.deepEqual(data, [
    {
      supplierId: first,
      supplierName: "First",
      currency: "JPY",
      ...none,
      unknown: 1,
      cost: money(0, "JPY", 0),
      unknownCost: money(7, "JPY", 0),
    },
    {
      supplierId: first,
      supplierName: "First",
      currency: "USD",
      bought: 3,
      delivered: 2,
      quarantined: 1,
      refused: 1,
      notMade: 0,
      unknown: 1,
      cost: money(2_700, "USD", 2),
      unknownCost: money(700, "USD", 2),
    },
    { supplierId: first, supplierName: "First", ...none, bought: 1, delivered: 1 },
    { supplierId: second, supplierName: "Second", ...none, bought: 1, quarantined: 1, unknown: 3 },
  ]);
});

test("what is in quarantine or unknown is listed with why, newest first, and nothing else is", async () => {
  const { attempts, hasMoreAttempts } = await supplierStatement(db, EVERYTHING, 100);
  assert.deepEqual(
    attempts.map(({ orderId, status, reason }) => [orderId, status, reason]),
    [
      ["ord_11", "quarantined", "late"],
      ["ord_10", "unknown", "written_off"],
      ["ord_9", "unknown", "doubted"],
      ["ord_8", "unknown", "accepted"],
      ["ord_6", "unknown", "not_sent"],
      ["ord_5", "unknown", "no_answer"],
      ["ord_4", "quarantined", "duplicate"],
    ],
  );
  assert.deepEqual(attempts[0], {
    supplierId: second,
    orderId: "ord_11",
    lineIndex: 1,
    unitIndex: 11,
    attempt: 2,
    productId: "card",
    status: "quarantined",
    reason: "late",
    openedAt: "2030-01-01T12:11:00.000Z",
  });
  assert.equal(hasMoreAttempts, false);
});

test("the list is as long as was asked for, and says when there is more", async () => {
  const all = await supplierStatement(db, EVERYTHING, 7);
  assert.deepEqual([all.attempts.length, all.hasMoreAttempts], [7, false]);
  const some = await supplierStatement(db, EVERYTHING, 6);
  assert.deepEqual([some.attempts.length, some.hasMoreAttempts], [6, true]);
  assert.deepEqual(some.data, all.data);
});

test("one supplier, and a time from which and before which, choose both sums and list", async () => {
  const ofSecond = await supplierStatement(db, { ...EVERYTHING, supplierId: second }, 100);
  assert.deepEqual([ofSecond.data.length, ofSecond.attempts.length], [1, 4]);
  const between = await supplierStatement(db, { ...EVERYTHING, from: at(2), to: at(5) }, 100);
  assert.deepEqual(
    between.data.map((row) => [row.currency, row.bought, row.refused, row.unknown, row.cost?.amount]),
    [["USD", 2, 1, 0, 1_890]],
  );
  assert.deepEqual(
    between.attempts.map(({ orderId }) => orderId),
    ["ord_4"],
  );
  const nothing = await supplierStatement(db, { ...EVERYTHING, from: at(30) }, 100);
  assert.deepEqual(nothing, { data: [], attempts: [], hasMoreAttempts: false });
});

test("a supplier that is none is an error, not an empty statement", async () => {
  await assert.rejects(
    supplierStatement(db, { ...EVERYTHING, supplierId: "sup_none" }, 100),
    /there is no supplier sup_none/,
  );
});
