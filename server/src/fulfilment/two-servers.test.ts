import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf } from "../../testing/builders/buyers.ts";
import { addStock } from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { type ForkedNode, forkNode } from "../../testing/processes/fork-node.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import type { Queryable } from "../db/database.ts";
import { secret } from "../lib/secret.ts";
import { sealSupplierConfig } from "../suppliers/supplier-config.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import type { FulfilmentLimits } from "./limits.ts";

const STORM_MS = sizeFor("chaos", { share: 1_000, wide: 2_000, full: 60_000 });
const KILLS_MIN = sizeFor("chaos", { share: 2, wide: 3, full: 10 });
const ORDERS_MIN = sizeFor("chaos", { share: 12, full: 50 });
const CALLERS = sizeFor("chaos", { share: 2, full: 4 });
const PRODUCT = "card";
const PRICE_MINOR = 300;
const CODES_UPSTREAM = sizeFor("chaos", { share: 500, full: 3_000 });
const ENDS_WITHIN_MS = 180_000;

/** Short pauses, in the proportions of the real ones. */
const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: 3_000,
  pollMs: 200,
  callTimeoutMs: 2_000,
  arrivalMs: 4_000,
  lookFirstMs: 100,
  lookMaxMs: 1_000,
  breakerFirstMs: 200,
  breakerMaxMs: 1_000,
};

/** A server that comes back after each kill, on the same port. */
type Phoenix = { scrip: TestApp; process: ForkedNode; url: string };
let seller: Phoenix;
let buyer: Phoenix;
let customer: Buyer;

before(async () => {
  const upstream = await createTestApp();
  await addProducts(upstream.db, [{ id: PRODUCT }]);
  await addListPrice(upstream.db, { productId: PRODUCT, amountMinor: 200n });
  const stockId = await addSupplierRow(upstream.db);
  await addRouteRow(upstream.db, { productId: PRODUCT, supplierId: stockId });
  const goods = Array.from(
    { length: CODES_UPSTREAM },
    (_, index) => ({ type: "code", code: `CODE-${index}` }) as const,
  );
  await addStock(upstream, { productId: PRODUCT, supplierId: stockId, goods });
  const account = await addBuyer(upstream, "1000000.00");
  seller = await rise(upstream);

  const downstream = await createTestApp();
  await addProducts(downstream.db, [{ id: PRODUCT }]);
  await addListPrice(downstream.db, { productId: PRODUCT, amountMinor: BigInt(PRICE_MINOR) });
  const supplierId = await addSupplierRow(downstream.db, { kind: "scrip" });
  const config = sealSupplierConfig(fixedKeyring([secret(TEST_MASTER_KEY)]), supplierId, {
    baseUrl: seller.url,
    apiKey: account.key,
  });
  await downstream.db.rows(
    sql`update suppliers set sealed_config = ${config}, rate_per_second = 1000 where id = ${supplierId}`,
  );
  await addRouteRow(downstream.db, { productId: PRODUCT, supplierId });
  customer = await addBuyer(downstream, "1000000.00");
  buyer = await rise(downstream);
});
after(async () => {
  await Promise.all([seller, buyer].map((one) => one?.process.kill()));
  await Promise.all([seller, buyer].map((one) => one?.scrip.close()));
});

async function rise(scrip: TestApp): Promise<Phoenix> {
  const process = await forkNode("server", {
    connectionString: scrip.connectionString,
    port: 0,
    limits: LIMITS,
  });
  return { scrip, process, url: process.url };
}

async function killAndRaise(phoenix: Phoenix): Promise<void> {
  const { port } = phoenix.process;
  await phoenix.process.kill();
  const { connectionString } = phoenix.scrip;
  phoenix.process = await forkNode("server", { connectionString, port, limits: LIMITS });
}

test(`one server sells to another while both are killed for ${STORM_MS / 1_000} s: nothing is lost, doubled or refunded in doubt (SEED=${SEED})`, async () => {
  const placed = new Set<string>();
  const weather = { isStormy: true };
  const callers = Array.from({ length: CALLERS }, (_, index) => placeWhile(weather, index, placed));
  await storm(placed);
  weather.isStormy = false;
  await Promise.all(callers);
  await everyOrderEnds();

  const accepted = await buyer.scrip.db.rows<{ id: string }>(sql`select id from orders`);
  assert.deepEqual(accepted.map(({ id }) => id).sort(), [...placed].sort(), "what was told is what is there");
  await assertBoughtOnce();
  await assertSameCodes([...placed]);
  await assertMoney();
  for (const { scrip } of [seller, buyer]) {
    const { invariants } = await audit(scrip.db);
    assert.deepEqual(
      invariants.filter(({ ok }) => !ok),
      [],
    );
  }
});

