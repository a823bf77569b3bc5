import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { createLog } from "../../lib/log.ts";
import { recordAttempts } from "../delivery/record-attempts.ts";
import { watchFailing } from "./watch-failing.ts";

const HOUR_MS = 3_600_000;
const TOKEN = "00000000-0000-4000-8000-000000000001";
const URL_TEXT = "https://hooks.example.com:8443/in/secret-path?token=hunter2";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
const lines: string[] = [];
const log = createLog("debug", { write: (line) => void lines.push(line) });
const watch = () => watchFailing({ db, clock, log });

await db.rows(sql`
  insert into resellers (id, name, currency, email, price_list, created_at)
  values ('rsl_1', 'One', 'USD', 'owner@one.example', 'standard', now())`);

beforeEach(() =>
  db.rows(
    sql`truncate webhook_endpoints, events, deliveries, delivery_attempts, webhook_lanes, letters cascade`,
  ),
);

test("the owner gets a letter at 24 h and at 72 h, once each", async () => {
  await addEndpoint("whk_1");
  await attempt("whk_1", false);
  await advance(24 * HOUR_MS - 1, "whk_1");
  await watch();
  assert.deepEqual(await kinds(), []);
  await advance(1, "whk_1");
  await watch();
  await watch();
  assert.deepEqual(await kinds(), ["24h"]);
  await advance(48 * HOUR_MS - 1, "whk_1");
  await watch();
  assert.deepEqual(await kinds(), ["24h"]);
  await advance(1, "whk_1");
  await watch();
  await watch();
  assert.deepEqual(await kinds(), ["24h", "72h"]);
});

test("an owner who missed the letter at 24 h gets only the one at 72 h", async () => {
  await addEndpoint("whk_1");
  await attempt("whk_1", false);
  await advance(73 * HOUR_MS, "whk_1");
  await watch();
  await watch();
  assert.deepEqual(await kinds(), ["72h"]);
});

test("after 5 days an endpoint is disabled by its tenth failure and not by its ninth", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 9; count += 1) await attempt("whk_1", false);
  await advance(121 * HOUR_MS, "whk_1");
  await watch();
  assert.deepEqual(await endpoint("whk_1"), { active: true, notified: "72h", failures: 9 });
  await attempt("whk_1", false);
  await watch();
  assert.deepEqual(await endpoint("whk_1"), { active: false, notified: "disabled", failures: 10 });
  await watch();
  assert.deepEqual(await kinds(), ["72h", "disabled"]);
  const log = await db.rows(sql`select actor_kind as actor, action, object_id as id from activity`);
  assert.deepEqual(log, [{ actor: "system", action: "webhook.disabled", id: "whk_1" }]);
});

test("ten failures in less than 5 days disable nothing", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 30; count += 1) await attempt("whk_1", false);
  await advance(120 * HOUR_MS - 1, "whk_1");
  await watch();
  assert.deepEqual(await endpoint("whk_1"), { active: true, notified: "72h", failures: 30 });
  await advance(1, "whk_1");
  await watch();
  assert.equal((await endpoint("whk_1"))?.active, false);
});

test("a success in between restarts the count", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 20; count += 1) await attempt("whk_1", false);
  await advance(119 * HOUR_MS, "whk_1");
  await watch();
  await attempt("whk_1", true);
  await attempt("whk_1", false);
  await advance(23 * HOUR_MS, "whk_1");
  await watch();
  assert.deepEqual(await endpoint("whk_1"), { active: true, notified: "nothing", failures: 1 });
  await advance(HOUR_MS, "whk_1");
  await watch();
  assert.deepEqual(await kinds(), ["72h", "24h"]);
});

test("waiting deliveries of a disabled endpoint end as failed; others go on", async () => {
  await addEndpoint("whk_1");
  await addEndpoint("whk_2");
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  await attempt("whk_2", false);
  await advance(120 * HOUR_MS, "whk_1", "whk_2");
  await watch();
  assert.deepEqual(await statuses("whk_1"), ["failed"]);
  assert.deepEqual(await statuses("whk_2"), ["pending", "pending"], "its own, and the news about the other");
});

