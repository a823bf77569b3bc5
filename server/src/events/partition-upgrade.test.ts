import assert from "node:assert/strict";
import { test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { upgradeRows } from "../../testing/database/upgrade-rows.ts";
import { firstIdAt } from "../lib/ids.ts";
import { EVENT_PARTITIONS } from "./event-partitions.ts";

const WEEK_MS = 7 * 86_400_000;
const PART_MS = EVENT_PARTITIONS.days * 86_400_000;
const FAR_MS = 100 * 86_400_000;

test("events and deliveries from before the upgrade are the first partitions, stay unique, and are open to the same roles", async () => {
  const { db, drop } = await createTestDatabase();
  const now = Date.now();
  const [old, young] = [firstIdAt("evt", now - 6 * WEEK_MS), firstIdAt("evt", now)];
  // Of a process whose clock was far ahead.
  const ahead = firstIdAt("evt", now + FAR_MS);
  const event = (id: string, cause: string): string => `
    insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
    values ('${id}', 'rsl_1', 'live', 'order.fulfilled', '{}', 'ord_1', '${cause}', now());
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    values (delivery_id('${id}', 'whk_1'), '${id}', 'whk_1', now(), now());`;
  const rows = `
    insert into resellers (id, name, currency, email, price_list, created_at)
    values ('rsl_1', 'One', 'USD', 'a@b', 'standard', now());
    insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
    values ('whk_1', 'rsl_1', 'live', 'https://hooks.example.com/', now(), now());
    ${event(old, "fulfilled")} ${event(young, "ent_1")} ${event(ahead, "ent_2")}
    grant select on events to public;
    grant insert on deliveries to public;`;
  const range = { first: "0110_events_within.sql", last: "0112_events_in_parts.sql", rows };
  await upgradeRows(db, range, async (tx) => {
    const kept = await tx.rows(
      sql`select e.id, d.status from events_first e join deliveries_first d on d.event_id = e.id order by 1`,
    );
    assert.deepEqual(kept, [
      { id: old, status: "pending" },
      { id: young, status: "pending" },
      { id: ahead, status: "pending" },
    ]);
    const found = await tx.rows(
      sql`select e.id, d.status from events e join deliveries d on d.event_id = e.id order by 1`,
    );
    assert.deepEqual(found, kept);
    const bounds = await tx.rows<{ bound: string }>(sql`
      select pg_get_expr(relpartbound, oid) as bound from pg_class
      where oid in ('events_first'::regclass, 'deliveries_first'::regclass) order by relname desc`);
    const end = Math.floor((now + FAR_MS) / PART_MS + 1) * PART_MS;
    assert.deepEqual(
      bounds.map(({ bound }) => bound),
      [firstIdAt("evt", end), firstIdAt("dlv", end)].map((id) => `FOR VALUES FROM (MINVALUE) TO ('${id}')`),
    );
    // Every index of a first partition was there before: none had to be built.
    const made = await tx.rows(sql`
      select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid in ('events_first'::regclass, 'deliveries_first'::regclass) and c.relname !~ '^(events|deliveries)_first_'`);
    assert.deepEqual(made, []);
    const foreign = await tx.rows(sql`
      select conname as name, conparentid <> 0 as "isAdopted" from pg_constraint
      where conrelid = 'deliveries_first'::regclass and contype = 'f'`);
    assert.deepEqual(foreign, [{ name: "deliveries_first_endpoint_id_fkey", isAdopted: true }]);
    const granted = await tx.rows(sql`
      select c.relname::text as name, a.privilege_type as privilege from pg_class c cross join aclexplode(c.relacl) a
      where a.grantee = 0 and c.relname ~ '^(events|deliveries)(_default)?$' order by 1`);
    assert.deepEqual(granted, [
      { name: "deliveries", privilege: "INSERT" },
      { name: "deliveries_default", privilege: "INSERT" },
      { name: "events", privilege: "SELECT" },
      { name: "events_default", privilege: "SELECT" },
    ]);
    await tx.rows(sql`savepoint before`);
    await assert.rejects(
      tx.rows(sql`
        insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
        values (${firstIdAt("evt", end)}, 'rsl_1', 'live', 'order.fulfilled', '{}', 'ord_1', 'fulfilled', ${new Date(end)})`),
      /in another partition/,
    );
    await tx.rows(sql`rollback to savepoint before`);
  });
  await drop();
});
