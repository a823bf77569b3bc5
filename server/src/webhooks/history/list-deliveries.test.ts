import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addAttempt, addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { listDeliveryRows } from "./history-queries.ts";

let desk: WebhookDesk;
let endpointId: string;

before(async () => {
  desk = await openWebhookDesk();
  endpointId = (await desk.register()).webhook.id;
});
after(() => desk.scrip.close());

const STATUSES = ["pending", "delivered", "failed"] as const;

/** Deliveries of so many events, one after another, and their ids, newest first. */
async function fill(id: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const eventId = await addEvent(desk.scrip.db, { ...desk.live, at: desk.clock.now() });
    const status = STATUSES[index % STATUSES.length] ?? "pending";
    ids.unshift(await addDelivery(desk.scrip.db, { eventId, endpointId: id, status }));
  }
  return ids;
}

test("a delivery reads with its event, its attempts and when it is tried next", async () => {
  const { db } = desk.scrip;
  const at = desk.clock.now();
  const eventId = await addEvent(db, { ...desk.live, at });
  const id = await addDelivery(db, { eventId, endpointId });
  await addAttempt(db, id, { number: 1, at, error: "connect_timeout" });
  await addAttempt(db, id, { number: 2, at, status: 500, body: "older" });
  await addAttempt(db, id, { number: 3, at, status: 503, error: "status", body: 'Try "later" \n' });
  const { data, hasMore, nextCursor } = await desk.get("GET", `/v1/webhooks/${endpointId}/deliveries`);
  assert.deepEqual([data.length, hasMore, nextCursor], [1, false, ""]);
  const [delivery] = data;
  assert.ok(delivery?.nextAttemptAt && delivery.createdAt);
  const { nextAttemptAt, createdAt, ...rest } = delivery as object as Record<string, unknown>;
  for (const time of [nextAttemptAt, createdAt]) assert.match(String(time), /^\d{4}-.*\.\d{3}Z$/);
  const told = { at: at.toISOString(), latencyMs: 120 };
  assert.deepEqual(rest, {
    id,
    eventId,
    eventType: "order.fulfilled",
    webhookId: endpointId,
    status: "pending",
    attemptCount: 3,
    attempts: [
      { number: 1, ...told, error: "connect_timeout" },
      { number: 2, ...told, status: 500 },
      { number: 3, ...told, status: 503, error: "status", responseBody: 'Try "later" \n' },
    ],
  });
});

test("the latest 20 of many attempts are shown, in order", async () => {
  const { db } = desk.scrip;
  const { webhook } = await desk.register();
  const eventId = await addEvent(db, desk.live);
  const id = await addDelivery(db, { eventId, endpointId: webhook.id, status: "delivered" });
  for (let number = 1; number <= 25; number += 1)
    await addAttempt(db, id, { number, at: desk.clock.now(), status: 200, body: `answer ${number}` });
  const [delivery] = (await desk.get("GET", `/v1/webhooks/${webhook.id}/deliveries`)).data;
  assert.equal(delivery?.attemptCount, 25);
  assert.ok(delivery.deliveredAt && !("nextAttemptAt" in delivery));
  assert.deepEqual(
    delivery.attempts.map(({ number, responseBody }) => [number, responseBody]),
    Array.from({ length: 20 }, (_, index) => [index + 6, index === 19 ? "answer 25" : undefined]),
  );
});

test("the list is newest first, in pages, with a status filter, and without those of other endpoints", async () => {
  const { webhook } = await desk.register();
  const other = await desk.register();
  const ids = await fill(webhook.id, 11);
  await fill(other.webhook.id, 2);
  const path = `/v1/webhooks/${webhook.id}/deliveries`;
  const readAll = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await desk.get("GET", `${path}?limit=2&cursor=${cursor}${query}`);
      seen.push(...page.data.map(({ id }) => id));
      if (!page.hasMore) return seen;
      cursor = page.nextCursor;
    }
  };
  assert.deepEqual(await readAll(""), ids);
  for (const [index, status] of STATUSES.entries()) {
    const expected = ids.toReversed().filter((_, at) => at % STATUSES.length === index);
    assert.deepEqual(await readAll(`&status=${status}`), expected.toReversed(), status);
  }
});