test("a disabled endpoint is an event once, for the other endpoints of its tenant", async () => {
  await addEndpoint("whk_1");
  await addEndpoint("whk_2");
  const failingSince = clock.now().toISOString();
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  await advance(120 * HOUR_MS, "whk_1");
  await watch();
  await watch();
  const told = await db.rows<{ data: unknown; environment: string; endpointId: string }>(sql`
    select e.body::json -> 'data' as data, e.environment, d.endpoint_id as "endpointId"
    from events e join deliveries d on d.event_id = e.id where e.type = 'endpoint.disabled'`);
  const data = { webhook_id: "whk_1", failing_since: failingSince };
  assert.deepEqual(told, [{ data, environment: "live", endpointId: "whk_2" }]);
});

test("a delivery that is being recorded is skipped, and ended by the next sweep, without a deadlock", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  await addDelivery("whk_1");
  await advance(120 * HOUR_MS, "whk_1");
  await db.transaction(async (tx) => {
    // As recordAttempts does: the delivery first, then the endpoint.
    await tx.rows(sql`select from deliveries where id = (select min(id) from deliveries) for update`);
    await watch();
    await tx.rows(sql`select from webhook_endpoints where id = 'whk_1' for update`);
  });
  assert.deepEqual(await statuses("whk_1"), ["failed", "pending"]);
  await watch();
  assert.deepEqual(await statuses("whk_1"), ["failed", "failed"]);
});

test("an endpoint that is enabled again starts from zero", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  await advance(120 * HOUR_MS, "whk_1");
  await watch();
  await db.rows(sql`
    update webhook_endpoints set active = true, failing_since = null, failures = 0, notified = 'nothing'`);
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  await watch();
  assert.deepEqual(await kinds(), ["disabled"]);
  await advance(24 * HOUR_MS, "whk_1");
  await watch();
  assert.deepEqual(await kinds(), ["disabled", "24h"]);
});

test("an endpoint that its owner has switched off causes no letter, and its waiting deliveries end", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  await db.rows(sql`update webhook_endpoints set active = false`);
  await advance(200 * HOUR_MS, "whk_1");
  await watch();
  assert.deepEqual(await kinds(), []);
  assert.deepEqual(await statuses("whk_1"), ["failed"]);
});

test("after an outage of ours an endpoint is tried before it is judged", async () => {
  await addEndpoint("whk_1");
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  clock.advance(130 * HOUR_MS);
  await watch();
  assert.deepEqual(await endpoint("whk_1"), { active: true, notified: "nothing", failures: 10 });
  await leaseLane("whk_1");
  await attempt("whk_1", true);
  await watch();
  assert.deepEqual(await kinds(), []);
});

test("two workers at once write one letter for each endpoint", async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `whk_${index}`);
  for (const id of ids) {
    await addEndpoint(id);
    await attempt(id, false);
  }
  await advance(24 * HOUR_MS, ...ids);
  await Promise.all([watch(), watch(), watch(), watch()]);
  await watch();
  const rows = await db.rows<{ cause: string }>(sql`select cause from letters`);
  assert.deepEqual(rows.map(({ cause }) => /whk_\d+/.exec(cause)?.[0]).sort(), ids.toSorted());
});

