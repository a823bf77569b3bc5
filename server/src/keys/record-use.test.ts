import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { eventually } from "../../testing/eventually.ts";
import type { Db } from "../db/database.ts";
import { listKeyRows } from "./queries.ts";
import { createUseRecorder, type UseRecorder } from "./record-use.ts";

const MANY_KEYS = 500;
const START_MS = Date.UTC(2026, 0, 1);
const clock = { nowMs: START_MS, now: () => new Date(clock.nowMs) };

let scrip: TestApp;
let resellerId: string;

before(async () => {
  scrip = await createTestApp({ clock, trustedProxies: ["10.0.0.0/8"] });
  resellerId = (await scrip.addReseller()).id;
});

after(() => scrip.close());

const fail = (error: unknown): never => assert.fail(String(error));

async function lastUse(keyId: string): Promise<{ at: Date | null; ip: string | null } | undefined> {
  const row = (await listKeyRows(scrip.db, resellerId)).find(({ id }) => id === keyId);
  return row && { at: row.lastUsedAt, ip: row.lastUsedIp };
}

test("a request records its time and client address with its key", async () => {
  const { id, key } = await scrip.addKey(resellerId);
  assert.deepEqual(await lastUse(id), { at: null, ip: null });
  const headers = { "x-forwarded-for": "198.51.100.1, 203.0.113.9" };
  await scrip.call("GET", "/v1/catalog", { key, remoteAddress: "10.0.0.1", headers });
  const use = await eventually("the use is recorded", async () => {
    const found = await lastUse(id);
    return found?.at ? found : undefined;
  });
  assert.deepEqual(use, { at: new Date(START_MS), ip: "203.0.113.9" });
});

test("an overlong claimed address is cut to the length of an address", async () => {
  const { id, key } = await scrip.addKey(resellerId);
  const headers = { "x-forwarded-for": "x".repeat(8_000) };
  await scrip.call("GET", "/v1/catalog", { key, remoteAddress: "10.0.0.1", headers });
  const ip = await eventually("the use is recorded", async () => (await lastUse(id))?.ip ?? undefined);
  assert.ok(ip.length <= 45, `${ip.length} characters`);
});

test("the use is written at most once a minute, also with two servers, and again after that", async () => {
  const { id } = await scrip.addKey(resellerId);
  const [one, other] = [createUseRecorder(scrip.db, clock, fail), createUseRecorder(scrip.db, clock, fail)];
  clock.nowMs = START_MS;
  await use(one, id, "192.0.2.1", null);
  clock.nowMs = START_MS + 59_999;
  // The second server may still have what it read before the first one wrote.
  await use(other, id, "192.0.2.2", null);
  await use(one, id, "192.0.2.3", new Date(START_MS));
  assert.deepEqual(await lastUse(id), { at: new Date(START_MS), ip: "192.0.2.1" });
  clock.nowMs = START_MS + 60_001;
  await use(other, id, "192.0.2.4", new Date(START_MS));
  assert.deepEqual(await lastUse(id), { at: new Date(START_MS + 60_001), ip: "192.0.2.4" });
  clock.nowMs = START_MS;
});

test("a use within the minute does not reach the database", async () => {
  let statements = 0;
  const counted: Db = {
    ...scrip.db,
    rows: (...query) => {
      statements += 1;
      return scrip.db.rows(...query);
    },
  };
  const recorder = createUseRecorder(counted, clock, fail);
  const { id } = await scrip.addKey(resellerId);
  for (let times = 0; times < 100; times += 1) recorder.record(id, "192.0.2.1", null);
  await recorder.flush();
  assert.equal(statements, 1);
  for (let times = 0; times < 100; times += 1) recorder.record(id, "192.0.2.1", clock.now());
  await recorder.flush();
  assert.equal(statements, 1);
});

