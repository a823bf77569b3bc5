import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  balanceOf,
  CARD,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  ordersOf,
  postOrder,
} from "../../../testing/builders/buyers.ts";
import { eventually } from "../../../testing/eventually.ts";
import { audit } from "../../audit/audit.ts";
import { createPlacementQueues, type PlacementQueues } from "../placing/placement-batch.ts";
import { forwardPlacements } from "./forward-placements.ts";
import { writeFrame } from "./frames.ts";
import { servePlacements } from "./serve-placements.ts";
import { packGreeting } from "./wire-values.ts";

/** The first app places for both. */
let here: TestApp;
let away: TestApp;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-"));
  const path = join(folder, "apps");
  here = await createTestApp({ placer: { path, isHere: true } });
  away = await createTestApp({ beside: here, placer: { path, isHere: false } });
  await addCard(here.db);
});

after(async () => {
  await away.close();
  const { ok, invariants } = await audit(here.db);
  await here.close();
  await rm(folder, { recursive: true, force: true });
  assert.ok(ok, JSON.stringify(invariants));
});

const amountFor = (orders: number): string => ((orders * CARD_PRICE_MINOR) / 100).toFixed(2);
const cards = (quantity: number) => ({ lines: [{ productId: CARD, quantity }] });

test("every answer is the same, whichever process gets the request", async () => {
  const answers = async (app: TestApp): Promise<unknown[]> => {
    const buyer = await addBuyer(here, amountFor(3));
    const place = async (key: string, body: object) => {
      const reply = await postOrder(app, buyer, key, body);
      const { request_id, order, orderId, ...problem } = reply.json();
      const total = order?.total;
      return [
        reply.statusCode,
        reply.headers["idempotent-replayed"],
        reply.headers["retry-after"],
        total,
        problem,
      ];
    };
    const replies = [
      await place("one", cards(1)),
      await place("one", cards(1)),
      await place("one", cards(2)),
      await place("two", { ...cards(1), expectedTotal: 1 }),
      await place("three", { lines: [{ productId: "missing", quantity: 1 }] }),
      await place("four", cards(3)),
      await place("five", cards(2)),
    ];
    const batch = await app.call("POST", "/v1/orders/batch", {
      key: buyer.key,
      body: {
        orders: [
          { idempotencyKey: "one", ...cards(1) },
          { idempotencyKey: "six", ...cards(1) },
        ],
      },
    });
    const { results } = batch.json();
    return [
      ...replies,
      batch.statusCode,
      results.map((one: { error?: { code: string } }) => one.error?.code),
    ];
  };
  const expected = await answers(here);
  assert.deepEqual(await answers(away), expected);
  assert.deepEqual(
    expected.slice(0, 7).map((one) => (one as unknown[])[0]),
    [202, 202, 409, 409, 404, 402, 202],
  );
});

test("orders of two processes are written together, and spend a wallet exactly", async () => {
  const buyer = await addBuyer(here, amountFor(40));
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, nth) => postOrder(nth % 2 ? here : away, buyer, `together-${nth}`)),
  );
  const counts = Map.groupBy(replies, ({ statusCode }) => statusCode);
  assert.deepEqual([counts.get(202)?.length, counts.get(402)?.length], [40, 20]);
  assert.equal(await balanceOf(here.db, buyer), 0);
  const transactions = new Set((await ordersOf(here.db, buyer)).map(({ transaction }) => transaction));
  assert.ok(transactions.size < 20, `${transactions.size} transactions for 40 orders`);
});

const mustNotDecide: PlacementQueues = {
  submit: () => Promise.reject(new Error("decided here")),
  submitGroup: () => Promise.reject(new Error("decided here")),
};
const noOne = () => {};

/** Queues that place, and a count of how often they were asked. */
function openQueues() {
  const queues = createPlacementQueues(here.db, here.clock);
  const asked = { count: 0 };
  const submit: PlacementQueues["submit"] = (placement) => {
    asked.count += 1;
    return queues.submit(placement);
  };
  return { queues: { ...queues, submit }, asked };
}