/** Kills one or both at random moments, for a while at least, and until enough has happened on a slow machine. */
async function storm(placed: ReadonlySet<string>): Promise<void> {
  const random = createRandom(SEED);
  const endsAt = Date.now() + STORM_MS;
  for (let kills = 0; Date.now() < endsAt || kills < KILLS_MIN || placed.size < ORDERS_MIN; ) {
    await wait(200 + random.below(1_800));
    const victims = random.chance(0.2) ? [seller, buyer] : [random.pick([seller, buyer])];
    await Promise.all(victims.map(killAndRaise));
    kills += victims.length;
  }
}

/** A caller that repeats each order under its key until it is answered. */
async function placeWhile(weather: { isStormy: boolean }, index: number, placed: Set<string>): Promise<void> {
  const random = createRandom(SEED + index + 1);
  for (let number = 0; weather.isStormy; number += 1) {
    const body = JSON.stringify({ lines: [{ productId: PRODUCT, quantity: 1 + random.below(2) }] });
    placed.add(await placeStubbornly(`caller-${index}-${number}`, body));
    await wait(random.below(300));
  }
}

async function placeStubbornly(idempotencyKey: string, body: string): Promise<string> {
  for (;;) {
    const reply = await fetch(`${buyer.url}/v1/orders`, {
      method: "POST",
      headers: {
        "x-api-key": customer.key,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body,
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    if (reply?.status === 202) {
      const answer = (await reply.json().catch(() => undefined)) as { order: { id: string } } | undefined;
      if (answer) return answer.order.id;
    } else if (reply && reply.status < 500) throw new Error(`${reply.status} ${await reply.text()}`);
    await wait(50);
  }
}

async function everyOrderEnds(): Promise<void> {
  const deadline = Date.now() + ENDS_WITHIN_MS;
  for (;;) {
    const [left] = await buyer.scrip.db.rows<{ count: bigint }>(
      sql`select count(*) as count from order_work`,
    );
    const [selling] = await seller.scrip.db.rows<{ count: bigint }>(
      sql`select count(*) as count from order_work`,
    );
    if (left?.count === 0n && selling?.count === 0n) return;
    assert.ok(
      Date.now() < deadline,
      `${left?.count} and ${selling?.count} orders did not end (SEED=${SEED})`,
    );
    await wait(100);
  }
}

/** For each unit of the buying server at most one order of the selling one. */
async function assertBoughtOnce(): Promise<void> {
  const rows = await seller.scrip.db.rows<{ unit: string; orders: string[] }>(sql`
    select regexp_replace(idempotency_key, '\\.[0-9]+$', '') as unit, array_agg(id) as orders
    from orders where status <> 'refunded' group by 1 having count(*) > 1`);
  assert.deepEqual(rows, [], `bought twice (SEED=${SEED})`);
  const [units] = await buyer.scrip.db.rows<{ count: bigint }>(
    sql`select count(*) as count from order_units where status = 'delivered'`,
  );
  const [sold] = await seller.scrip.db.rows<{ count: bigint }>(
    sql`select count(*) as count from orders where status = 'completed'`,
  );
  assert.equal(units?.count, sold?.count, "what was sold is what was delivered");
}

/** Each delivered unit has the code that its upstream order delivered, and no other unit has it. */
async function assertSameCodes(orderIds: readonly string[]): Promise<void> {
  const account = await soleReseller(seller.scrip.db);
  const { key } = await seller.scrip.addKey(account);
  const soldAs = await upstreamOrders();
  const seen = new Set<string>();
  for (const id of orderIds) {
    const reply = await buyer.scrip.call("GET", `/v1/orders/${id}/codes`, { key: customer.key });
    assert.equal(reply.statusCode, 200, reply.body);
    for (const [unit, { code }] of reply.json().data.entries()) {
      assert.ok(!seen.has(code), `${code} was delivered twice (SEED=${SEED})`);
      seen.add(code);
      const sold = await seller.scrip.call("GET", `/v1/orders/${soldAs.get(`${id}.0.${unit}`)}/codes`, {
        key,
      });
      assert.equal(sold.json().data[0].code, code);
    }
  }
}

/** The selling server's order for each unit of the buying one. */
async function upstreamOrders(): Promise<Map<string, string>> {
  const rows = await seller.scrip.db.rows<{ unit: string; id: string }>(sql`
    select regexp_replace(idempotency_key, '\\.[0-9]+$', '') as unit, id from orders where status = 'completed'`);
  return new Map(rows.map(({ unit, id }) => [unit, id]));
}

async function soleReseller(db: Queryable): Promise<string> {
  const [row] = await db.rows<{ id: string }>(sql`select id from resellers`);
  return row?.id ?? "";
}

async function assertMoney(): Promise<void> {
  const [delivered] = await buyer.scrip.db.rows<{ count: bigint }>(
    sql`select count(*) as count from order_units where status = 'delivered'`,
  );
  assert.equal(
    await balanceOf(buyer.scrip.db, customer),
    100_000_000 - PRICE_MINOR * Number(delivered?.count),
  );
}
