import assert from "node:assert/strict";
import { test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { upgradeRows } from "../../testing/database/upgrade-rows.ts";

const FIRST_HERE = "0016_event_subjects.sql";
const LAST_HERE = "0017_letters.sql";

test("events and notices from before the upgrade keep their meaning", async () => {
  const { db, drop } = await createTestDatabase();
  await upgradeRows(db, { first: FIRST_HERE, last: LAST_HERE, rows: BEFORE }, async (tx) => {
    const events = await tx.rows<Row>(sql`
      select id, order_id, subject_id, cause, send_twice, bad_signature from events order by id`);
    assert.deepEqual(
      events.map((row) => Object.values(row)),
      [
        ["evt_1", "ord_1", null, "fulfilled", false, false],
        ["evt_2", "ord_2", null, "fulfilled", true, false],
        ["evt_3", "ord_3", null, "fulfilled", false, true],
        ["evt_4", "ord_4", null, "fulfilled", false, false],
        ["evt_5", null, null, null, false, false],
      ],
    );
    const letters = await tx.rows<Row>(
      sql`select cause, recipient, subject, body_text, tries from letters order by id`,
    );
    assert.deepEqual(
      letters.map((row) => Object.values(row)),
      [["notice 2", "a@b", "Two lines", "second", 3]],
    );
    assert.deepEqual(await tx.rows(sql`select body from notices`), [{ body: "first" }]);
  });
  await drop();
});

type Row = Record<string, unknown>;

/** Orders are not needed: only the triggers ask for them, and an unknown order passes. */
const event = (number: number, order: string, scenario: string): string => `
  insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at, test_scenario)
  values ('evt_${number}', 'rsl_1', 'test', 'order.fulfilled', '{}', ${order},
          case when ${order} is not null then 'fulfilled' end, now(), ${scenario});`;

const BEFORE = `
  insert into resellers (id, name, currency, email, price_list, created_at)
  values ('rsl_1', 'One', 'USD', 'a@b', 'standard', now());
  ${event(1, "'ord_1'", "null")}
  ${event(2, "'ord_2'", "'webhook_duplicate'")}
  ${event(3, "'ord_3'", "'webhook_bad_signature'")}
  ${event(4, "'ord_4'", "'webhook_late'")}
  ${event(5, "null::text", "null")}
  insert into webhook_endpoints (id, reseller_id, environment, url, active, created_at, updated_at)
  values ('whk_1', 'rsl_1', 'test', 'https://hooks.example.com/', true, now(), now());
  insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
  select 'dlv_' || id, id, 'whk_1', now(), now() from events;
  insert into notices (reseller_id, environment, kind, recipient, subject, body, created_at, sent_at, tries, next_try_at)
  values ('rsl_1', 'live', 'webhook_disabled', 'a@b', 'One', 'first', now(), now(), 1, now()),
         ('rsl_1', 'live', 'webhook_disabled', E'a@b\\r', E'Two\\nlines', 'second', now(), null, 3, now());`;
