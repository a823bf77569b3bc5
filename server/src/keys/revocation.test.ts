import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { type ApiProcess, startApiProcess } from "../../testing/processes/start-api-process.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { setHidden } from "../catalog/hide-product.ts";
import { setListing } from "../catalog/prices/set-listing.ts";
import { setPrice } from "../catalog/prices/set-price.ts";
import { systemClock } from "../lib/clock.ts";
import { revokeKey } from "./revoke-key.ts";

const REVOCATIONS = sizeFor("soak", { share: 5, wide: 12, full: 200 });
const KEYS_THAT_STAY = 20;
const LOOPS_PER_PROCESS = 6;
const REQUESTS_AT_ONCE = 3;
const PRICE_CHANGES = sizeFor("soak", { share: 2, wide: 5, full: 40 });
const HIDINGS = sizeFor("soak", { share: 2, wide: 4, full: 30 });

/** Creates and changes the keys. The requests go to the two processes. */
let scrip: TestApp;
let nodes: ApiProcess[];
let resellerId: string;

before(async () => {
  scrip = await createTestApp();
  nodes = await Promise.all([
    startApiProcess(scrip.connectionString),
    startApiProcess(scrip.connectionString),
  ]);
  resellerId = (await scrip.addReseller()).id;
  await addProducts(scrip.db, [{ id: "card" }, { id: "other" }]);
});

after(async () => {
  await Promise.all((nodes ?? []).map((node) => node.stop()));
  await scrip.close();
});

type WatchedKey = { id: string; key: string; state: "valid" | "being revoked" | "revoked" };

test(`no request that starts after a revocation is accepted, on either process, ${REVOCATIONS} times`, async () => {
  const random = createRandom(SEED);
  const keys = await makeKeys(REVOCATIONS + KEYS_THAT_STAY);
  const counts = { 200: 0, 401: 0 };

  /** The state at the start and at the end of the request decides which responses are allowed. */
  const askWith = async (node: ApiProcess, watched: WatchedKey) => {
    const begun = watched.state;
    const { status } = await node.get("/v1/products/card", watched.key);
    if (begun === "revoked") assert.equal(status, 401, `a revoked key was accepted (seed ${SEED})`);
    if (watched.state === "valid") assert.equal(status, 200, `a valid key was refused (seed ${SEED})`);
    assert.ok(status === 200 || status === 401, `returned ${status}`);
    counts[status] += 1;
  };

  const load = startLoad((node) => askWith(node, random.pick(keys)));
  try {
    for (const watched of keys.slice(0, REVOCATIONS)) {
      await Promise.all(nodes.map((node) => askWith(node, watched)));
      watched.state = "being revoked";
      const underWay = nodes.map((node) => askWith(node, watched));
      await revokeKey(scrip.db, systemClock, watched.id);
      watched.state = "revoked";
      const begunLater = nodes.flatMap((node) =>
        Array.from({ length: REQUESTS_AT_ONCE }, () => askWith(node, watched)),
      );
      await Promise.all([...underWay, ...begunLater]);
    }
  } finally {
    await load.stop();
  }
  assert.ok(counts[401] >= REVOCATIONS * 2 * REQUESTS_AT_ONCE, `only ${counts[401]} were refused`);
  assert.ok(counts[200] >= REVOCATIONS * 2, `only ${counts[200]} were accepted`);
  for (const node of nodes) assert.equal(node.logged(), "");
});

test("a key is accepted until the millisecond it expires and refused from then on, on both processes", async () => {
  const expiresAt = new Date(Date.now() + 700);
  const { key } = await scrip.addKey(resellerId, { expiresAt });
  const counts = { 200: 0, 401: 0 };
  while (counts[401] < 20) {
    for (const node of nodes) {
      const begunMs = Date.now();
      const { status } = await node.get("/v1/products/card", key);
      if (begunMs >= expiresAt.getTime()) assert.equal(status, 401);
      if (Date.now() < expiresAt.getTime()) assert.equal(status, 200);
      if (status === 200 || status === 401) counts[status] += 1;
    }
  }
});

test("every request that starts after a price change sees the new price, on both processes", async () => {
  const { key } = await scrip.addKey(resellerId);
  const price = { set: 0, beingSet: 0 };
  await reprice(price, 1);

  /** A request that overlaps a price change can see either price. */
  const askPrices = async (node: ApiProcess) => {
    const oldest = price.set;
    const [one, page] = await Promise.all([
      node.get("/v1/products/card", key),
      node.get("/v1/catalog?limit=1", key),
    ]);
    for (const seen of [JSON.parse(one.body).product, JSON.parse(page.body).data[0]]) {
      const { amount } = seen.price;
      assert.ok(
        amount >= oldest && amount <= price.beingSet,
        `${amount}, not ${oldest} to ${price.beingSet}`,
      );
    }
    return one.etag;
  };

  const load = startLoad(askPrices);
  try {
    for (let amount = 2; amount < PRICE_CHANGES; amount += 1) {
      const [etag = ""] = await Promise.all(nodes.map(askPrices));
      await reprice(price, amount);
      await Promise.all([...nodes, ...nodes].map(askPrices));
      for (const node of nodes) {
        const again = await node.get("/v1/products/card", key, { "if-none-match": etag });
        assert.equal(again.status, 200, "an ETag from before the change still matched");
      }
    }
  } finally {
    await load.stop();
  }
});

test("a hidden or unlisted product is missing from every request that starts afterwards, and returns when shown again", async () => {
  const { key } = await scrip.addKey(resellerId);
  const isSeen = async (node: ApiProcess) => {
    const [one, page] = await Promise.all([
      node.get("/v1/products/other", key),
      node.get("/v1/catalog", key),
    ]);
    const listed = JSON.parse(page.body).data.some((product: { id: string }) => product.id === "other");
    assert.equal(listed, one.status === 200);
    return listed;
  };
  const changes: ((away: boolean) => Promise<unknown>)[] = [
    (hidden) => setHidden(scrip.db, systemClock, "other", hidden),
    (unlisted) => setListing(scrip.db, { resellerId, productId: "other", listed: !unlisted }),
  ];
  for (let round = 0; round < HIDINGS; round += 1) {
    const change = changes[round % changes.length];
    for (const away of [true, false]) {
      await change?.(away);
      for (const seen of await Promise.all([...nodes, ...nodes].map(isSeen))) assert.equal(seen, !away);
    }
  }
});

const makeKeys = (count: number): Promise<WatchedKey[]> =>
  Promise.all(
    Array.from({ length: count }, async () => ({
      ...(await scrip.addKey(resellerId)),
      state: "valid" as const,
    })),
  );

async function reprice(price: { set: number; beingSet: number }, amountMinor: number): Promise<void> {
  price.beingSet = amountMinor;
  await setPrice(scrip.db, systemClock, {
    productId: "card",
    target: { kind: "list", priceList: "standard", currency: "USD" },
    amount: (amountMinor / 100).toFixed(2),
    strike: undefined,
  });
  price.set = amountMinor;
}

/** Sends requests to both processes until stopped. `stop` throws the first failure. */
function startLoad(ask: (node: ApiProcess) => Promise<unknown>): { stop(): Promise<void> } {
  let stopped = false;
  const loops = nodes.flatMap((node) =>
    Array.from({ length: LOOPS_PER_PROCESS }, async () => {
      while (!stopped) await ask(node);
    }),
  );
  const ended = Promise.all(loops);
  // `stop` reports the failure. Until then it must not count as unhandled.
  ended.catch(() => {});
  return {
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
