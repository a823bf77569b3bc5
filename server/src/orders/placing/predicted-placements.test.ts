import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  ordersOf,
} from "../../../testing/builders/buyers.ts";
import { startFaultProxy } from "../../../testing/database/fault-proxy.ts";
import { eventually } from "../../../testing/eventually.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import { audit } from "../../audit/audit.ts";
import { createProductReader } from "../../catalog/prices/priced-products.ts";
import { setPrice } from "../../catalog/prices/set-price.ts";
import { connectDatabase, type Db } from "../../db/database.ts";
import { changeKey } from "../../keys/change-key.ts";
import { revokeKey } from "../../keys/revoke-key.ts";
import { machineTimeMs } from "../../lib/machine-time.ts";
import { Problem } from "../../lib/problem.ts";
import { freezeReseller } from "../../resellers/freeze-reseller.ts";
import { moveFunds } from "../../wallet/move-funds.ts";
import { toOrderRequest } from "../order-request.ts";
import { placeOrder } from "../place-order.ts";
import { ARRIVES_WITHIN_MS } from "./confirm-queries.ts";
import type { Placement } from "./decide-placements.ts";
import { type BatchDecision, createPlacementBatch, type SubmitPlacement } from "./placement-batch.ts";

const FUNDS_MINOR = 100_000;
const ACTOR = { kind: "command", id: "test" } as const;

let scrip: TestApp;
before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
});
after(async () => {
  const { ok, invariants } = await audit(scrip.db);
  await scrip.close();
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
});

/** A process that places orders, and how its transactions went: `ahead` of the locks, or `under` them. */
function openProcess(db: Db = scrip.db): { submit: SubmitPlacement; ways: string[] } {
  const ways: string[] = [];
  const watched: Db = {
    ...db,
    shortTransaction: (...args) => {
      ways.push("under");
      return db.shortTransaction(...args);
    },
    wholeTransaction: (...args) => {
      ways.push("ahead");
      return db.wholeTransaction(...args);
    },
  };
  return { submit: createPlacementBatch(watched, scrip.clock), ways };
}

let lastKey = 0;
async function make(buyer: Buyer, quantity = 1): Promise<Placement> {
  lastKey += 1;
  return (await createPlacementMaker(scrip.db))(buyer, `key-${lastKey}`, quantity);
}

const submitAll = (submit: SubmitPlacement, placements: readonly Placement[]): Promise<BatchDecision[]> =>
  Promise.all(placements.map((one) => submit(one)));

/** A process that knows the wallet of this buyer so well that it decides its orders ahead. */
async function openExperienced(buyer: Buyer, db?: Db) {
  const experienced = openProcess(db);
  for (let time = 0; time < 3; time += 1) await experienced.submit(await make(buyer));
  assert.deepEqual(experienced.ways.splice(0), ["under", "under", "ahead"]);
  return experienced;
}

test("a wallet that nobody else moves is decided ahead from the third batch on, in one round trip", async () => {
  const buyer = await addBuyer(scrip);
  const { submit, ways } = await openExperienced(buyer);
  const decisions = await submitAll(submit, [await make(buyer), await make(buyer, 2)]);
  assert.deepEqual(
    decisions.map(({ kind }) => kind),
    ["placed", "placed"],
  );
  assert.deepEqual(ways, ["ahead"]);
  assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - 6 * CARD_PRICE_MINOR);
});

test("a wallet that was fenced is decided ahead again, with the fence that was found", async () => {
  const buyer = await addBuyer(scrip);
  const { submit, ways } = await openExperienced(buyer);
  await scrip.db.rows(sql`update wallets set fence = fence + 7 where reseller_id = ${buyer.resellerId}`);
  for (let time = 0; time < 3; time += 1)
    assert.equal((await submit(await make(buyer))).kind, "placed", `order ${time}`);
  assert.deepEqual(ways, ["ahead", "under", "under", "ahead"]);
});