test("a letter says where, since when, how often and what to do, and names only the host of the URL", async () => {
  await addEndpoint("whk_1");
  const since = clock.now().toISOString();
  for (let count = 0; count < 10; count += 1) await attempt("whk_1", false);
  for (const hours of [24, 48, 48]) {
    await advance(hours * HOUR_MS, "whk_1");
    await watch();
  }
  const letters = await db.rows<{
    recipient: string;
    subject: string;
    body: string;
  }>(sql`select recipient, subject, body_text as body from letters order by id`);
  assert.equal(letters.length, 3);
  for (const { recipient, subject, body } of letters) {
    assert.equal(recipient, "owner@one.example");
    assert.match(subject, /hooks\.example\.com:8443/);
    assert.match(body, /hooks\.example\.com:8443 \(whk_1, live\)/);
    assert.ok(body.includes(`${since.slice(0, 10)} ${since.slice(11, 16)} UTC`), body);
    assert.match(body, /10 attempts/);
    assert.match(body, /PATCH \/v1\/webhooks\/whk_1 with \{"active": true\}/);
    assert.ok(body.includes(`POST /v1/webhooks/whk_1/recover with {"since": "${since}"}`));
  }
  const told = `${JSON.stringify(letters)}${lines.join("")}`;
  assert.doesNotMatch(told, /hunter2|secret-path|token/);
  assert.deepEqual(
    letters.map(({ subject }) => subject.replace(/^.*8443 /, "")),
    ["has been failing for 24 hours", "has been failing for 72 hours", "was disabled"],
  );
});

async function addEndpoint(id: string): Promise<void> {
  await db.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
    values (${id}, 'rsl_1', 'live', ${URL_TEXT}, ${clock.now()}, ${clock.now()})`);
  await addDelivery(id);
  await leaseLane(id);
}

async function addDelivery(endpointId: string): Promise<void> {
  await db.rows(sql`
    with event as (
      insert into events (id, reseller_id, environment, type, body, created_at)
      values ('evt_' || gen_random_uuid(), 'rsl_1', 'live', 'webhook.test', '{}', ${clock.now()}) returning id
    )
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select 'dlv_' || id, id, ${endpointId}, ${clock.now()}, ${clock.now()} from event`);
}

/** As a worker leaves it that has just tried the endpoint. */
const leaseLane = (endpointId: string) =>
  db.rows(sql`
    insert into webhook_lanes (endpoint_id, lease_token, leased_until) values (${endpointId}, ${TOKEN}, ${clock.now()})
    on conflict (endpoint_id) do update set leased_until = excluded.leased_until`);

/** Time passes in which workers go on trying these endpoints. */
async function advance(ms: number, ...endpointIds: string[]): Promise<void> {
  clock.advance(ms);
  for (const id of endpointIds) await leaseLane(id);
}

/** One attempt at whatever waits there, recorded as workers do; it stays pending or is delivered. */
async function attempt(endpointId: string, succeeds: boolean): Promise<void> {
  const [row] = await db.rows<{ id: string; attempts: number; step: number }>(sql`
    select id, attempts, step from deliveries where endpoint_id = ${endpointId} and status = 'pending' order by id limit 1`);
  if (!row) {
    await addDelivery(endpointId);
    return attempt(endpointId, succeeds);
  }
  const now = clock.now();
  await recordAttempts(
    db,
    [
      {
        deliveryId: row.id,
        endpointId,
        token: TOKEN,
        number: row.attempts + 1,
        at: now,
        responseStatus: succeeds ? 200 : 500,
        error: null,
        responseHeaders: null,
        responseBody: null,
        latencyMs: 1,
        status: succeeds ? "delivered" : "pending",
        step: row.step + 1,
        nextAttemptAt: succeeds ? null : now,
        countsAgainst: true,
        again: null,
      },
    ],
    now,
    { pulledForwardMax: 10 },
    new Set(),
  );
}

async function endpoint(id: string) {
  const [row] = await db.rows<{ active: boolean; notified: string; failures: number }>(
    sql`select active, notified, failures from webhook_endpoints where id = ${id}`,
  );
  return row && { ...row };
}

const kinds = async (): Promise<string[]> => {
  const rows = await db.rows<{ cause: string }>(sql`select cause from letters order by id`);
  return rows.map(({ cause }) => cause.split(": ").at(-1) ?? "");
};

const statuses = async (endpointId: string): Promise<string[]> => {
  const rows = await db.rows<{ status: string }>(
    sql`select status from deliveries where endpoint_id = ${endpointId} order by status`,
  );
  return rows.map((row) => row.status);
};