test("many keys are written in one statement, each with its own address", async () => {
  const recorder = createUseRecorder(scrip.db, clock, fail);
  const keys = await Promise.all(Array.from({ length: 20 }, () => scrip.addKey(resellerId)));
  for (const [index, { id }] of keys.entries()) recorder.record(id, `192.0.2.${index}`, null);
  await recorder.flush();
  for (const [index, { id }] of keys.entries()) assert.equal((await lastUse(id))?.ip, `192.0.2.${index}`);
});

test("servers that record the same keys in opposite orders do not deadlock", async () => {
  const ids = Array.from({ length: MANY_KEYS }, (_, index) => `key_many_${index}`);
  await scrip.db.rows(sql`
    insert into api_keys (id, reseller_id, environment, digest, last_four, scopes)
    select id, ${resellerId}, 'live', sha256(id::bytea), 'last', '{}' from unnest(${ids}::text[]) id`);
  for (let round = 0; round < 10; round += 1) {
    clock.nowMs += 60_001;
    const [one, other] = [createUseRecorder(scrip.db, clock, fail), createUseRecorder(scrip.db, clock, fail)];
    for (const id of ids) one.record(id, "192.0.2.1", null);
    for (const id of ids.toReversed()) other.record(id, "192.0.2.2", null);
    await Promise.all([one.flush(), other.flush()]);
  }
  clock.nowMs = START_MS;
});

test("keys are locked in the order of their ids, as a freeze locks them, and not as they lie in the table", async () => {
  const [first, second] = ["key_order_a", "key_order_b"];
  for (const id of [second, first])
    await scrip.db.rows(sql`
      insert into api_keys (id, reseller_id, environment, digest, last_four, scopes)
      values (${id}, ${resellerId}, 'live', sha256(${id}::bytea), 'last', '{}')`);
  const recorder = createUseRecorder(scrip.db, clock, fail);
  for (const id of [second, first]) recorder.record(id, "192.0.2.1", null);
  let flushed: Promise<void> | undefined;
  await scrip.db.transaction(async (tx) => {
    await tx.rows(sql`update api_keys set frozen_at = ${clock.now()} where id = ${first}`);
    flushed = recorder.flush();
    await eventually("the recorder waits", async () => {
      const waiting = await scrip.db.rows(sql`
        select from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database() and a.query like '%last_used_ip%'`);
      return waiting.length > 0 ? true : undefined;
    });
    // It would fail if the recorder held the second key and waited for the first.
    await tx.rows(sql`select from api_keys where id = ${second} for update nowait`);
  });
  await flushed;
  assert.equal((await lastUse(second))?.ip, "192.0.2.1");
});

test("a failed write is reported and dropped, and the next use is recorded", async () => {
  const errors: unknown[] = [];
  let down = true;
  const flaky: Db = {
    ...scrip.db,
    rows: async (...query) => {
      if (down) throw new Error("gone");
      return scrip.db.rows(...query);
    },
  };
  const recorder = createUseRecorder(flaky, clock, (error) => void errors.push(error));
  const { id } = await scrip.addKey(resellerId);
  await use(recorder, id, "192.0.2.1", null);
  assert.equal(errors.length, 1);
  down = false;
  await recorder.flush();
  assert.deepEqual(await lastUse(id), { at: null, ip: null });
  await use(recorder, id, "192.0.2.2", null);
  assert.equal((await lastUse(id))?.ip, "192.0.2.2");
});

test("pending uses are written before the server stops", async () => {
  const stopping = await createTestApp();
  const owner = (await stopping.addReseller()).id;
  const { key } = await stopping.addKey(owner);
  await stopping.call("GET", "/v1/catalog", { key, remoteAddress: "192.0.2.9" });
  await stopping.app.close();
  const [row] = await listKeyRows(stopping.db, owner);
  assert.equal(row?.lastUsedIp, "192.0.2.9");
  await stopping.close();
});

async function use(recorder: UseRecorder, keyId: string, ip: string, lastUsedAt: Date | null): Promise<void> {
  recorder.record(keyId, ip, lastUsedAt);
  await recorder.flush();
}
