import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addAttempt, addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { changeEndpoint, EndpointChanged } from "../endpoints/change-endpoint.ts";
import { getEndpoint } from "../endpoints/read-endpoints.ts";
import { failuresText, readHealth } from "../health/read-health.ts";
import { deliveriesOfEvents, getDelivery, sentHeaders } from "./get-delivery.ts";
import { recoveryProgress } from "./recovery-progress.ts";
import { redeliverSelection } from "./redeliver-selection.ts";

let desk: WebhookDesk;
before(async () => {
  desk = await openWebhookDesk();
});
after(() => desk.scrip.close());

const HOUR_MS = 3_600_000;

test("a delivery has the answer of each attempt and what was sent, for its own tenant only", async () => {
  const { scrip, live, stranger, sandbox } = desk;
  const { webhook } = await desk.register();
  const eventId = await addEvent(scrip.db, live);
  const id = await addDelivery(scrip.db, { eventId, endpointId: webhook.id, status: "failed" });
  const at = new Date("2030-01-01T00:00:00Z");
  await addAttempt(scrip.db, id, { number: 1, at, status: 500, body: "first" });
  await addAttempt(scrip.db, id, { number: 2, at, error: "timeout" });
  const delivery = await getDelivery(scrip.db, live, id);
  assert.deepEqual(
    delivery.attempts.map(({ number, status, error, responseBody }) => [number, status, error, responseBody]),
    [
      [1, 500, null, "first"],
      [2, null, "timeout", null],
    ],
  );
  assert.equal(JSON.parse(delivery.body).id, eventId);
  assert.deepEqual(new Map(sentHeaders(delivery, at)).get("Service-Signature"), "t=1893456000,v1=…");
  assert.deepEqual([...(await deliveriesOfEvents(scrip.db, live, [eventId])).keys()], [eventId]);
  for (const other of [stranger, sandbox]) {
    await assert.rejects(getDelivery(scrip.db, other, id), { code: "not_found" });
    assert.equal((await deliveriesOfEvents(scrip.db, other, [eventId])).size, 0);
  }
});

test("an endpoint is failing after two failures and more than two minutes, and health counts its last five deliveries", async () => {
  const { scrip, live, clock } = desk;
  const { webhook } = await desk.register();
  const { db } = scrip;
  const since = clock.now();
  const read = async (failures: number, afterMs: number) => {
    await db.rows(
      sql`update webhook_endpoints set failing_since = ${since}, failures = ${failures} where id = ${webhook.id}`,
    );
    const row = await getEndpoint(db, live, webhook.id);
    return (await readHealth(db, [row], new Date(since.getTime() + afterMs))).get(webhook.id);
  };
  const stateOf = async (failures: number, afterMs: number) => (await read(failures, afterMs))?.state;
  assert.equal(await stateOf(1, HOUR_MS), "retrying");
  assert.equal(await stateOf(2, 120_000), "retrying");
  assert.equal(await stateOf(2, 120_001), "failing");

  const send = async (status: "delivered" | "failed" | "pending", isTried: boolean) => {
    const id = await addDelivery(db, { eventId: await addEvent(db, live), endpointId: webhook.id, status });
    if (isTried)
      await addAttempt(db, id, { number: 1, at: since, status: status === "delivered" ? 200 : 500 });
  };
  await send("failed", true);
  const one = await read(2, HOUR_MS);
  assert.deepEqual(
    [one?.recent, one && failuresText(one.recent)],
    [{ tried: 1, failed: 1 }, "1 of 1 delivery failed"],
  );
  for (const status of ["failed", "delivered", "delivered", "failed", "failed", "pending"] as const)
    await send(status, true);
  for (const status of ["pending", "failed"] as const) await send(status, false);
  const health = await read(4, HOUR_MS);
  assert.deepEqual(health?.recent, { tried: 5, failed: 3 }, "those that were never tried say nothing");
  assert.equal(failuresText(health.recent), "3 of the last 5 deliveries failed");
  for (let count = 0; count < 5; count += 1) await send("delivered", true);
  const older = await read(4, HOUR_MS);
  assert.equal(older && failuresText(older.recent), "An earlier delivery keeps failing");
});