test("what is refused ahead is refused as under the locks, and leaves nothing behind", async () => {
  const buyer = await addBuyer(scrip, "10.00");
  const { submit, ways } = await openExperienced(buyer);
  const once = await make(buyer);
  const unknown = new Problem("not_found", "Resource not found.");
  const decisions = await submitAll(submit, [
    await make(buyer, 2),
    { ...(await make(buyer)), priced: unknown },
    once,
    { ...once, orderId: (await make(buyer)).orderId },
    { ...once, orderId: (await make(buyer)).orderId, fingerprint: Buffer.alloc(32) },
    await make(buyer),
  ]);
  assert.deepEqual(
    decisions.map((one) => (one.kind === "refused" ? one.problem.code : one.kind)),
    ["insufficient_funds", "not_found", "placed", "replayed", "conflict", "insufficient_funds"],
  );
  assert.deepEqual(ways.splice(0), ["ahead"]);
  assert.equal((await submit(await make(buyer))).kind, "refused");
  assert.deepEqual(ways, ["ahead"], "a batch that writes nothing is confirmed as well");
  assert.equal((await ordersOf(scrip.db, buyer)).length, 4);
});

const CHANGES: readonly {
  what: string;
  change: (buyer: Buyer, placement: Placement) => Promise<unknown>;
  decided: string;
  /** How the next batch is decided: ahead, if this says nothing about it. */
  next: readonly string[];
}[] = [
  {
    what: "a deposit",
    change: (buyer) =>
      moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: "1.00", note: "" }),
    decided: "placed",
    next: ["under"],
  },
  {
    what: "an order of another process",
    change: async (buyer) => openProcess().submit(await make(buyer)),
    decided: "placed",
    next: ["under"],
  },
  {
    what: "the same order of another process",
    change: (_, placement) => openProcess().submit(placement),
    decided: "replayed",
    next: ["under"],
  },
  {
    what: "another order with its key",
    change: (_, placement) =>
      openProcess().submit({
        ...placement,
        orderId: placement.orderId.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        fingerprint: Buffer.alloc(32),
      }),
    decided: "conflict",
    next: ["under"],
  },
  {
    what: "the revocation of the key",
    change: (buyer) => revokeKey(scrip.db, scrip.clock, buyer.keyId),
    decided: "revoked",
    next: ["ahead", "under"],
  },
  {
    what: "the end of the key",
    change: (buyer) =>
      scrip.db.rows(sql`update api_keys set expires_at = ${scrip.clock.now()} where id = ${buyer.keyId}`),
    decided: "revoked",
    next: ["ahead", "under"],
  },
  {
    what: "a cap of the key",
    change: (buyer) => changeKey(scrip, buyer.keyId, { limits: { maxOrder: "1.00" } }),
    decided: "spend_limit_reached",
    next: ["under"],
  },
  {
    what: "a freeze",
    change: (buyer) => freezeReseller(scrip, buyer.resellerId, "test", { actor: ACTOR }),
    decided: "reseller_frozen",
    next: ["under"],
  },
  {
    what: "a new price",
    change: ({ resellerId }) =>
      setPrice(scrip.db, scrip.clock, {
        productId: CARD,
        target: { kind: "reseller", resellerId, currency: "USD" },
        amount: "2.00",
        strike: undefined,
      }),
    decided: "stale",
    next: ["ahead"],
  },
];

for (const { what, change, decided, next } of CHANGES) {
  test(`after ${what} a batch that was decided ahead writes nothing and is decided again`, async () => {
    const buyer = await addBuyer(scrip);
    const { submit, ways } = await openExperienced(buyer);
    const placement = await make(buyer);
    await change(buyer, placement);
    const before = (await ordersOf(scrip.db, buyer)).length;
    const decision = await submit(placement);
    assert.equal(decision.kind === "refused" ? decision.problem.code : decision.kind, decided);
    assert.deepEqual(ways.splice(0), ["ahead", "under"]);
    assert.equal((await ordersOf(scrip.db, buyer)).length, before + (decided === "placed" ? 1 : 0));
    await submit(await make(buyer));
    assert.deepEqual(ways, next);
  });
}

