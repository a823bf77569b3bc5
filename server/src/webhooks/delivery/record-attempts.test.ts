import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addOrder } from "../../../testing/builders/builders.ts";
import { addDue, addEndpoint, addTenant } from "../../../testing/builders/delivery.ts";
import { newId } from "../../../testing/builders/new-id.ts";
import { fulfilledEvent } from "../../../testing/builders/webhook-builders.ts";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import { connectDatabase, type Db, type Tx } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Tenant } from "../../http/caller.ts";
import type { AttemptRecord } from "./attempt-queries.ts";
import { claimLanes } from "./lane-queries.ts";
import { recordAttempts } from "./record-attempts.ts";

let database: TestDatabase;
let db: Db;
/** Gives up a statement that waits for a lock. */
let impatient: Db;
let tenant: Tenant;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  impatient = connectDatabase({
    connectionString: database.connectionString,
    applicationName: "impatient",
    poolSize: 2,
    onConnectionLost: () => {},
    statementTimeoutMs: 2_000,
  });
  tenant = await addTenant(db);
});
after(async () => {
  await impatient.close();
  await database.drop();
});

const LIMITS = { pulledForwardMax: 10 };

/** A delivery whose lane is leased, and how its attempt went. */
async function attempted(status: AttemptRecord["status"]): Promise<AttemptRecord> {
  const now = new Date();
  const { id: endpointId } = await addEndpoint(db, tenant);
  await addDue(db, tenant, [endpointId], { at: now });
  const token = randomUUID();
  const leasedUntil = new Date(now.getTime() + 60_000);
  await claimLanes(db, { token, now, held: [], leasedUntil, healthyMax: 100, failingMax: 100 });
  const [delivery] = await db.rows<{ id: string }>(
    sql`select id from deliveries where endpoint_id = ${endpointId}`,
  );
  const isPending = status === "pending";
  return {
    deliveryId: delivery?.id ?? "",
    endpointId,
    token,
    number: 1,
    at: now,
    responseStatus: isPending ? 500 : 200,
    error: null,
    responseHeaders: null,
    responseBody: null,
    latencyMs: 1,
    status,
    step: 1,
    nextAttemptAt: isPending ? new Date(now.getTime() + 10_000) : null,
    countsAgainst: true,
    again: null,
  };
}
const record = (on: Db, records: AttemptRecord[]) =>
  recordAttempts(on, records, new Date(), LIMITS, new Set());
const statusOf = async (deliveryId: string): Promise<string | undefined> => {
  const [row] = await db.rows<{ status: string }>(
    sql`select status from deliveries where id = ${deliveryId}`,
  );
  return row?.status;
};
async function emitOne(tx: Tx): Promise<void> {
  const orderId = newId("ord");
  await addOrder(tx, { ...tenant, id: orderId });
  await emitEvents(tx, [fulfilledEvent(tenant, orderId)], newId, new Date());
}

test("an order that is ending and an attempt that is being recorded do not wait for each other", async () => {
  const failed = await attempted("pending");
  await db.transaction(async (tx) => {
    await emitOne(tx);
    await record(impatient, [failed]);
  });
  const another = await attempted("pending");
  await db.transaction(async (tx) => {
    const inTx: Db = { ...db, transaction: (work) => work(tx) };
    await record(inTx, [another]);
    await impatient.transaction(emitOne);
  });
});

test("an attempt that loses a deadlock is recorded all the same", async () => {
  const failed = await attempted("pending");
  const restart = sql`update deliveries set created_at = created_at where id = ${failed.deliveryId}`;
  let recording: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    // PostgreSQL ends the statement that looks for a deadlock first, and this one never does.
    await tx.rows(sql`set local deadlock_timeout = '1min'`);
    await tx.rows(sql`select from webhook_endpoints where id = ${failed.endpointId} for update`);
    recording = record(db, [failed]);
    await eventually("the recording waits for the endpoint", async () =>
      (await countWaiting(db)) === 1 ? true : undefined,
    );
    await tx.rows(restart);
  });
  await recording;
  const rows = await db.rows(
    sql`select number from delivery_attempts where delivery_id = ${failed.deliveryId}`,
  );
  assert.equal(rows.length, 1);
});

test("attempts of one batch whose lanes are lost are left out, and the others count", async () => {
  const [mine, lost] = [await attempted("delivered"), await attempted("delivered")];
  await record(db, [mine, { ...lost, token: randomUUID() }]);
  assert.deepEqual(
    [await statusOf(mine.deliveryId), await statusOf(lost.deliveryId)],
    ["delivered", "pending"],
  );
});

test("the last attempt of a delivery that was restarted meanwhile does not end it", async () => {
  const last = await attempted("pending");
  // It was sent as the eleventh, and is redelivered while it is under way.
  await record(db, [{ ...last, status: "failed", step: 11, nextAttemptAt: null }]);
  assert.equal(await statusOf(last.deliveryId), "pending");
});

test("an attempt that is recorded twice counts once", async () => {
  const one = await attempted("delivered");
  await record(db, [one]);
  await record(db, [one]);
  const rows = await db.rows(sql`select number from delivery_attempts where delivery_id = ${one.deliveryId}`);
  assert.equal(rows.length, 1);
});

test("a delivery that was delivered meanwhile is not made to wait again", async () => {
  const one = await attempted("pending");
  await db.rows(sql`update deliveries set status = 'delivered', delivered_at = now(), next_attempt_at = null
                    where id = ${one.deliveryId}`);
  await record(db, [one]);
  assert.equal(await statusOf(one.deliveryId), "delivered");
});

test("one success in a batch outweighs its failures, whatever their order", async () => {
  const failed = await attempted("pending");
  const { endpointId, token } = failed;
  await addDue(db, tenant, [endpointId]);
  const [delivery] = await db.rows<{ id: string }>(sql`
    select id from deliveries where endpoint_id = ${endpointId} and id <> ${failed.deliveryId}`);
  const succeeded: AttemptRecord = {
    ...failed,
    deliveryId: delivery?.id ?? "",
    token,
    status: "delivered",
    responseStatus: 200,
    nextAttemptAt: null,
  };
  await db.rows(
    sql`update webhook_endpoints set failing_since = now(), failures = 7, notified = '24h' where id = ${endpointId}`,
  );
  await record(db, [succeeded, failed]);
  const [endpoint] = await db.rows(sql`
    select failing_since, failures, notified from webhook_endpoints where id = ${endpointId}`);
  assert.deepEqual(endpoint, { failing_since: null, failures: 0, notified: "nothing" });
});