test("deliveries are filtered by event, type, order and the time of the event, alone and together, page by page", async () => {
  const { db } = desk.scrip;
  const { webhook } = await desk.register();
  const other = await desk.register();
  const start = desk.clock.now().getTime();
  const made: { id: string; eventId: string; orderId: string; type: string; status: string; atMs: number }[] =
    [];
  for (let index = 0; index < 8; index += 1) {
    const type = index % 2 === 0 ? "order.fulfilled" : "order.refunded";
    const orderId = `ord_filtered_${Math.floor(index / 2)}`;
    const status = STATUSES[index % STATUSES.length] ?? "pending";
    const atMs = start + index * 1_000;
    const eventId = await addEvent(db, { ...desk.live, type, orderId, at: new Date(atMs) });
    const id = await addDelivery(db, { eventId, endpointId: webhook.id, status });
    await addDelivery(db, { eventId, endpointId: other.webhook.id, status });
    made.unshift({ id, eventId, orderId, type, status, atMs });
  }
  const idsOf = (test: (one: (typeof made)[number]) => boolean) => made.filter(test).map(({ id }) => id);
  const readAll = async (filters: Record<string, string>): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const query = new URLSearchParams({ ...filters, limit: "2", cursor });
      const page = await desk.get("GET", `/v1/webhooks/${webhook.id}/deliveries?${query}`);
      seen.push(...page.data.map(({ id }) => id));
      if (!page.hasMore) return seen;
      cursor = page.nextCursor;
    }
  };
  const time = (ms: number) => new Date(ms).toISOString();
  const eventId = made[3]?.eventId ?? "";
  const cases: [Record<string, string>, string[]][] = [
    [{ eventType: "order.refunded" }, idsOf(({ type }) => type === "order.refunded")],
    [{ eventId }, idsOf((one) => one.eventId === eventId)],
    [{ orderId: "ord_filtered_1" }, idsOf(({ orderId }) => orderId === "ord_filtered_1")],
    [{ orderId: "ord_filtered_1", eventType: "webhook.test" }, []],
    [{ orderId: "ord_none" }, []],
    [{ eventId, orderId: "ord_filtered_0" }, []],
    [{ createdFrom: time(start + 3_000) }, idsOf(({ atMs }) => atMs >= start + 3_000)],
    [{ createdTo: time(start + 3_000) }, idsOf(({ atMs }) => atMs < start + 3_000)],
    [
      {
        createdFrom: time(start + 1_000),
        createdTo: time(start + 7_000),
        eventType: "order.refunded",
        status: "failed",
      },
      idsOf(
        ({ atMs, type, status }) =>
          atMs >= start + 1_000 && atMs < start + 7_000 && type === "order.refunded" && status === "failed",
      ),
    ],
  ];
  for (const [filters, expected] of cases)
    assert.deepEqual(await readAll(filters), expected, JSON.stringify(filters));
});

test("a cursor is bound to its endpoint and filter", async () => {
  const { webhook } = await desk.register();
  const other = await desk.register();
  await fill(webhook.id, 7);
  const path = `/v1/webhooks/${webhook.id}/deliveries`;
  const { nextCursor } = await desk.get("GET", `${path}?limit=1`);
  await desk.get("GET", `${path}?cursor=${nextCursor}`);
  for (const url of [
    `${path}?status=failed&cursor=${nextCursor}`,
    `${path}?eventType=order.fulfilled&cursor=${nextCursor}`,
    `${path}?eventId=evt_1&cursor=${nextCursor}`,
    `${path}?orderId=ord_1&cursor=${nextCursor}`,
    `${path}?createdFrom=2030-01-01T00:00:00Z&cursor=${nextCursor}`,
    `${path}?createdTo=2030-01-01T00:00:00Z&cursor=${nextCursor}`,
    `/v1/webhooks/${other.webhook.id}/deliveries?cursor=${nextCursor}`,
    `/v1/events?cursor=${nextCursor}`,
    `/v1/webhooks?cursor=${nextCursor}`,
  ]) {
    const reply = await desk.ask("GET", url);
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_cursor"], url);
  }
});

test("an unknown status and unknown parameters are 400", async () => {
  for (const query of [
    "status=sent",
    "status=",
    "eventType=",
    "state=failed",
    "limit=-1",
    "status=failed&status=failed",
    "eventType=order.lost",
    "createdFrom=yesterday",
    "createdTo=2030-02-30",
  ]) {
    const reply = await desk.ask("GET", `/v1/webhooks/${endpointId}/deliveries?${query}`);
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_request"], query);
  }
});

test("a page ends after so many deliveries that do not match, and the next one continues from there", async () => {
  const { webhook } = await desk.register();
  const { db } = desk.scrip;
  const first = await addDelivery(db, {
    eventId: await addEvent(db, { ...desk.live, at: desk.clock.now() }),
    endpointId: webhook.id,
    status: "failed",
  });
  for (let index = 0; index < 305; index += 1)
    await addDelivery(db, {
      eventId: await addEvent(db, { ...desk.live, at: desk.clock.now() }),
      endpointId: webhook.id,
      status: "delivered",
    });
  const selection = { status: "failed", limit: 50 } as const;
  const page = await listDeliveryRows(db, webhook.id, { ...selection, beforeId: undefined });
  assert.deepEqual(page.rows, []);
  assert.ok(page.nextBeforeId);
  const next = await listDeliveryRows(db, webhook.id, { ...selection, beforeId: page.nextBeforeId });
  assert.deepEqual([next.rows.map(({ id }) => id), next.nextBeforeId], [[first], undefined]);
});
