import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  createPlacementMaker,
  ordersOf,
  postOrder,
} from "../../testing/builders/buyers.ts";
import { upgradeRows } from "../../testing/database/upgrade-rows.ts";
import { audit } from "../audit/audit.ts";
import type { Queryable } from "../db/database.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { ACTOR_KINDS, type Actor, keyIdOf, otherIdOf } from "../lib/actor.ts";
import { createPlacementBatch } from "./placing/placement-batch.ts";
import { findAnyOrder } from "./queries.ts";

let scrip: TestApp;

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
});

after(async () => {
  try {
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await scrip.close();
  }
});

const user = (id: string): Actor => ({ kind: "user", id });
const placedBy = async (id: string) => (await findAnyOrder(scrip.db, id))?.placedBy;

/** Places an order for the buyer's wallet as this actor. */
async function placeAs(buyer: Buyer, actor: Actor, idempotencyKey: string) {
  const make = await createPlacementMaker(scrip.db);
  return createPlacementBatch(scrip.db, scrip.clock)({ ...make(buyer, idempotencyKey), actor });
}

test("an order of the API was placed by its key, and so says the log", async () => {
  const buyer = await addBuyer(scrip);
  const { order } = (await postOrder(scrip, buyer, "by key")).json();
  const actor = { kind: "key", id: buyer.keyId };
  assert.deepEqual(await placedBy(order.id), actor);
  assert.ok(scrip.logged().includes(`"actor":${JSON.stringify(actor)}`));
});

const addKeyRow = async ({ resellerId, environment }: Buyer): Promise<Actor> => ({
  kind: "key",
  id: (await scrip.addKey(resellerId, { env: environment })).id,
});

test("only a living key of the reseller places an order: every other actor is refused and nothing is written", async () => {
  const [buyer, other] = [await addBuyer(scrip), await addBuyer(scrip)];
  const strangers: Actor[] = [
    user("usr_1"),
    // The id of a living key does not make any other kind of actor alive.
    ...(["user", "staff", "command", "system"] as const).map((kind) => ({ kind, id: buyer.keyId })),
    { kind: "key", id: other.keyId },
    { kind: "key", id: "usr_1" },
  ];
  const make = await createPlacementMaker(scrip.db);
  const submit = createPlacementBatch(scrip.db, scrip.clock);
  // Keys that end after their request was admitted and before the wallet is locked.
  const [expired, revoked] = [await addKeyRow(buyer), await addKeyRow(buyer)];
  await scrip.db.rows(sql`update api_keys set expires_at = ${scrip.clock.now()} where id = ${expired.id}`);
  await revokeKey(scrip.db, scrip.clock, revoked.id);
  strangers.push(expired, revoked);
  const decisions = await Promise.all([
    ...strangers.map((actor, index) => submit({ ...make(buyer, `by a stranger ${index}`), actor })),
    submit(make(buyer, "by its key")),
  ]);
  assert.deepEqual(
    decisions.map(({ kind }) => kind),
    [...strangers.map(() => "revoked"), "placed"],
  );
  assert.deepEqual(
    (await ordersOf(scrip.db, buyer)).map((one) => one.idempotencyKey),
    ["by its key"],
  );
  assert.equal(await balanceOf(scrip.db, buyer), 100_000 - 250);
});

test("an actor that living_actors returns places orders for that reseller only, and is recorded by kind and id", async () => {
  const [buyer, other] = [await addBuyer(scrip), await addBuyer(scrip)];
  await scrip.db.rows(sql`create table team (user_id text, reseller_id text)`);
  await scrip.db.rows(sql`insert into team values ('usr_1', ${buyer.resellerId})`);
  await scrip.db.rows(sql`
    create or replace function living_actors(kinds text[], ids text[], reseller_ids text[], at timestamptz)
    returns table (kind text, id text, reseller_id text) language sql stable as $$
      select asked.kind, asked.id, asked.reseller_id
      from unnest(kinds, ids, reseller_ids) as asked (kind, id, reseller_id)
      join team t on t.user_id = asked.id and t.reseller_id = asked.reseller_id
      where asked.kind in ('user', 'key')
    $$`);
  const placed = await placeAs(buyer, user("usr_1"), "by a person");
  assert.ok(placed.kind === "placed");
  assert.deepEqual(await placedBy(placed.order.id), user("usr_1"));
  assert.equal((await placeAs(other, user("usr_1"), "for another")).kind, "revoked");
  // Keys are looked up by begin_placement_batch itself, whatever this function returns.
  assert.equal((await placeAs(buyer, { kind: "key", id: "usr_1" }, "as a key")).kind, "revoked");

  await scrip.db.rows(sql`delete from team`);
  assert.equal((await placeAs(buyer, user("usr_1"), "after leaving")).kind, "revoked");
});

