import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { createCursorCodec } from "../lib/cursor.ts";
import { createReseller } from "../resellers/create-reseller.ts";
import { appendEntry, type EntryType } from "./entry.ts";
import { exportStatement, listStatement } from "./list-statement.ts";
import { type EntryRow, insertEntry, lockWallet, updateWallet } from "./queries.ts";
import { createSumDays, type SumDays } from "./sum-days.ts";

const { db, drop } = await createTestDatabase();
const clock = createHandClock(new Date("2030-03-01T08:00:00Z"));
const HOUR_MS = 3_600_000;
let tenant: { resellerId: string; environment: "live" };
after(drop);

let made = 0;
const move = (type: EntryType, amountMinor: bigint) =>
  db.transaction(async (tx) => {
    const head = await lockWallet(tx, tenant);
    made += 1;
    const orderId = type === "order" || type === "refund" ? `ord_${made}` : null;
    const movement = { id: `ent_${made}`, type, amountMinor, orderId, note: null, createdAt: clock.now() };
    const next = head && appendEntry(head, movement);
    assert.ok(next);
    await insertEntry(tx, next.entry);
    await updateWallet(tx, next.head);
  });

before(async () => {
  const about = { name: "Shop", currency: "USD", email: "a@b.example" };
  tenant = { resellerId: (await createReseller(db, clock, about)).id, environment: "live" };
  // The ledger is what is read here; there are no orders behind its entries.
  await db.rows(sql`alter table ledger_entries drop constraint if exists ledger_entries_order_id_fkey`);
  await move("deposit", 10_000n);
  await move("order", -1_000n);
  await move("order", -500n);
  clock.advance(24 * HOUR_MS);
  await move("refund", 500n);
  await move("order", -200n);
  await move("adjustment", -50n);
  clock.advance(48 * HOUR_MS);
  await move("order", -300n);
});

const shown = async (sumDays: SumDays, first: string, count: number) =>
  (await sumDays(tenant, new Date(`${first}T12:00:00Z`), count)).map(
    ({ day, orders, refunds, spentMinor, closingMinor }) => [
      day.toISOString().slice(0, 10),
      orders,
      refunds,
      spentMinor,
      closingMinor,
    ],
  );

test("days of a wallet add up to its balance, with orders counted and refunds taken off what was spent", async () => {
  const sumDays = createSumDays(db);
  const expected = [
    ["2030-02-28", 0, 0, 0n, 0n],
    ["2030-03-01", 2, 0, 1_500n, 8_500n],
    ["2030-03-02", 1, 1, -300n, 8_750n],
    ["2030-03-03", 0, 0, 0n, 8_750n],
    ["2030-03-04", 1, 0, 300n, 8_450n],
  ];
  assert.deepEqual(await shown(sumDays, "2030-03-02", 2), expected.slice(2, 4));
  assert.deepEqual(await shown(sumDays, "2030-02-28", 5), expected);
  const [second] = await sumDays(tenant, new Date("2030-03-02T00:00:00Z"), 1);
  assert.deepEqual([second?.adjustedMinor, second?.depositedMinor], [-50n, 0n]);
});

test("a day that can still change is read again, and one that cannot is read once", async () => {
  let statements = 0;
  const sumDays = createSumDays({
    rows(query, options) {
      statements += 1;
      return db.rows(query, options);
    },
  });
  await shown(sumDays, "2030-03-01", 3);
  await shown(sumDays, "2030-03-01", 3);
  assert.equal(statements, 1);
  assert.deepEqual((await shown(sumDays, "2030-03-01", 4)).at(-1)?.slice(1, 3), [1, 0]);
  await move("order", -100n);
  assert.deepEqual((await shown(sumDays, "2030-03-01", 4)).at(-1)?.slice(1, 3), [2, 0]);
  assert.equal(statements, 3);
});

test("a wallet without entries has days without anything", async () => {
  const empty = { ...tenant, environment: "test" as const };
  const days = await createSumDays(db)(empty, new Date("2029-01-01T00:00:00Z"), 2);
  assert.deepEqual(
    days.map(({ orders, spentMinor }) => [orders, spentMinor]),
    [
      [0, 0n],
      [0, 0n],
    ],
  );
});

test("pages of a statement follow each other, and a cursor keeps to its filters", async () => {
  const deps = { db, cursors: createCursorCodec(createSecretKey(Buffer.alloc(32, 1))) };
  const first = await listStatement(deps, tenant, { filters: {}, cursor: undefined, limit: 4 });
  const rest = await listStatement(deps, tenant, { filters: {}, cursor: first.nextCursor, limit: 4 });
  assert.equal(rest.nextCursor, "");
  const all: EntryRow[] = [];
  for await (const row of exportStatement(db, tenant, {})) all.push(row);
  assert.deepEqual(
    [...first.data, ...rest.data].map(({ id }) => id),
    all.map(({ id }) => id),
  );
  assert.equal(all.length, 8);
  const other = { filters: { type: "order" as const }, cursor: first.nextCursor, limit: 4 };
  await assert.rejects(listStatement(deps, tenant, other), { code: "invalid_cursor" });
});
