import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { auditAfter } from "../../testing/builders/audit-after.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  CARD,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  postOrder,
} from "../../testing/builders/buyers.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import { changeKey } from "../keys/change-key.ts";
import { createKey } from "../keys/create-key.ts";
import { findSpentOn } from "../keys/limits/limit-queries.ts";
import type { LimitChanges } from "../keys/limits/read-limits.ts";
import { unfreezeKey } from "../keys/limits/unfreeze-key.ts";
import { USUAL_HOURS_MIN, watchVelocity } from "../keys/limits/watch-velocity.ts";
import { rollKey } from "../keys/roll-key.ts";
import { createPlacementBatch } from "./placing/placement-batch.ts";

const CALLERS = 64;
const ROUNDS = sizeFor("soak", { share: 1, full: 12 });
const HOUR_MS = 3_600_000;
/** One hour before midnight of a day to come, so that no other test's orders are on it. */
const clock = createHandClock(new Date("2031-05-04T23:00:00Z"));
let scrip: TestApp;

before(async () => {
  scrip = await createTestApp({ clock });
  await addCard(scrip.db);
});

after(async () => {
  const { ok, invariants } = await audit(scrip.db);
  await scrip.close();
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
});

const cards = (quantity: number) => ({ lines: [{ productId: CARD, quantity }] });
const limit = (buyer: Buyer, limits: LimitChanges) => changeKey(scrip, buyer.keyId, { limits });
const today = () => clock.now().toISOString().slice(0, 10);
const spentBy = async ({ keyId }: Buyer, day = today()) =>
  (await findSpentOn(scrip.db, [keyId], day)).get(keyId) ?? 0n;

async function addSecondKey(buyer: Buyer, limits: LimitChanges): Promise<Buyer> {
  const { resellerId, environment } = buyer;
  const { id, key } = await createKey(
    { db: scrip.db, clock, pepper: scrip.secrets.pepper },
    { resellerId, environment, name: "", scopes: undefined, allowedIps: [], expiresAt: undefined, limits },
  );
  return { ...buyer, keyId: id, key };
}

let orders = 0;
async function place(buyer: Buyer, quantity = 1): Promise<{ status: number; code?: string; id: string }> {
  orders += 1;
  const reply = await postOrder(scrip, buyer, `limited-${orders}`, cards(quantity));
  const body = reply.json();
  return { status: reply.statusCode, code: body.code, id: body.order?.id };
}

const refund = (orderId: string) =>
  refundOrder(scrip.db, clock, { orderId, lines: undefined, reason: "test" });

test("an order above the cap of an order is 402 spend_limit_reached, and one at the cap is placed", async () => {
  const buyer = await addBuyer(scrip);
  await limit(buyer, { maxOrder: "5.00" });
  const reply = await postOrder(scrip, buyer, "too-large", cards(3));
  assert.equal(reply.statusCode, 402);
  assert.equal(reply.json().code, "spend_limit_reached");
  assert.match(
    reply.json().detail,
    /5\.00 USD in one order, and this order costs 7\.50 USD\. Split the order/,
  );
  assert.equal((await place(buyer, 2)).status, 202);
  assert.equal((await scrip.db.rows(sql`select from key_spending where key_id = ${buyer.keyId}`)).length, 0);
  await limit(buyer, { maxOrder: null });
  assert.equal((await postOrder(scrip, buyer, "too-large", cards(3))).statusCode, 202, "nothing was bound");
});

test("the cap of a day counts what was spent before it was set, and refunds of the same day", async () => {
  const buyer = await addBuyer(scrip);
  const early = await place(buyer, 2);
  const refunded = await place(buyer, 2);
  await refund(refunded.id);
  await limit(buyer, { maxDay: "10.00" });
  assert.equal(await spentBy(buyer), 500n);
  const last = await place(buyer, 2);
  assert.equal(last.status, 202);
  assert.equal((await place(buyer)).code, "spend_limit_reached");
  const repeat = await postOrder(scrip, buyer, `limited-${orders - 1}`, cards(2));
  assert.equal(repeat.headers["idempotent-replayed"], "true", "a replay is not spending");
  await refund(early.id);
  assert.equal((await place(buyer, 2)).status, 202, "the refund gave back");
  assert.equal((await place(buyer)).code, "spend_limit_reached");
  await limit(buyer, { maxDay: "12.50" });
  assert.equal((await place(buyer)).status, 202, "a raised cap keeps the count");
  await limit(buyer, { maxDay: null });
  assert.equal((await place(buyer, 10)).status, 202);
  assert.equal((await audit(scrip.db)).ok, true);
});