test("an answer that is lost after the commit is found again: one order, one debit", async () => {
  const buyer = await addBuyer(here, amountFor(5));
  const place = await createPlacementMaker(here.db);
  const path = join(folder, "lost");
  const there = openQueues();
  const losing: PlacementQueues["submitGroup"] = async (placements) => {
    const decisions = await there.queues.submitGroup(placements);
    await server.close();
    return decisions;
  };
  const server = await servePlacements(path, { submit: there.queues.submit, submitGroup: losing }, noOne);
  const own = openQueues();
  const forwarded = forwardPlacements(path, own.queues);
  const warmUp = place(buyer, "warm-up");
  await eventually("it is connected", async () => {
    await forwarded.submit(warmUp);
    return there.asked.count > 0 ? true : undefined;
  });
  const lost = [place(buyer, "lost 1"), place(buyer, "lost 2")];
  const decisions = await forwarded.submitGroup(lost);
  forwarded.close();
  assert.deepEqual(
    decisions.map((one) => one.kind === "replayed" && one.order.id),
    lost.map(({ orderId }) => orderId),
    "they were placed there, and found here under their own ids",
  );
  assert.equal((await ordersOf(here.db, buyer)).length, 3);
  assert.equal(await balanceOf(here.db, buyer), 2 * CARD_PRICE_MINOR);
});

test("a process that places for all and hangs is left, and used again when it is back", async (t) => {
  const buyer = await addBuyer(here, amountFor(50));
  const place = await createPlacementMaker(here.db);
  const path = join(folder, "hangs");
  const own = openQueues();
  const forwarded = forwardPlacements(path, own.queues, 50);
  t.after(() => forwarded.close());
  assert.equal((await forwarded.submit(place(buyer, "no one there"))).kind, "placed");
  assert.equal(own.asked.count, 1);

  let heard = 0;
  const silent = createServer((socket) => {
    writeFrame(socket, packGreeting());
    socket.on("data", () => {
      heard += 1;
    });
    socket.on("error", noOne);
  }).listen(path);
  await once(silent, "listening");
  await eventually("it is asked and says nothing", async () => {
    const decision = await forwarded.submit(place(buyer, `silent ${own.asked.count}`));
    assert.equal(decision.kind, "placed", "it was decided here");
    return heard > 0 ? true : undefined;
  });
  await new Promise((resolve) => silent.close(resolve));

  const { queues, asked } = openQueues();
  const server = await servePlacements(path, queues, noOne);
  t.after(() => server.close());
  await eventually("it is used again", async () => {
    await forwarded.submit(place(buyer, "used again"));
    return asked.count > 0 ? true : undefined;
  });
});

test("bytes that make no sense end their connection and nothing else", async (t) => {
  const path = join(folder, "junk");
  const { queues } = openQueues();
  const server = await servePlacements(path, queues, noOne);
  t.after(() => server.close());
  for (const junk of [Buffer.from([0, 0, 0, 2, 1, 2]), Buffer.alloc(8, 255)]) {
    const socket = connect(path);
    socket.on("error", noOne);
    socket.resume();
    socket.write(junk);
    await once(socket, "close");
  }
  const forwarded = forwardPlacements(path, openQueues().queues);
  t.after(() => forwarded.close());
  const buyer = await addBuyer(here, amountFor(5));
  const place = await createPlacementMaker(here.db);
  const decision = await forwarded.submit(place(buyer, "after junk"));
  assert.ok(decision.kind === "placed" || decision.kind === "replayed");
});

test("too many orders, and a database that is away, are told; any other failure is decided here", async (t) => {
  const path = join(folder, "fails");
  const problem = { error: new Error("boom") };
  const server = await servePlacements(
    path,
    { submit: () => Promise.reject(problem.error), submitGroup: mustNotDecide.submitGroup },
    noOne,
  );
  t.after(() => server.close());
  const forwarded = forwardPlacements(path, mustNotDecide);
  t.after(() => forwarded.close());
  const buyer = await addBuyer(here, amountFor(1));
  const place = await createPlacementMaker(here.db);
  const failing = async () => {
    try {
      return await forwarded.submit(place(buyer, "fails"));
    } catch (error) {
      return error as Error;
    }
  };
  assert.equal(String(await failing()), "Error: decided here");
  problem.error = Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
  const away = await eventually("it is told", async () => {
    const error = (await failing()) as Error & { code?: string };
    return error.message === "decided here" ? undefined : error;
  });
  assert.deepEqual(
    [away.code, away.message],
    ["service_unavailable", "The service cannot reach its database at the moment."],
  );
});