test("orders in doubt, of people, or priced under the locks are not decided ahead", async () => {
  const buyer = await addBuyer(scrip);
  const { submit, ways } = await openExperienced(buyer);
  const placement = await make(buyer);
  const { priced } = placement;
  await submit({ ...placement, isInDoubt: true });
  await submit({ ...(await make(buyer)), priceAgain: async () => priced });
  await submit({ ...(await make(buyer)), actor: { kind: "user", id: "usr_unknown" } });
  const [one, other] = [await make(buyer), { ...(await make(buyer)), catalogRevision: "0.0" }];
  const decisions = await submitAll(submit, [one, other]);
  assert.deepEqual(ways, ["under", "under", "under", "under"]);
  assert.deepEqual(
    decisions.map(({ kind }) => kind),
    ["placed", "stale"],
  );
});

test("a batch with one wallet that is not known is decided under the locks, and both are known from then on", async () => {
  const [known, unknown] = [await addBuyer(scrip), await addBuyer(scrip)];
  const { submit, ways } = await openExperienced(known);
  for (let time = 0; time < 3; time += 1) {
    const decisions = await submitAll(submit, [await make(known), await make(unknown)]);
    assert.ok(decisions.every(({ kind }) => kind === "placed"));
  }
  assert.deepEqual(ways, ["under", "under", "ahead"]);
});

/** A process whose messages to the database leave it only once they are let go. */
async function openSlow(buyer: Buyer) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isSlow = false;
  const slow: Db = {
    ...scrip.db,
    wholeTransaction: async (...args) => {
      if (isSlow) await promise;
      return scrip.db.wholeTransaction(...args);
    },
  };
  const experienced = await openExperienced(buyer, slow);
  isSlow = true;
  return { ...experienced, letGo: resolve };
}

test("what another process refused in doubt is not placed by a message that was decided ahead and comes late", async () => {
  const buyer = await addBuyer(scrip);
  const slow = await openSlow(buyer);
  const deadlineMs = machineTimeMs() + 100;
  const placement = await make(buyer);
  const late = slow.submit({ ...placement, deadlineMs });
  await eventually("its time is over", async () => (machineTimeMs() > deadlineMs ? true : undefined));
  const priced = new Problem("out_of_stock", "Sold out.");
  assert.equal((await openProcess().submit({ ...placement, priced, isInDoubt: true })).kind, "refused");
  slow.letGo();
  assert.equal((await late).kind, "busy");
  assert.deepEqual(slow.ways, ["ahead", "under"]);
  assert.equal((await ordersOf(scrip.db, buyer)).length, 3);
});

test("a message that was decided ahead and comes too late is not confirmed", async () => {
  const buyer = await addBuyer(scrip);
  let arrivesAfter = false;
  const { submit, ways } = await openExperienced(buyer, {
    ...scrip.db,
    wholeTransaction: (first, ...others) => {
      const notAfter = new Date(String(first.values[10]));
      assert.ok(Math.abs(notAfter.getTime() - Date.now() - ARRIVES_WITHIN_MS) < 2_000, "soon");
      const values = arrivesAfter
        ? first.values.with(10, new Date(Date.now() - 1).toISOString())
        : first.values;
      return scrip.db.wholeTransaction({ ...first, values }, ...others);
    },
  });
  arrivesAfter = true;
  assert.equal((await submit(await make(buyer))).kind, "placed");
  assert.deepEqual(ways, ["ahead", "under"]);
});