test("a process of the version before goes on: its function is there, and its orders get their actor and their refund time", async () => {
  const buyer = await addBuyer(scrip);
  const { rows } = scrip.db;
  const [state] = await rows<{ living_keys: string[]; wallets: unknown[] }>(sql`
    select * from begin_placements(array[${buyer.resellerId}], array['live'], array[]::text[],
                                   array[${buyer.keyId}], now(), 500)`);
  assert.deepEqual([state?.living_keys, state?.wallets.length], [[buyer.keyId], 1]);
  await scrip.db.transaction(async (tx) => {
    const [order] = await tx.rows<{ actor: Actor; refundAfterMs: number }>(sql`
      insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, test_scenario, total_minor,
                          currency, key_id, created_at, updated_at)
      values ('ord_old', ${buyer.resellerId}, 'test', 'old', sha256(''), 'refunded_after_completion', 1, 'USD',
              ${buyer.keyId}, now(), now())
      returning actor(orders), refund_after_ms as "refundAfterMs"`);
    assert.deepEqual(order, { actor: { kind: "key", id: buyer.keyId }, refundAfterMs: 2_000 });
    await tx.rows(sql`delete from orders where id = 'ord_old'`);
  });
});

test("an actor is a key or another of the known kinds, never both and never neither", async () => {
  const { resellerId } = await addBuyer(scrip);
  const insert = (db: Queryable, kind: string, keyId: string | null, actorId: string | null) =>
    db.rows<{ actor: Actor }>(sql`
      insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, actor_kind,
                          key_id, actor_id, created_at, updated_at)
      values ('ord_actor', ${resellerId}, 'live', 'actor', sha256(''), 1, 'USD', ${kind}, ${keyId}, ${actorId}, now(),
              now())
      returning actor(orders)`);
  for (const [kind, keyId, actorId] of [
    ["key", null, null],
    ["key", null, "usr_1"],
    ["key", "key_1", "usr_1"],
    ["user", "key_1", null],
    ["user", null, null],
    ["robot", null, "rob_1"],
  ] as const)
    await assert.rejects(insert(scrip.db, kind, keyId, actorId), { constraint: "orders_actor" });
  await scrip.db.transaction(async (tx) => {
    for (const kind of ACTOR_KINDS) {
      const actor = { kind, id: "id_1" };
      assert.deepEqual(await insert(tx, kind, keyIdOf(actor), otherIdOf(actor)), [{ actor }]);
      await tx.rows(sql`delete from orders where id = 'ord_actor'`);
    }
  });
});

test("rows from before the upgrade were written by their keys, and orders that wait for their refund still get it", async () => {
  const order = (id: string, environment: string, scenario: string, status: string) => `
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, test_scenario, status, total_minor,
                        currency, key_id, created_at, updated_at)
    values ('${id}', 'rsl_1', '${environment}', '${id}', sha256(''), ${scenario}, '${status}', 1, 'USD', 'key_1', now(), now());`;
  const rows = `
    ${order("ord_1", "live", "null", "completed")}
    ${order("ord_2", "test", "'refunded_after_completion'", "completed")}
    ${order("ord_3", "test", "'refunded_after_completion'", "processing")}
    ${order("ord_4", "test", "'partial'", "processing")}
    insert into order_work (order_id, due_at) values ('ord_3', now()), ('ord_4', now());
    insert into code_reveals (order_id, reseller_id, environment, key_id, request_id, address, code_count, revealed_at)
    values ('ord_1', 'rsl_1', 'live', 'key_2', 'req_1', '192.0.2.1', 1, now());`;
  const range = { first: "0013_actors_and_refund_times.sql", last: "0025_reveal_actors.sql" };
  await upgradeRows(scrip.db, { ...range, rows }, async (tx) => {
    const orders = await tx.rows<{ actor: Actor; refundAfterMs: number | null }>(sql`
      select o.actor, o.refund_after_ms as "refundAfterMs" from orders o order by o.id`);
    const actor = { kind: "key", id: "key_1" };
    assert.deepEqual(
      orders,
      [null, 2_000, 2_000, null].map((refundAfterMs) => ({ actor, refundAfterMs })),
    );
    const reveals = await tx.rows(sql`select r.actor from code_reveals r`);
    assert.deepEqual(reveals, [{ actor: { kind: "key", id: "key_2" } }]);
  });
});
