import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  ordersOf,
} from "../../../testing/builders/buyers.ts";
import { eventually } from "../../../testing/eventually.ts";
import { moveFunds } from "../../wallet/move-funds.ts";
import { type BatchDecision, createPlacementQueues } from "../placing/placement-batch.ts";
import { forwardPlacements } from "./forward-placements.ts";
import { servePlacements } from "./serve-placements.ts";

let scrip: TestApp;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-"));
  scrip = await createTestApp({});
  await addCard(scrip.db);
});

after(async () => {
  await scrip.close();
  await rm(folder, { recursive: true, force: true });
});

const PRICE = (CARD_PRICE_MINOR / 100).toFixed(2);
const credit = (buyer: Buyer) =>
  moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: PRICE, note: "" });

/** A process that forwards, and the one that places for it. That one sleeps from now until `wake`. */
async function openPair(name: string, timeoutMs: number) {
  const path = join(folder, name);
  const placer = createPlacementQueues(scrip.db, scrip.clock);
  const own = createPlacementQueues(scrip.db, scrip.clock);
  const { promise: awake, resolve } = Promise.withResolvers<void>();
  const placed: Promise<readonly BatchDecision[]>[] = [];
  const counts = { arrived: 0, decidedHere: 0 };
  let isAsleep = false;
  const place = (decide: () => Promise<readonly BatchDecision[]>) => {
    counts.arrived += 1;
    const decisions = isAsleep ? awake.then(decide) : decide();
    placed.push(decisions);
    return decisions;
  };
  const server = await servePlacements(
    path,
    {
      submit: async (one) => (await place(async () => [await placer.submit(one)]))[0] as BatchDecision,
      submitGroup: (all) => place(() => placer.submitGroup(all)),
    },
    () => {},
  );
  const forwarded = forwardPlacements(
    path,
    {
      submit: (one) => {
        counts.decidedHere += 1;
        return own.submit(one);
      },
      submitGroup: (all) => {
        counts.decidedHere += 1;
        return own.submitGroup(all);
      },
    },
    timeoutMs,
  );
  const nobody = await addBuyer(scrip, PRICE);
  const probe = await createPlacementMaker(scrip.db);
  await eventually("it is connected", async () => {
    await forwarded.submit(probe(nobody, "probe"));
    return counts.arrived > 0 ? true : undefined;
  });
  Object.assign(counts, { arrived: 0, decidedHere: 0 });
  placed.length = 0;
  isAsleep = true;
  const wake = async (): Promise<string[]> => {
    resolve();
    return (await Promise.all(placed)).flat().map(({ kind }) => kind);
  };
  return { forwarded, server, counts, wake };
}

/** A buyer with nothing left, and a placement that costs what `credit` brings. */
async function addPoorBuyer() {
  const buyer = await addBuyer(scrip, "0.01");
  const place = await createPlacementMaker(scrip.db);
  return { buyer, place };
}

test("an order that was refused here is not placed by a process that wakes after a credit", async (t) => {
  const pair = await openPair("sleeps", 400);
  t.after(() => Promise.all([pair.forwarded.close(), pair.server.close()]));
  const { buyer, place } = await addPoorBuyer();
  const [one, [two]] = await Promise.all([
    pair.forwarded.submit(place(buyer, "one")),
    pair.forwarded.submitGroup([place(buyer, "two")]),
  ]);
  assert.deepEqual([one.kind, two?.kind], ["refused", "refused"]);
  assert.equal(pair.counts.arrived, 2);
  await credit(buyer);
  assert.deepEqual(await pair.wake(), ["busy", "busy"]);
  assert.deepEqual(await ordersOf(scrip.db, buyer), []);
  assert.equal(await balanceOf(scrip.db, buyer), CARD_PRICE_MINOR + 1);
});

test("after a lost connection nothing is refused while the other process can still place it", async (t) => {
  const pair = await openPair("lost", 800);
  t.after(() => pair.forwarded.close());
  const { buyer, place } = await addPoorBuyer();
  const placement = place(buyer, "one");
  const answer = pair.forwarded.submitGroup([placement]);
  await eventually("it has arrived", async () => (pair.counts.arrived > 0 ? true : undefined));
  await pair.server.close();
  await eventually("it is tried here", async () => (pair.counts.decidedHere > 0 ? true : undefined));
  await credit(buyer);
  const [decidedThere] = await pair.wake();
  const [decision] = await answer;
  // On a slow machine the deadline can be over before the credit: then neither process places it.
  const orders = decision?.kind === "refused" ? [] : [placement.orderId];
  assert.deepEqual(
    (await ordersOf(scrip.db, buyer)).map(({ id }) => id),
    orders,
    `refused here and ${decidedThere} there`,
  );
});

test("what the other process could not decide is decided here from then on, because it may have been sent", async (t) => {
  const path = join(folder, "busy");
  const server = await servePlacements(
    path,
    {
      submit: async () => ({ kind: "busy" }),
      submitGroup: async (all) => all.map(() => ({ kind: "busy" })),
    },
    () => {},
  );
  const forwarded = forwardPlacements(path, createPlacementQueues(scrip.db, scrip.clock));
  t.after(() => Promise.all([forwarded.close(), server.close()]));
  const buyer = await addBuyer(scrip, "100.00");
  const place = await createPlacementMaker(scrip.db);
  let asked = 0;
  const placement = await eventually("it is connected", async () => {
    asked += 1;
    const one = place(buyer, `busy-${asked}`);
    return (await forwarded.submit(one)).kind === "busy" ? one : undefined;
  });
  assert.equal(placement.isInDoubt, true);
  assert.equal((await forwarded.submit(placement)).kind, "placed");
});