test("health has the last success, and when a failing endpoint is disabled", async () => {
  const { scrip, live, clock } = desk;
  const { webhook } = await desk.register();
  const row = await getEndpoint(scrip.db, live, webhook.id);
  await scrip.db.rows(
    sql`update webhook_endpoints set failures = 2, failing_since = ${clock.now()} where id = ${webhook.id}`,
  );
  const later = new Date(clock.now().getTime() + HOUR_MS);
  const read = async (failingSince: Date | null, active = true) =>
    (await readHealth(scrip.db, [{ ...row, active, failingSince }], later)).get(row.id);
  assert.equal((await read(null))?.lastSuccessAt, undefined);
  await addDelivery(scrip.db, {
    eventId: await addEvent(scrip.db, live),
    endpointId: row.id,
    status: "delivered",
  });
  const fine = await read(null);
  assert.deepEqual(
    [fine?.state, fine?.lastSuccessAt instanceof Date, fine?.disabledAt],
    ["active", true, undefined],
  );
  const failing = await read(clock.now());
  assert.equal(failing?.state, "failing");
  assert.equal(failing?.disabledAt?.getTime(), clock.now().getTime() + 120 * HOUR_MS);
  const disabled = await read(clock.now(), false);
  assert.deepEqual([disabled?.state, disabled?.disabledAt], ["disabled", undefined]);
});

test("the progress of a recovery counts the deliveries of its time by status", async () => {
  const { scrip, live, stranger, clock } = desk;
  const { webhook } = await desk.register();
  for (const status of ["failed", "failed", "delivered", "pending"] as const)
    await addDelivery(scrip.db, { eventId: await addEvent(scrip.db, live), endpointId: webhook.id, status });
  const span = { since: new Date(clock.now().getTime() - 24 * HOUR_MS), until: clock.now() };
  const progress = await recoveryProgress(scrip.db, live, webhook.id, span);
  assert.deepEqual(progress, { pending: 1, delivered: 1, failed: 2, hasMore: false });
  const before = { since: new Date(0), until: span.since };
  assert.equal((await recoveryProgress(scrip.db, live, webhook.id, before)).failed, 0);
  await assert.rejects(recoveryProgress(scrip.db, stranger, webhook.id, span), { code: "not_found" });
});

test("a selection restarts the tenant's own deliveries and passes over the rest", async () => {
  const { scrip, live, stranger, clock } = desk;
  const { webhook } = await desk.register();
  const { webhook: foreign } = await desk.register(undefined, stranger);
  const add = async (tenant: typeof live, endpointId: string) =>
    addDelivery(scrip.db, { eventId: await addEvent(scrip.db, tenant), endpointId, status: "failed" });
  const own = await add(live, webhook.id);
  const theirs = await add(stranger, foreign.id);
  const by = { actor: { kind: "user", id: "usr_1" } as const };
  const deps = { db: scrip.db, clock, announceDeliveries: () => {} };
  const again = (ids: string[]) => redeliverSelection(deps, live, webhook.id, ids, by);
  assert.equal(await again([own, own, theirs, "dlv_none"]), 1);
  assert.equal((await getDelivery(scrip.db, stranger, theirs)).status, "failed");
  await assert.rejects(again([]), { code: "invalid_request" });
  await assert.rejects(again(Array.from({ length: 101 }, (_, index) => `dlv_${index}`)), {
    code: "invalid_request",
  });
});

test("a change to an endpoint that was changed since it was read writes nothing", async () => {
  const { scrip, live, clock } = desk;
  const { webhook } = await desk.register();
  const deps = { ...scrip, clock, webhooks: { egressIps: [], allowNetworks: [] } };
  const seenAt = new Date(webhook.updatedAt);
  clock.advance(1_000);
  await changeEndpoint(deps, live, webhook.id, { events: ["order.fulfilled"] }, { seenAt });
  const late = changeEndpoint(deps, live, webhook.id, { active: false }, { seenAt });
  await assert.rejects(late, EndpointChanged);
  assert.equal((await getEndpoint(scrip.db, live, webhook.id)).active, true);
});
