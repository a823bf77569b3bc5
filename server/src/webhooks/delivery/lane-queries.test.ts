import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addDue, addEndpoint, addTenant } from "../../../testing/builders/delivery.ts";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { explain } from "../../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { claimLanes, type LaneClaim, listDueDeliveries, releaseLanes } from "./lane-queries.ts";

let database: TestDatabase;
let db: Db;
let tenant: Tenant;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  tenant = await addTenant(db);
});
after(() => database.drop());

const WAITING = sizeFor("soak", { share: 5_000, full: 100_000 });
const START = new Date("2026-03-01T12:00:00Z");
const at = (ms: number) => new Date(START.getTime() + ms);
const claim = (now: Date, changes: Partial<LaneClaim> = {}): LaneClaim => ({
  token: randomUUID(),
  now,
  held: [],
  leasedUntil: new Date(now.getTime() + 30_000),
  healthyMax: 100,
  failingMax: 100,
  ...changes,
});
const claimIds = async (now: Date, changes: Partial<LaneClaim> = {}): Promise<string[]> =>
  (await claimLanes(db, claim(now, changes))).map(({ endpointId }) => endpointId);
/** Nothing waits and nothing is leased, as if nobody had been here. */
/** What autovacuum does in time. */
const tidy = () =>
  db.rows(sql`vacuum analyze deliveries, events, webhook_endpoints, webhook_lanes, webhook_secrets`);

const clear = async () => {
  await db.rows(
    sql`update deliveries set status = 'failed', next_attempt_at = null where status = 'pending'`,
  );
  await db.rows(sql`delete from webhook_lanes`);
};

test("lanes that have waited longest come first, and failing lanes have their own limit", async () => {
  await clear();
  const [late, early, failing, notDue] = await Promise.all([
    addEndpoint(db, tenant),
    addEndpoint(db, tenant),
    addEndpoint(db, tenant, { failingSince: START }),
    addEndpoint(db, tenant),
  ]);
  await addDue(db, tenant, [late.id], { at: at(2_000) });
  await addDue(db, tenant, [early.id], { at: at(1_000) });
  await addDue(db, tenant, [failing.id], { at: at(0) });
  await addDue(db, tenant, [notDue.id], { at: at(60_000) });
  assert.deepEqual(await claimIds(at(3_000), { healthyMax: 1, failingMax: 0 }), [early.id]);
  assert.deepEqual(await claimLanes(db, claim(at(3_000), { healthyMax: 0 })), [
    { endpointId: failing.id, isFailing: true },
  ]);
  assert.deepEqual(
    await claimIds(at(3_000), { healthyMax: 1 }),
    [late.id],
    "a leased lane takes up no place",
  );
  assert.deepEqual(await claimIds(at(3_000)), []);
});

test("workers that ask at once never get the same lane", async () => {
  await clear();
  const endpoints = await Promise.all(Array.from({ length: 30 }, () => addEndpoint(db, tenant)));
  await addDue(
    db,
    tenant,
    endpoints.map(({ id }) => id),
    { at: at(0) },
  );
  const claimed = await Promise.all(Array.from({ length: 8 }, () => claimIds(at(1), { healthyMax: 30 })));
  const ids = claimed.flat();
  assert.equal(ids.length, 30);
  assert.equal(new Set(ids).size, 30);
});

test("a worker that waited for the claim of another does not take its lanes", async () => {
  await clear();
  const { id } = await addEndpoint(db, tenant);
  await addDue(db, tenant, [id], { at: at(0) });
  let waited: Promise<string[]> | undefined;
  await db.transaction(async (tx) => {
    const [first] = await claimLanes(tx, claim(at(0)));
    assert.equal(first?.endpointId, id);
    waited = claimIds(at(0));
    await eventually("the other waits", async () => ((await countWaiting(db)) > 0 ? true : undefined));
  });
  assert.deepEqual(await waited, []);
});

test("a lane is free when its lease has expired or was released, and only its holder can release it", async () => {
  await clear();
  const { id } = await addEndpoint(db, tenant);
  await addDue(db, tenant, [id], { at: at(0) });
  const mine = claim(at(1_000));
  assert.equal((await claimLanes(db, mine)).length, 1);
  await releaseLanes(db, [{ endpointId: id, token: randomUUID(), freeAt: at(1_000) }]);
  assert.deepEqual(await claimIds(at(30_999)), []);
  await releaseLanes(db, [{ endpointId: id, token: mine.token, freeAt: at(5_000) }]);
  assert.deepEqual(await claimIds(at(4_999)), []);
  assert.deepEqual(await claimIds(at(5_000)), [id]);
  assert.deepEqual(await claimIds(at(34_999)), []);
  assert.deepEqual(await claimIds(at(35_000)), [id]);
});

test("due deliveries come earliest first, no more than asked for, and without those that are busy", async () => {
  await clear();
  const { id } = await addEndpoint(db, tenant);
  const [second] = await addDue(db, tenant, [id], { at: at(2_000) });
  const [first] = await addDue(db, tenant, [id], { at: at(1_000) });
  await addDue(db, tenant, [id], { at: at(3_000) });
  await addDue(db, tenant, [id], { at: at(99_000) });
  const due = (count: number, busy: string[] = []) =>
    listDueDeliveries(db, [{ endpointId: id, count, busy }], at(3_000));
  const found = await due(2);
  assert.deepEqual(
    found.map(({ eventId }) => eventId),
    [first, second],
  );
  assert.equal((await due(10)).length, 3);
  const [busy, , free] = (await due(10)).map((one) => one.id);
  assert.deepEqual(
    (await due(2, [busy ?? "", found[1]?.id ?? ""])).map((one) => one.id),
    [free],
    "those that are being sent are left out, and do not count",
  );
});

test(`${WAITING} waiting deliveries of one endpoint cost the others nothing`, {
  timeout: 120_000,
}, async () => {
  await clear();
  const endpoints = await Promise.all(Array.from({ length: 200 }, () => addEndpoint(db, tenant)));
  const ids = endpoints.map(({ id }) => id);
  await addDue(db, tenant, ids, { at: at(0) });
  await tidy();
  const measure = async () => {
    const claiming = await explain(db, (on) =>
      claimLanes(on, claim(at(1), { healthyMax: 0, failingMax: 0 })),
    );
    const lanes = ids.map((endpointId) => ({ endpointId, count: 8, busy: [] }));
    const listing = await explain(db, (on) => listDueDeliveries(on, lanes, at(1)));
    for (const cost of [claiming, listing]) assert.ok(!cost.scanned.includes("deliveries"), cost.plan);
    return [claiming, listing] as const;
  };
  // The first time, a connection reads the catalog to plan.
  await measure();
  const few = await measure();
  for (let count = 0; count < WAITING; count += 5_000)
    await addDue(db, tenant, [ids[100] ?? ""], { count: 5_000, at: at(0) });
  await tidy();
  const many = await measure();
  for (const [index, cost] of many.entries()) {
    const before = few[index]?.buffers ?? 0;
    assert.ok(cost.buffers <= before * 2 + 50, `${before} buffers became ${cost.buffers}: ${cost.plan}`);
  }
});
