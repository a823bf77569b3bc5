import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  ordersOf,
  postOrder,
} from "../../testing/builders/buyers.ts";
import { countWaiting } from "../../testing/database/count-waiting.ts";
import { eventually } from "../../testing/eventually.ts";
import { signInAs } from "../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../activity/list-activity.ts";
import { audit } from "../audit/audit.ts";
import { decidePlacements } from "../orders/placing/decide-placements.ts";
import { insertPlacements } from "../orders/placing/insert-queries.ts";
import { beginPlacements, type StateRow, toState } from "../orders/placing/placement-queries.ts";
import { lockWalletsOf } from "../wallet/queries.ts";
import { freezeReseller, unfreezeReseller } from "./freeze-reseller.ts";
import { updateFrozen } from "./queries.ts";

const BY = { actor: { kind: "staff", id: "stf_1" }, address: "203.0.113.9" } as const;
const REASON = "Unusual orders since noon";
const CALLERS = 8;
const LOCK_TIMEOUT_MS = 500;

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

const freeze = (buyer: Buyer) => freezeReseller(scrip, buyer.resellerId, REASON, BY);
const unfreeze = (buyer: Buyer) => unfreezeReseller(scrip, buyer.resellerId, "Checked", BY);

async function place(buyer: Buyer, key: string): Promise<string> {
  const reply = await postOrder(scrip, buyer, key);
  return reply.statusCode === 202 ? "placed" : `${reply.statusCode} ${reply.json().code}`;
}

/** A statement waits for a lock. */
const waiting = () =>
  eventually("a waiting statement", async () => ((await countWaiting(scrip.db)) > 0 ? true : undefined));

test("a frozen reseller reads and replays, and places nothing in either environment until it is unfrozen", async () => {
  const buyer = await addBuyer(scrip);
  const testKey = await scrip.addKey(buyer.resellerId, { env: "test" });
  const testBuyer: Buyer = { ...buyer, environment: "test", keyId: testKey.id, key: testKey.key };
  const placed = (await postOrder(scrip, buyer, "before")).json().order;
  const { frozenReason } = await freeze(buyer);
  assert.equal(frozenReason, REASON);
  assert.equal(await place(buyer, "after"), "403 reseller_frozen");
  assert.equal(await place(testBuyer, "after"), "403 reseller_frozen");
  const person = await signInAs(scrip, buyer.resellerId, "owner");
  const tried = await person.post(`/dashboard/catalog/${CARD}/try?env=test`, { quantity: "1" });
  assert.equal(tried.statusCode, 403);
  const replayed = await postOrder(scrip, buyer, "before");
  assert.deepEqual([replayed.statusCode, replayed.json().order.id], [202, placed.id]);
  for (const path of ["/v1/catalog", "/v1/balance", `/v1/orders/${placed.id}`])
    assert.equal((await scrip.call("GET", path, { key: buyer.key })).statusCode, 200, path);
  assert.equal(await balanceOf(scrip.db, buyer), 100_000 - CARD_PRICE_MINOR);
  assert.equal((await unfreeze(buyer)).frozenReason, null);
  assert.equal(await place(buyer, "after"), "placed");
  assert.equal(await place(testBuyer, "after"), "placed");
});

test("freezing and unfreezing are logged once, with the reason, for the reseller too", async () => {
  const buyer = await addBuyer(scrip);
  const first = await freeze(buyer);
  assert.deepEqual((await freeze(buyer)).frozenAt, first.frozenAt);
  await unfreeze(buyer);
  await unfreeze(buyer);
  const reader = { kind: "reseller", resellerId: buyer.resellerId } as const;
  const { data } = await listActivity(scrip.db, reader, {}, { limit: 10 });
  assert.deepEqual(
    data.map(({ action, actor, after }) => ({ action, actor, reason: after?.reason })),
    [
      { action: "reseller.unfrozen", actor: { kind: "staff" }, reason: "Checked" },
      { action: "reseller.frozen", actor: { kind: "staff" }, reason: REASON },
    ],
  );
  await assert.rejects(freezeReseller(scrip, buyer.resellerId, " ", BY), /a reason has 1 to 300 characters/);
  await assert.rejects(freezeReseller(scrip, "rsl_none", REASON, BY), /there is no reseller rsl_none/);
});

test("a freeze waits for a placement that has been decided, and that placement counts", async () => {
  const buyer = await addBuyer(scrip);
  const placement = (await createPlacementMaker(scrip.db))(buyer, "decided");
  let freezing: Promise<unknown> | undefined;
  await scrip.db.transaction(async (tx) => {
    const begin = beginPlacements([placement], scrip.clock.now(), LOCK_TIMEOUT_MS);
    const state = toState(await tx.rows<StateRow>(begin));
    const [decision] = decidePlacements(state, [placement]);
    assert.equal(decision?.kind, "placed");
    freezing = freeze(buyer);
    await waiting();
    await tx.rows(insertPlacements([decision.placed], [...state.wallets.values()]));
  });
  await freezing;
  assert.equal((await ordersOf(scrip.db, buyer)).length, 1);
  assert.equal(await place(buyer, "next"), "403 reseller_frozen");
});

test("a placement that waits for a freeze is refused when the freeze commits", async () => {
  const buyer = await addBuyer(scrip);
  let answer: Promise<string> | undefined;
  await scrip.db.transaction(async (tx) => {
    await lockWalletsOf(tx, buyer.resellerId);
    await updateFrozen(tx, buyer.resellerId, { at: scrip.clock.now(), reason: REASON });
    answer = place(buyer, "waits");
    await waiting();
  });
  assert.equal(await answer, "403 reseller_frozen");
  assert.deepEqual(await ordersOf(scrip.db, buyer), []);
});

test("once a freeze has returned, no order is committed any more", async () => {
  const buyer = await addBuyer(scrip);
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let nth = 0; ; nth += 1) {
      const told = await place(buyer, `storm-${caller}-${nth}`);
      if (told !== "placed") return { told, placed: nth };
    }
  });
  await eventually("orders of the storm", async () =>
    (await ordersOf(scrip.db, buyer)).length >= CALLERS ? true : undefined,
  );
  await freeze(buyer);
  const atFreeze = await ordersOf(scrip.db, buyer);
  const ends = await Promise.all(callers);
  assert.deepEqual(await ordersOf(scrip.db, buyer), atFreeze);
  assert.deepEqual(new Set(ends.map(({ told }) => told)), new Set(["403 reseller_frozen"]));
  const placed = ends.reduce((sum, end) => sum + end.placed, 0);
  assert.equal(placed, atFreeze.length);
  assert.equal(await balanceOf(scrip.db, buyer), 100_000 - CARD_PRICE_MINOR * placed);
});
