import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import {
  addDue,
  addEndpoint,
  addSecret,
  addTenant,
  createTestDeliverer,
  listDeliveries,
  outcome,
  refusal,
} from "../../../testing/builders/delivery.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { createHandClock, type HandClock } from "../../../testing/hand-clock.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { pullForward } from "./attempt-queries.ts";
import type { Sending, SendOutcome } from "./send-delivery.ts";
import { signDelivery } from "./sign-delivery.ts";

let database: TestDatabase;
let db: Db;
let tenant: Tenant;
let clock: HandClock;
before(async () => {
  database = await createTestDatabase();
  db = database.db;
  tenant = await addTenant(db);
});
after(() => database.drop());
beforeEach(() => {
  clock = createHandClock();
});

/** Makes one attempt at what is due, and returns what was sent. */
async function attempt(answer: () => SendOutcome): Promise<Sending[]> {
  const sent: Sending[] = [];
  const worker = createTestDeliverer(db, clock, async (sending) => {
    sent.push(sending);
    return answer();
  });
  await worker.step();
  await worker.idle();
  return sent;
}

test("during a rotation the newest secret signs first", async () => {
  const { id, secret: oldest } = await addEndpoint(db, tenant);
  const newest = await addSecret(db, id);
  await addDue(db, tenant, [id], { at: clock.now() });
  const [sent] = await attempt(() => outcome());
  const seconds = Math.floor(clock.now().getTime() / 1_000);
  assert.equal(sent?.headers["service-signature"], signDelivery([newest, oldest], seconds, sent?.body ?? ""));
});

test("a secret signs no more from the moment at which it expires", async () => {
  const { id } = await addEndpoint(db, tenant);
  await db.rows(sql`update webhook_secrets set expires_at = ${clock.now()} where endpoint_id = ${id}`);
  const newest = await addSecret(db, id);
  await addDue(db, tenant, [id], { at: clock.now() });
  const [sent] = await attempt(() => outcome());
  const seconds = Math.floor(clock.now().getTime() / 1_000);
  assert.equal(sent?.headers["service-signature"], signDelivery([newest], seconds, sent?.body ?? ""));
});

test("a pause starts when the attempt has ended, however long that took", async () => {
  const { id } = await addEndpoint(db, tenant);
  await addDue(db, tenant, [id], { at: clock.now() });
  await attempt(() => {
    clock.advance(14_000);
    return refusal();
  });
  const [delivery] = await listDeliveries(db, id);
  const pauseMs = (delivery?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime();
  assert.ok(pauseMs >= 10_000 && pauseMs <= 12_000, `${pauseMs} ms`);
});

test("a retry that is pulled forward keeps its step, and one that was never tried stays where it is", async () => {
  const { id } = await addEndpoint(db, tenant);
  const later = new Date(clock.now().getTime() + 3_600_000);
  await addDue(db, tenant, [id], { at: later, step: 4 });
  await addDue(db, tenant, [id], { at: new Date(later.getTime() + 1) });
  await db.transaction((tx) => pullForward(tx, id, clock.now(), 10));
  const rows = await db.rows(sql`
    select step, next_attempt_at as at from deliveries where endpoint_id = ${id} order by next_attempt_at`);
  assert.deepEqual(rows, [
    // The attempt that follows counts as the fourth again.
    { step: 3, at: clock.now() },
    { step: 0, at: new Date(later.getTime() + 1) },
  ]);
});
