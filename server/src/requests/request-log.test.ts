import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { loggedRequest } from "../../testing/builders/logged-requests.ts";
import { newId } from "../../testing/builders/new-id.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import type { Db } from "../db/database.ts";
import { keepPartitions } from "./partitions.ts";
import { createRequestLog, type RequestLogLimits } from "./request-log.ts";

let database: TestDatabase;
let db: Db;
const clock = createHandClock();
before(async () => {
  database = await createTestDatabase();
  db = database.db;
});
after(() => database.drop());

function openLog(on: Db = db, limits: Partial<RequestLogLimits> = {}) {
  const seen = { dropped: 0, errors: 0 };
  const log = createRequestLog({
    db: on,
    clock,
    onDropped: (count) => {
      seen.dropped += count;
    },
    onError: () => {
      seen.errors += 1;
    },
    limits,
  });
  return { log, seen };
}

const newRequest = () => ({
  ...loggedRequest(newId("req", clock.now().getTime())),
  resellerId: "rsl_1",
  environment: "live" as const,
});

const countOf = async (ids: readonly string[]) =>
  (await db.rows(sql`select from api_requests where id = any(${ids})`)).length;

test("requests are written in batches, and close writes what is left", async () => {
  const { log, seen } = openLog(db, { batchMax: 2, flushDelayMs: 60_000 });
  const requests = [newRequest(), newRequest(), newRequest(), newRequest(), newRequest()];
  for (const request of requests) log.add(request);
  await log.close();
  assert.equal(await countOf(requests.map(({ id }) => id)), 5);
  assert.deepEqual(seen, { dropped: 0, errors: 0 });
});

test("a batch that was written but not acknowledged is written once", async () => {
  const digest = Buffer.alloc(32, 7);
  await db.rows(sql`
    insert into resellers (id, name, currency, email, created_at)
    values ('rsl_refused', 'Corner', 'USD', 'owner@corner.example', now())`);
  await db.rows(sql`
    insert into api_keys (id, reseller_id, environment, digest, last_four, scopes)
    values ('key_refused', 'rsl_refused', 'live', ${digest}, 'four', '{}')`);
  const accepted = newRequest();
  const refused = { ...newRequest(), resellerId: null, environment: null, keyDigest: digest };
  let inserted = 0;
  const losesAnswer: Db = {
    ...db,
    transaction: async (work) => {
      let inserts = false;
      const result = await db.transaction((tx) =>
        work({
          ...tx,
          rows: (query, options) => {
            inserts ||= query.text.includes("insert into api_requests");
            return tx.rows(query, options);
          },
        }),
      );
      if (inserts) inserted += 1;
      if (inserted === 1) throw Object.assign(new Error("connection lost"), { code: "ECONNRESET" });
      return result;
    },
  };
  const { log } = openLog(losesAnswer, { flushDelayMs: 1, retryDelayMs: 1 });
  log.add(accepted);
  log.add(refused);
  await eventually("the batch is sent again", async () => (inserted === 2 ? true : undefined));
  await log.close();
  assert.equal(await countOf([accepted.id]), 1);
  assert.equal(await countOf([refused.id]), 1);
});

test("requests beyond the limit are dropped and counted while the database is slow", async () => {
  const { log, seen } = openLog(db, { waitingMax: 3, flushDelayMs: 60_000 });
  for (let count = 0; count < 5; count += 1) log.add(newRequest());
  assert.equal(seen.dropped, 2);
  await log.close();
});

test("requests without a valid key take only their share", async () => {
  const { log, seen } = openLog(db, { refusedMax: 1, flushDelayMs: 60_000 });
  const refused = [newRequest(), newRequest()].map((one) => ({
    ...one,
    resellerId: null,
    environment: null,
  }));
  const accepted = newRequest();
  for (const request of [...refused, accepted]) log.add(request);
  assert.equal(seen.dropped, 1);
  await log.close();
  assert.equal(await countOf([accepted.id]), 1);
});

test("a database that is away costs the log its requests, and close still ends", async () => {
  const away = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
  const broken: Db = { ...db, transaction: () => Promise.reject(away) };
  const { log, seen } = openLog(broken, { flushDelayMs: 60_000 });
  log.add(newRequest());
  await log.close();
  assert.deepEqual(seen, { dropped: 1, errors: 2 });
});

test("partitions are made ahead, and the fifteenth day is dropped", async () => {
  const start = new Date("2020-01-01T23:59:59Z");
  await Promise.all([keepPartitions(db, start), keepPartitions(db, start)]);
  await keepPartitions(db, new Date("2020-01-16T00:00:00Z"));
  const rows = await db.rows<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'api_requests'::regclass
    order by 1`);
  const kept = rows.map(({ name }) => name.slice(-8)).filter((day) => day.startsWith("20200"));
  assert.deepEqual(kept, ["20200102", "20200103", "20200115", "20200116", "20200117", "20200118"]);
});

test("a process whose clock is years ahead drops nothing", async () => {
  const request = newRequest();
  const { log } = openLog();
  log.add(request);
  await log.close();
  await keepPartitions(db, new Date("2040-01-01T00:00:00Z"));
  assert.equal(await countOf([request.id]), 1);
});

test("while partitions cannot be changed, requests are still written to those that are there, and the second time it is told", async () => {
  await keepPartitions(db, clock.now());
  const [first, second] = [newRequest(), newRequest()];
  const { log, seen } = openLog(db, { flushDelayMs: 1 });
  await db.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(hashtext('scrip: partitions of api_requests'))`);
    log.add(first);
    await eventually("the first one is written", async () => (await countOf([first.id])) === 1 || undefined);
    assert.deepEqual(seen, { dropped: 0, errors: 0 });
    log.add(second);
    await log.close();
  });
  assert.equal(await countOf([second.id]), 1);
  assert.deepEqual(seen, { dropped: 0, errors: 1 });
});

test("a request with a key that was never valid is not stored", async () => {
  const { log } = openLog();
  const request = { ...newRequest(), resellerId: null, environment: null, keyDigest: Buffer.alloc(32, 1) };
  log.add(request);
  await log.close();
  assert.equal(await countOf([request.id]), 0);
});
