import assert from "node:assert/strict";
import { test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { upgradeRows } from "../../../testing/database/upgrade-rows.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { ATTEMPT_PARTITIONS, keepAttemptPartitions } from "./attempt-partitions.ts";

const DAY_MS = 86_400_000;
const idAt = (atMs: number): string => firstIdAt("dlv", atMs);
const attempt = (id: string, number: number): string =>
  `insert into delivery_attempts (delivery_id, number, at, response_status, latency_ms) values ('${id}', ${number}, now(), 200, 5);`;

test("attempts from before the upgrade are the first partition, and stay unique", async () => {
  const { db, drop } = await createTestDatabase();
  const now = Date.now();
  const rows = [now - 40 * DAY_MS, now]
    .map(
      (at) => `
      insert into events (id, reseller_id, environment, type, body, created_at)
      values ('${idAt(at)}', 'rsl_1', 'live', 'webhook.test', '{}', now());
      insert into deliveries (id, event_id, endpoint_id, status, attempts, created_at, delivered_at)
      values ('${idAt(at)}', '${idAt(at)}', 'whk_1', 'delivered', 2, now(), now());
      ${attempt(idAt(at), 1)} ${attempt(idAt(at), 2)}`,
    )
    .join("");
  const before = `
    insert into resellers (id, name, currency, email, price_list, created_at)
    values ('rsl_1', 'One', 'USD', 'a@b', 'standard', now());
    insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
    values ('whk_1', 'rsl_1', 'live', 'https://hooks.example.com/', now(), now());
    ${rows}`;
  const range = { first: "0095_attempts_within.sql", last: "0097_attempts_by_week.sql", rows: before };
  await upgradeRows(db, range, async (tx) => {
    const kept = await tx.rows(sql`select delivery_id, number from delivery_attempts_first order by 1, 2`);
    assert.equal(kept.length, 4);
    assert.deepEqual(
      await tx.rows(sql`select delivery_id, number from delivery_attempts order by 1, 2`),
      kept,
    );
    const [bound] = await tx.rows<{ bound: string; id: string }>(sql`
      select pg_get_expr(relpartbound, oid) as bound, first_id_at('dlv', ${new Date(now)}) as id
      from pg_class where relname = 'delivery_attempts_first'`);
    assert.equal(bound?.id, idAt(now));
    const week = Math.floor(now / (7 * DAY_MS)) * 7 * DAY_MS;
    assert.equal(bound?.bound, `FOR VALUES FROM (MINVALUE) TO ('${idAt(week + 14 * DAY_MS)}')`);
    const again = await tx.rows(sql`
      insert into delivery_attempts (delivery_id, number, at, response_status, latency_ms)
      values (${idAt(now)}, 2, now(), 200, 5), (${idAt(now)}, 3, now(), 200, 5) on conflict do nothing returning number`);
    assert.deepEqual(again, [{ number: 3 }]);
  });
  await drop();
});

test("workers create the weeks ahead, and drop a week that is older than every delivery", async () => {
  const { db, drop } = await createTestDatabase();
  const now = Date.now();
  const add = (at: number) =>
    db.rows(sql`
    insert into delivery_attempts (delivery_id, number, at, response_status, latency_ms) values (${idAt(at)}, 1, now(), 200, 5)`);
  const count = async () => (await db.rows(sql`select from delivery_attempts`)).length;
  await add(now);
  await add(now + 20 * DAY_MS);
  assert.equal((await db.rows(sql`select from delivery_attempts_default`)).length, 1);
  await keepAttemptPartitions(db, new Date(now + 20 * DAY_MS));
  assert.equal((await db.rows(sql`select from delivery_attempts_default`)).length, 0);
  assert.equal(await count(), 2);
  // The database's clock keeps what another clock would drop.
  await keepAttemptPartitions(db, new Date(now + (ATTEMPT_PARTITIONS.keptDays + 60) * DAY_MS));
  assert.equal(await count(), 2);
  await drop();
});
