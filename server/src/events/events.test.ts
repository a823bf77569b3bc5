import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addOrder } from "../../testing/builders/builders.ts";
import { fulfilledEvent } from "../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../testing/builders/webhook-desk.ts";
import { idsOf } from "../lib/ids.ts";
import { emitEvents, type NewEvent } from "./emit-events.ts";
import { EVENT_TYPES } from "./event-types.ts";

let desk: WebhookDesk;
let start: Date;
/** The events below by their ids. */
const names = new Map<string, string>();

before(async () => {
  desk = await openWebhookDesk();
  start = desk.clock.now();
  for (const [name, orderId, type, cause] of EVENTS) {
    if (cause === "fulfilled") await addOrder(desk.scrip.db, { ...desk.live, id: orderId });
    await emit({ name, orderId, type, cause });
    desk.clock.advance(1_000);
  }
});
after(() => desk.scrip.close());

/** A second apart. */
const EVENTS = [
  ["a", "ord_one", "order.fulfilled", "fulfilled"],
  ["b", "ord_two", "order.fulfilled", "fulfilled"],
  ["c", "ord_one", "order.refunded", "ent_1"],
  ["d", "ord_one", "order.refunded", "ent_2"],
  ["e", "ord_three", "order.fulfilled", "fulfilled"],
] as const;

type Emitted = { name: string; orderId: string; type: "order.fulfilled" | "order.refunded"; cause: string };

async function emit({ name, orderId, type, cause }: Emitted): Promise<void> {
  const status = type === "order.fulfilled" ? "fulfilled" : "refunded";
  await desk.scrip.db.transaction((tx) =>
    emitEvents(
      tx,
      [
        {
          ...fulfilledEvent(desk.live, orderId),
          type,
          cause,
          data: { order_id: orderId, status },
        } as NewEvent,
      ],
      idsOf(desk.clock),
      desk.clock.now(),
    ),
  );
  const [row] = await desk.scrip.db.rows<{ id: string }>(
    sql`select id from events where order_id = ${orderId} and cause = ${cause}`,
  );
  names.set(row?.id ?? "", name);
}

const at = (seconds: number): string => new Date(start.getTime() + seconds * 1_000).toISOString();

async function list(query: Record<string, string>, owner = desk.live): Promise<string> {
  const reply = await desk.get("GET", `/v1/events?${new URLSearchParams(query)}`, undefined, owner);
  assert.deepEqual([reply.hasMore, reply.nextCursor], [false, ""]);
  return reply.data.map(({ id }) => names.get(id) ?? "?").join("");
}

test("the list is newest first, and each event is the envelope that is delivered", async () => {
  assert.equal(await list({}), "edcba");
  const bodies = await desk.scrip.db.rows<{ id: string; body: string }>(
    sql`select id, body from events where reseller_id = ${desk.live.resellerId} order by id desc`,
  );
  const { data } = await desk.get("GET", "/v1/events");
  assert.deepEqual(
    data,
    bodies.map(({ body }) => JSON.parse(body)),
  );
  for (const { id, body } of bodies) {
    const reply = await desk.ask("GET", `/v1/events/${id}`);
    assert.equal(reply.body, `{"event":${body}}`, "to the letter");
  }
  assert.deepEqual(data.at(-1), {
    id: data.at(-1)?.id,
    type: "order.fulfilled",
    created_at: at(0),
    data: { order_id: "ord_one", status: "fulfilled" },
  });
});

test("filters by type, order and time, alone and together", async () => {
  const expected: [Record<string, string>, string][] = [
    [{ type: "order.refunded" }, "dc"],
    [{ type: "webhook.test" }, ""],
    [{ orderId: "ord_one" }, "dca"],
    [{ orderId: "ord_none" }, ""],
    [{ orderId: "ord_one", type: "order.refunded" }, "dc"],
    [{ createdFrom: at(1), createdTo: at(3) }, "cb"],
    [{ createdFrom: at(4) }, "e"],
    [{ createdFrom: at(60) }, ""],
    [{ createdTo: at(1) }, "a"],
    [{ orderId: "ord_one", createdFrom: at(1), createdTo: at(3) }, "c"],
    [{ orderId: "ord_one", type: "order.fulfilled", createdFrom: at(1) }, ""],
    [{}, "edcba"],
  ];
  for (const [query, found] of expected) assert.equal(await list(query), found, JSON.stringify(query));
});

test("pages hold every event once, with any filter, and a cursor is bound to its filters", async () => {
  for (const [query, expected] of [
    ["", "edcba"],
    ["&orderId=ord_one", "dca"],
    ["&type=order.fulfilled", "eba"],
  ] as const) {
    let [seen, cursor] = ["", ""];
    for (;;) {
      const page = await desk.get("GET", `/v1/events?limit=1&cursor=${cursor}${query}`);
      seen += page.data.map(({ id }) => names.get(id)).join("");
      if (!page.hasMore) break;
      cursor = page.nextCursor;
    }
    assert.equal(seen, expected, query);
    const other = await desk.ask("GET", `/v1/events?orderId=ord_two&cursor=${cursor}`);
    assert.deepEqual([other.statusCode, other.json().code], [400, "invalid_cursor"]);
  }
});

test("unknown filters and invalid values are 400 and name the parameter", async () => {
  for (const [name, value] of [
    ["type", "order.lost"],
    ["type", "constructor"],
    ["orderId", "a\0"],
    ["createdFrom", "yesterday"],
    ["createdTo", "2030-02-31T00:00:00Z"],
    ["order_id", "ord_one"],
    ["limit", "-1"],
  ] as const) {
    const reply = await desk.ask("GET", `/v1/events?${new URLSearchParams({ [name]: value })}`);
    assert.equal(reply.statusCode, 400, name);
    assert.equal(reply.json().errors[0].pointer, `?${name}`);
  }
});

test("no other reseller or environment can list or read them", async () => {
  const [id = ""] = names.keys();
  const missing = await desk.ask("GET", "/v1/events/evt_none");
  const withoutId = (reply: typeof missing) =>
    reply.body.replace(String(reply.headers["x-request-id"]), "REQ");
  for (const owner of [desk.sandbox, desk.stranger]) {
    assert.equal(await list({}, owner), "");
    assert.equal(await list({ orderId: "ord_one" }, owner), "");
    const reply = await desk.ask("GET", `/v1/events/${id}`, undefined, owner);
    assert.equal(reply.statusCode, 404);
    assert.equal(withoutId(reply), withoutId(missing));
  }
  assert.equal((await desk.ask("GET", "/v1/events/%00")).statusCode, 404);
});

test("GET /v1/event-types lists every type that can be subscribed to, each with a description", async () => {
  const { data } = (await desk.ask("GET", "/v1/event-types")).json();
  assert.deepEqual(
    data.map(({ type }: { type: string }) => type),
    [...EVENT_TYPES],
  );
  for (const { description } of data) assert.ok(description.length > 10);
});
