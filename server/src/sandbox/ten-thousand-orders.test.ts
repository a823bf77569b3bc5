import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Registry } from "prom-client";
import sql from "sql-template-tag";
import type { Buyer } from "../../testing/builders/buyers.ts";
import {
  addEndpoint,
  createTestDeliverer,
  outcome,
  type TestDeliverer,
} from "../../testing/builders/delivery.ts";
import { createTestFulfiller, type TestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { digestLiveRows } from "../../testing/database/live-rows.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { type FakeUpstream, startFakeUpstream } from "../../testing/upstream/fake-upstream.ts";
import { audit } from "../audit/audit.ts";
import { createFulfilmentMetrics } from "../fulfilment/fulfilment-metrics.ts";
import { refundAfterCompletion } from "../fulfilment/refund/refund-after-completion.ts";
import { sweep } from "../fulfilment/sweep.ts";
import { secret } from "../lib/secret.ts";
import { createScripSupplier } from "../suppliers/scrip/scrip-supplier.ts";
import { type OrderScenario, SCENARIO_NAMES, type Scenario } from "./scenarios.ts";
import { testCode } from "./test-code.ts";

const ORDERS = sizeFor("soak", { share: 300, full: 10_000 });
const PLACED_AT_ONCE = 100;
const STOCK = 50;
const URLS = { live: "https://live.example/", test: "https://sandbox.example/" };

/** Where an order ends, how many events tell of it, and how many requests those take. */
const FATES: Record<OrderScenario | "success", { status: string; events: number; requests: number }> = {
  success: { status: "completed", events: 1, requests: 1 },
  failed: { status: "failed", events: 0, requests: 0 },
  refunded: { status: "refunded", events: 1, requests: 1 },
  partial: { status: "completed", events: 2, requests: 2 },
  delayed: { status: "completed", events: 1, requests: 1 },
  stuck: { status: "processing", events: 0, requests: 0 },
  refunded_after_completion: { status: "refunded", events: 2, requests: 2 },
  webhook_duplicate: { status: "completed", events: 1, requests: 2 },
  webhook_late: { status: "completed", events: 1, requests: 1 },
  webhook_bad_signature: { status: "completed", events: 1, requests: 1 },
};
const hasFate = (scenario: Scenario): scenario is keyof typeof FATES => scenario in FATES;

let shop: Shop;
let upstream: FakeUpstream;
let products: string[];
let sandbox: Buyer;
let worker: TestFulfiller;
let deliverer: TestDeliverer;
const registry = new Registry();
const sent = new Map<string, number>();

/** A shop that sells live, from stock and from an upstream that would be called if anybody bought there. */
before(async () => {
  shop = await openShop();
  const { scrip, clock, buyer } = shop;
  const { db } = scrip;
  upstream = await startFakeUpstream({ seed: SEED, faults: { "completes-at-once": 1 } });
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  const supplier = createScripSupplier({ baseUrl: upstream.baseUrl, apiKey: secret(upstream.apiKey) });
  const changes = { metrics: createFulfilmentMetrics(registry) };
  worker = createTestFulfiller(scrip, { suppliers: { [supplierId]: supplier }, changes });
  products = [
    await shop.addStocked(STOCK),
    await shop.addBought(supplierId),
    await shop.addBought(supplierId),
  ];
  await db.rows(sql`update products set type = 'top_up' where id = ${products[2]}`);
  const { id: keyId, key } = await scrip.addKey(buyer.resellerId, { env: "test" });
  sandbox = { ...buyer, environment: "test", keyId, key };
  for (const owner of [buyer, sandbox]) await addEndpoint(db, owner, { url: URLS[owner.environment] });
  deliverer = createTestDeliverer(db, clock, async ({ url, body }) => {
    const address = `${url} ${JSON.parse(body).data.order_id}`;
    sent.set(address, (sent.get(address) ?? 0) + 1);
    return outcome();
  });
});
after(async () => {
  await upstream.close();
  await shop.close();
});

/** Everything that the service does in the background, until nothing is due; and a minute later again. */
async function workThrough(): Promise<void> {
  for (const pauseMs of [0, 2_000, 20_000, 60_000]) {
    shop.clock.advance(pauseMs);
    await worker.drain();
    while (await refundAfterCompletion(worker.deps));
    await sweep(worker.deps);
    await deliverer.drain();
  }
}

type Placed = { id: string; idempotencyKey: string; scenario: keyof typeof FATES; quantities: number[] };

async function placeOrders(): Promise<Placed[]> {
  const random = createRandom(SEED);
  const placed: Placed[] = [];
  let asked = 0;
  const place = async () => {
    const idempotencyKey = `order ${asked++}`;
    const scenario = random.pick([undefined, ...SCENARIO_NAMES]);
    const quantities = Array.from({ length: 1 + random.below(2) }, () => 1 + random.below(2));
    const lines = quantities.map((quantity) => ({ productId: random.pick(products), quantity }));
    const reply = await shop.scrip.app.inject({
      method: "POST",
      url: "/v1/orders",
      headers: {
        "x-api-key": sandbox.key,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
        ...(scenario === undefined ? {} : { "x-test-scenario": scenario }),
      },
      payload: JSON.stringify({ lines }),
    });
    if (scenario !== undefined && !hasFate(scenario)) assert.equal(reply.json().code, scenario);
    else {
      assert.equal(reply.statusCode, 202, reply.body);
      placed.push({ id: reply.json().order.id, idempotencyKey, scenario: scenario ?? "success", quantities });
    }
  };
  while (placed.length < ORDERS) {
    const count = Math.min(PLACED_AT_ONCE, ORDERS - placed.length);
    await Promise.all(Array.from({ length: count }, place));
  }
  return placed;
}

test(`${ORDERS} sandbox orders in all scenarios leave everything live as it was (SEED=${SEED})`, {
  timeout: 240_000,
}, async () => {
  const { db } = shop.scrip;
  const [stocked = "", bought = ""] = products;
  const live = await shop.order([stocked, 2], [bought, 1]);
  // Before the clock moves on: a use is written with the time of its writing, and the next one a minute later.
  await liveUseIsWritten();
  await workThrough();
  assert.equal((await shop.read(live)).status, "completed");
  const calls = upstream.calls().length;
  assert.ok(calls > 0, "live orders do reach the upstream");
  assert.equal(sent.get(`${URLS.live} ${live}`), 1);
  await liveUseIsWritten();
  const before = await digestLiveRows(db);

  const placed = await placeOrders();
  await workThrough();

  assert.deepEqual(await digestLiveRows(db), before);
  assert.equal(before.orders?.rows, 1);
  assert.equal(before.codes?.rows, STOCK + 1);
  assert.equal(upstream.calls().length, calls, "no supplier was called");
  const ended = (await registry.metrics()).match(/^scrip_orders_ended_total.*$/gm);
  assert.deepEqual(ended, ['scrip_orders_ended_total{ending="completed"} 1'], "the live one alone");
  await assertFates(placed);
  await assertCodes(placed);
  const requests = [...sent.keys()].filter((address) => address.startsWith(URLS.live));
  assert.deepEqual(requests, [`${URLS.live} ${live}`]);
  const { invariants } = await audit(db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
});

const liveUseIsWritten = () =>
  eventually("the last use of the live key is written", async () => {
    const [key] = await shop.scrip.db.rows<{ usedAt: Date | null }>(sql`
      select last_used_at as "usedAt" from api_keys where environment = 'live'`);
    return key?.usedAt?.getTime() === shop.clock.now().getTime() || undefined;
  });

/** A single unit of partial is all there is. */
const fateOf = ({ scenario, quantities }: Placed) =>
  scenario === "partial" && units(quantities) === 1 ? FATES.refunded : FATES[scenario];
const units = (quantities: readonly number[]): number => quantities.reduce((sum, one) => sum + one, 0);

async function assertFates(placed: readonly Placed[]): Promise<void> {
  const rows = await shop.scrip.db.rows<{ id: string; status: string; events: number }>(sql`
    select o.id, o.status, (select count(*) from events e where e.order_id = o.id)::integer as events
    from orders o where o.environment = 'test'`);
  const found = rows.map(({ id, status, events }) => [
    id,
    status,
    events,
    sent.get(`${URLS.test} ${id}`) ?? 0,
  ]);
  const expected = placed.map((order) => {
    const { status, events, requests } = fateOf(order);
    return [order.id, status, events, requests];
  });
  assert.deepEqual(found.sort(), expected.sort());
}

async function assertCodes(placed: readonly Placed[]): Promise<void> {
  const rows = await shop.scrip.db.rows<{ code: string }>(sql`
    select order_id || ' ' || test_code as code from codes where environment = 'test'`);
  const expected = placed.flatMap((order) => {
    const { id, idempotencyKey, scenario, quantities } = order;
    const codes = quantities.flatMap((quantity, lineIndex) =>
      Array.from({ length: quantity }, (_, unit) => `${id} ${testCode(idempotencyKey, lineIndex, unit)}`),
    );
    if (scenario === "failed" || scenario === "refunded" || scenario === "stuck") return [];
    return scenario === "partial" ? codes.slice(0, -1) : codes;
  });
  assert.deepEqual(rows.map(({ code }) => code).sort(), expected.sort());
}
