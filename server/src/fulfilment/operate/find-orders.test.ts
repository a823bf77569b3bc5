import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addOrder } from "../../../testing/builders/builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { systemClock } from "../../lib/clock.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { createReseller } from "../../resellers/create-reseller.ts";
import { findOrders, type OrderSearch } from "./find-orders.ts";

const NOW = new Date("2030-01-31T12:00:00.000Z");
const MINUTE_MS = 60_000;
const timeAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * MINUTE_MS);
const idAt = (minutesAgo: number): string => firstIdAt("ord", timeAgo(minutesAgo).getTime());

const [FRESH, WAITING, LOST, HELD, DONE, SANDBOX] = [1, 20, 30, 40, 50, 60].map(idAt) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

let database: TestDatabase;
let corner: string;
let other: string;

before(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const add = async (name: string) =>
    (await createReseller(db, systemClock, { name, currency: "USD", email: "a@b.example" })).id;
  corner = await add("Corner");
  other = await add("Other");
  for (const id of [FRESH, WAITING, LOST, HELD])
    await addOrder(db, { id, resellerId: corner, environment: "live" });
  await addOrder(db, { id: DONE, resellerId: other, environment: "live" });
  await addOrder(db, { id: SANDBOX, resellerId: corner, environment: "test" });
  await db.rows(sql`insert into order_work (order_id, due_at)
    select id, created_at from unnest(${[FRESH, WAITING, LOST, SANDBOX]}::text[]) id cross join now() created_at`);
  await move([WAITING, LOST, HELD, DONE], "processing");
  await move([HELD], "failed");
  await move([DONE], "completed");
  await db.rows(sql`update orders set refund_held = true where id = ${HELD}`);
  await db.rows(sql`update orders set reference = 'invoice-1' where id = ${DONE}`);
  await db.rows(sql`update order_lines set product_id = 'game' where order_id = ${DONE}`);
  for (const [id, openedAt] of [
    [LOST, timeAgo(30)],
    [WAITING, new Date(NOW.getTime() - 1_000)],
  ] as const)
    await db.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     status, opened_at)
      values (${id}, 0, 0, 1, 'live', 'card', 'sup_x', 'card', 'open', ${openedAt})`);
});
after(() => database.drop());

const move = (ids: readonly string[], status: string) =>
  database.db.rows(sql`update orders set status = ${status} where id = any(${ids}::text[])`);

const find = async (search: Omit<OrderSearch, "limit">): Promise<string[]> =>
  (await findOrders(database.db, { ...search, limit: 10 }, NOW)).orders.map(({ id }) => id);

test("orders of all resellers come newest first, in pages", async () => {
  assert.deepEqual(await find({}), [FRESH, WAITING, LOST, HELD, DONE, SANDBOX]);
  const page = await findOrders(database.db, { limit: 2 }, NOW);
  assert.deepEqual([page.orders.map(({ id }) => id), page.hasMore], [[FRESH, WAITING], true]);
  const last = await findOrders(database.db, { limit: 4, beforeId: WAITING }, NOW);
  assert.deepEqual([last.orders.map(({ id }) => id), last.hasMore], [[LOST, HELD, DONE, SANDBOX], false]);
});

const FILTERS: [string, () => Omit<OrderSearch, "limit">, readonly string[]][] = [
  ["status", () => ({ status: ["failed"] }), [HELD]],
  ["an unfinished status", () => ({ status: ["processing"] }), [WAITING, LOST]],
  ["reseller", () => ({ resellerId: other }), [DONE]],
  ["environment", () => ({ environment: "test" }), [SANDBOX]],
  ["product", () => ({ productId: "game" }), [DONE]],
  ["reference", () => ({ reference: "invoice-1" }), [DONE]],
  ["age", () => ({ createdFrom: timeAgo(40), createdTo: timeAgo(20) }), [LOST, HELD]],
  ["a refund on hold", () => ({ held: true }), [HELD]],
  ["stuck: unfinished for a quarter of an hour", () => ({ stuck: true }), [WAITING, LOST, SANDBOX]],
  ["unknown: a purchase without an outcome for a minute", () => ({ unknown: true }), [LOST]],
  ["two at once", () => ({ stuck: true, environment: "live", resellerId: corner }), [WAITING, LOST]],
];
for (const [name, search, expected] of FILTERS) {
  test(`orders are found by ${name}`, async () => assert.deepEqual(await find(search()), expected));
}

test("a lost answer counts as unknown at once", async () => {
  await database.db.rows(sql`update supplier_attempts set doubtful = true where order_id = ${WAITING}`);
  assert.deepEqual(await find({ unknown: true }), [WAITING, LOST]);
});