test("two keys of one wallet have their own caps, and a refund gives back to the key that placed the order", async () => {
  const one = await addBuyer(scrip);
  const other = await addSecondKey(one, { maxDay: "5.00" });
  await limit(one, { maxDay: "5.00" });
  const placed = await place(one, 2);
  assert.equal((await place(one)).code, "spend_limit_reached");
  assert.equal((await place(other)).status, 202);
  await refund(placed.id);
  assert.deepEqual([await spentBy(one), await spentBy(other)], [0n, 250n]);
  assert.equal((await place(other, 2)).code, "spend_limit_reached");
});

test("a rolled key keeps the caps and starts from zero", async () => {
  const buyer = await addBuyer(scrip);
  await limit(buyer, { maxOrder: "7.00", maxDay: "5.00" });
  await place(buyer, 2);
  const creator = { kind: "command", id: "test" } as const;
  const rolled = await rollKey(
    { db: scrip.db, clock, pepper: scrip.secrets.pepper },
    { id: buyer.keyId, graceMs: HOUR_MS, creator },
  );
  const successor = { ...buyer, keyId: rolled.id, key: rolled.key };
  assert.equal((await place(successor, 3)).code, "spend_limit_reached");
  assert.equal((await place(successor, 2)).status, 202);
  assert.equal((await place(successor, 1)).code, "spend_limit_reached");
});

test("what is no limit is refused, and a limit of a key that is not there", async () => {
  const buyer = await addBuyer(scrip);
  for (const maxDay of ["0", "-1", "1.001", "much", ""])
    await assert.rejects(
      limit(buyer, { maxDay }),
      /the limit of a day must be an amount in USD above zero/,
      maxDay,
    );
  await assert.rejects(limit(buyer, { velocityTimes: 1 }), /whole number from 2 to 1000/);
  await assert.rejects(limit({ ...buyer, keyId: "key_none" }, { maxDay: "1" }), /there is no key/);
});

test(`${CALLERS} callers of two batches spend a day's cap over midnight, with refunds and two keys`, async () => {
  const random = createRandom(SEED);
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = await addBuyer(scrip, "100000.00");
    await limit(one, { maxDay: "100.00", maxOrder: "20.00" });
    const keys = [one, await addSecondKey(one, { maxDay: "37.25" })];
    const make = await createPlacementMaker(scrip.db);
    const batches = [createPlacementBatch(scrip.db, clock), createPlacementBatch(scrip.db, clock)];
    const midnightMs = Date.parse(today()) + 24 * HOUR_MS;
    const caller = async (nth: number) => {
      for (let order = 0; order < 4; order += 1) {
        const buyer = random.pick(keys);
        const createdAt = new Date(midnightMs + (random.pick([true, false]) ? -1 : 0));
        const placement = make(buyer, `race-${round}-${nth}-${order}`, random.pick([1, 2, 3, 9]));
        const decision = await random.pick(batches)({ ...placement, createdAt });
        assert.ok(decision.kind === "placed" || decision.kind === "refused", decision.kind);
        if (decision.kind === "placed" && random.pick([true, false, false])) await refund(decision.order.id);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, nth) => caller(nth)));
    await checkRoom(keys, midnightMs);
    clock.advance(24 * HOUR_MS);
  }
});

/** Never beyond the cap, and never refused with room: now that all is quiet, each key can spend exactly what is left. */
async function checkRoom(keys: readonly Buyer[], midnightMs: number): Promise<void> {
  const make = await createPlacementMaker(scrip.db);
  const submit = createPlacementBatch(scrip.db, clock);
  for (const [index, capMinor] of [10_000n, 3_725n].entries()) {
    const buyer = keys[index] as Buyer;
    for (const createdAt of [new Date(midnightMs - 1), new Date(midnightMs)]) {
      const day = createdAt.toISOString().slice(0, 10);
      const spent = await spentBy(buyer, day);
      assert.ok(spent <= capMinor, `spent ${spent} of ${capMinor} (seed ${SEED})`);
      const units = Number((capMinor - spent) / BigInt(CARD_PRICE_MINOR));
      const tries = await Promise.all(
        Array.from({ length: units + 2 }, (_, nth) =>
          submit({ ...make(buyer, `room-${day}-${index}-${nth}-${midnightMs}`), createdAt }),
        ),
      );
      assert.equal(tries.filter(({ kind }) => kind === "placed").length, units, `seed ${SEED}`);
    }
  }
}

