import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { createHandClock, type HandClock } from "../../../testing/hand-clock.ts";
import { announceChanges } from "./announce-changes.ts";

let scrip: TestApp;
let clock: HandClock;
let resellerId: string;
let key: string;
let otherKey: string;

before(async () => {
  clock = createHandClock();
  scrip = await createTestApp({ clock });
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  otherKey = (await scrip.addKey((await scrip.addReseller({ priceList: "other" })).id)).key;
  await addProducts(scrip.db, [{ id: "card" }]);
  await addListPrice(scrip.db, { productId: "card", amountMinor: 5n });
});

after(() => scrip.close());

const register = async (as: string, events?: string[]): Promise<string> => {
  const body = { url: "https://hook.example.com/", ...(events ? { events } : {}) };
  const reply = await scrip.call("POST", "/v1/webhooks", { key: as, body });
  assert.equal(reply.statusCode, 201, reply.body);
  return reply.json().webhook.id;
};

/** Endpoints that were told in this round. */
const announce = async (): Promise<string[]> => {
  const before = await scrip.db.rows<{ id: string }>(sql`select id from deliveries`);
  await Promise.all([announceChanges({ db: scrip.db, clock }), announceChanges({ db: scrip.db, clock })]);
  const rows = await scrip.db.rows<{ endpointId: string }>(sql`
    select d.endpoint_id as "endpointId" from deliveries d join events e on e.id = d.event_id
    where e.type = 'catalog.changed' and d.id <> all(${before.map(({ id }) => id)}::text[])`);
  return rows.map(({ endpointId }) => endpointId).sort();
};

const change = () => scrip.db.rows(sql`update products set bonus = bonus || '+' where id = 'card'`);

test("catalog.changed goes to endpoints that name it, at most once a minute, once for any number of processes", async () => {
  await register(key);
  await register(key, ["order.fulfilled"]);
  await change();
  const first = await register(key, ["catalog.changed"]);
  const second = await register(key, ["catalog.changed", "order.refunded"]);
  assert.deepEqual(await announce(), [], "nothing has changed since they subscribed");
  await change();
  assert.deepEqual(await announce(), [first, second].sort());
  await change();
  assert.deepEqual(await announce(), []);
  clock.advance(59_999);
  assert.deepEqual(await announce(), []);
  clock.advance(1);
  assert.deepEqual(await announce(), [first, second].sort());
  clock.advance(60_000);
  assert.deepEqual(await announce(), [], "nothing has changed since");
  const { data } = (await scrip.call("GET", "/v1/events?type=catalog.changed", { key })).json();
  assert.equal(data.length, 2);
  assert.deepEqual(Object.keys(data[0].data), ["noticed_at"]);
});

test("what another reseller or price list sees is no change", async () => {
  const other = await register(otherKey, ["catalog.changed"]);
  clock.advance(60_000);
  await scrip.db.rows(sql`update list_prices set amount_minor = amount_minor + 1`);
  const told = await announce();
  assert.ok(told.length === 2 && !told.includes(other));
  clock.advance(60_000);
  await scrip.db.rows(
    sql`insert into unlisted_products (reseller_id, product_id) values (${resellerId}, 'card')`,
  );
  assert.equal((await announce()).includes(other), false);
  await change();
  clock.advance(60_000);
  assert.equal((await announce()).includes(other), true);
});