test("a caller is told that nothing was decided only once nothing that was sent can arrive any more", async () => {
  const buyer = await addBuyer(scrip);
  const { catalogRevision } = await make(buyer);
  const place = (isInDoubt: boolean) =>
    placeOrder(
      {
        db: scrip.db,
        readProducts: createProductReader(scrip.db),
        findShortage: async () => undefined,
        submit: async (placement) => {
          placement.isInDoubt = isInDoubt;
          throw new Error("the database is gone");
        },
        clock: scrip.clock,
        underWay: new Map(),
        onPlaced: () => {},
      },
      {
        ...buyer,
        actor: { kind: "key", id: buyer.keyId },
        scopes: [],
        allowedIps: [],
        rateLimits: { orders: undefined, reads: undefined },
        catalogRevision,
      },
      {
        idempotencyKey: "in doubt",
        request: toOrderRequest({ lines: [{ productId: CARD, quantity: 1 }] }),
        scenario: undefined,
      },
    );
  const begunMs = performance.now();
  await assert.rejects(place(true), /gone/);
  assert.ok(performance.now() - begunMs >= ARRIVES_WITHIN_MS - 5);
});

for (const statement of [/^begin/, /confirm_placement_batch/, /insert into orders/, /^commit$/]) {
  for (const kind of ["cut-before", "lose-answer"] as const) {
    test(`${kind} at ${statement} of a batch that was decided ahead: each order is there once`, async (t) => {
      const proxy = await startFaultProxy(scrip.connectionString);
      t.after(() => proxy.close());
      const far = connectDatabase({
        connectionString: proxy.connectionString,
        applicationName: "scrip test through proxy",
        poolSize: 2,
        onConnectionLost: () => {},
      });
      t.after(() => far.close());
      const buyer = await addBuyer(scrip);
      const { submit, ways } = await openExperienced(buyer, far);
      const placements = [await make(buyer), await make(buyer)];
      const fault = proxy.arm(statement, kind);
      const decisions = await submitAll(submit, placements);
      await fault.struck;
      assert.deepEqual(
        decisions.map((one) => ("order" in one ? one.order.id : one.kind)),
        placements.map(({ orderId }) => orderId),
      );
      assert.equal((await ordersOf(scrip.db, buyer)).length, 5);
      assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - 5 * CARD_PRICE_MINOR);
      assert.deepEqual(ways, ["ahead", "under"]);
      assert.ok(
        placements.every(({ isInDoubt }) => isInDoubt),
        "what was sent may still arrive",
      );
    });
  }
}

test("two processes with several wallets, and deposits: every order once, and each balance is right", async () => {
  const random = createRandom(SEED);
  const buyers = await Promise.all([1, 2, 3].map(() => addBuyer(scrip)));
  const processes = [openProcess(), openProcess()];
  const spent = new Map(buyers.map((buyer) => [buyer, 0]));
  const maker = await createPlacementMaker(scrip.db);
  for (let round = 0; round < 40; round += 1) {
    const calls = processes.flatMap(({ submit }, process) =>
      // Mostly one process at a time, so that wallets are quiet often enough.
      random.chance(process === 0 ? 0.9 : 0.2)
        ? buyers.filter(() => random.chance(0.8)).map((buyer) => ({ submit, buyer, process }))
        : [],
    );
    const deposits = buyers.filter(() => random.chance(0.05));
    await Promise.all([
      ...calls.map(async ({ submit, buyer, process }) => {
        const decision = await submit(maker(buyer, `${round} of ${process}`));
        assert.equal(decision.kind, "placed", `SEED=${SEED}`);
        spent.set(buyer, (spent.get(buyer) ?? 0) + CARD_PRICE_MINOR);
      }),
      ...deposits.map(async (buyer) => {
        await moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: "2.50", note: "" });
        spent.set(buyer, (spent.get(buyer) ?? 0) - CARD_PRICE_MINOR);
      }),
    ]);
  }
  for (const [buyer, minor] of spent)
    assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - minor, `SEED=${SEED}`);
  const ways = new Set(processes.flatMap((one) => one.ways));
  assert.deepEqual([...ways].sort(), ["ahead", "under"], `SEED=${SEED}`);
});