test("a key that would spend more than so many times its usual hour is frozen, its owner is told once, and it is unfrozen", async () => {
  const buyer = await addBuyer(scrip, "100000.00");
  const other = await addSecondKey(buyer, {});
  await limit(buyer, { velocityTimes: 3 });
  assert.equal((await place(buyer, 10)).status, 202, "nothing is usual yet");
  for (let hour = 0; hour < USUAL_HOURS_MIN; hour += 1) {
    clock.advance(HOUR_MS);
    await place(buyer, 1);
  }
  clock.advance(HOUR_MS);
  await watchVelocity({ db: scrip.db, clock });
  // 25 hours: 10 cards in one and 1 in each of the others, so 3 times the usual hour is 4.08 cards.
  assert.equal((await place(buyer, 4)).status, 202);
  assert.equal((await place(buyer, 1)).code, "key_frozen");
  const [refused] = await scrip.db.rows<{ frozenAt: Date }>(
    sql`select frozen_at as "frozenAt" from api_keys where id = ${buyer.keyId} and frozen_at is not null`,
  );
  assert.ok(refused, "the refusal froze it");
  clock.advance(HOUR_MS);
  assert.deepEqual([(await place(buyer)).code, (await place(other, 9)).status], ["key_frozen", 202]);
  const repeat = await postOrder(scrip, buyer, `limited-${orders - 3}`, cards(4));
  assert.equal(repeat.headers["idempotent-replayed"], "true", "a replay still returns its order");
  await watchVelocity({ db: scrip.db, clock });
  await watchVelocity({ db: scrip.db, clock });
  const letters = await scrip.db.rows<{ recipient: string; subject: string }>(
    sql`select recipient, subject from letters where cause like ${`key ${buyer.keyId} frozen%`}`,
  );
  assert.deepEqual(letters, [
    {
      recipient: "owner@buyer.example",
      subject: `Your API key sc_live_…${buyer.key.slice(-4)} on Scrip was frozen`,
    },
  ]);
  const log = await scrip.db.rows(
    sql`select actor_kind as actor, action from activity where object_id = ${buyer.keyId} and action = 'key.frozen'`,
  );
  assert.deepEqual(log, [{ actor: "system", action: "key.frozen" }]);
  await unfreezeKey(scrip, buyer.keyId);
  assert.equal((await place(buyer, 9)).status, 202, "the rest of the hour is free");
  clock.advance(HOUR_MS);
  assert.equal((await place(buyer, 9)).code, "key_frozen");
});

test("the audit finds a count that differs from the orders, in either direction, and one without its key", async () => {
  const buyer = await addBuyer(scrip);
  await limit(buyer, { maxDay: "50.00" });
  await place(buyer, 2);
  const hour = `${clock.now().toISOString().slice(0, 13).replace("T", " ")}:00 UTC`;
  const after = (change: ReturnType<typeof sql>) => auditAfter(scrip.db, (tx) => tx.rows(change));
  assert.deepEqual(
    await after(sql`update key_spending set spent_minor = 499 where key_id = ${buyer.keyId}`),
    {
      14: [`key ${buyer.keyId} spent 500 in the hour from ${hour}, and 499 is counted`],
    },
  );
  assert.deepEqual(await after(sql`delete from key_spending where key_id = ${buyer.keyId}`), {
    14: [`key ${buyer.keyId} spent 500 in the hour from ${hour}, and 0 is counted`],
  });
  assert.deepEqual(
    await after(
      sql`insert into key_spending select 'key_gone', hour, 7 from key_spending where key_id = ${buyer.keyId}`,
    ),
    { 14: [`key key_gone spent 0 in the hour from ${hour}, and 7 is counted`] },
  );
});
