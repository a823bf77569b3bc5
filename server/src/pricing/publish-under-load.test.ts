import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { addStock, createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import type { By } from "../activity/record-activity.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import { publishPrices } from "./publish-prices.ts";
import { recomputeAll } from "./recompute-prices.ts";
import { setRule } from "./set-rule.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };
const clock = createHandClock(new Date());
let desk: TestApp;
let buyer: Buyer;
let supplierId: string;
let ruleId: string;

before(async () => {
  desk = await createTestApp({ clock });
  buyer = await addBuyer(desk, "1000000.00");
  supplierId = await addSupplierRow(desk.db, { name: "Planted Supplier" });
  for (const [id, cost] of [
    ["planted-a", 1_337n],
    ["planted-b", 2_673n],
  ] as const) {
    await addProducts(desk.db, [
      { id, faceValue: { amount: "90.00", currency: "USD", unit: "USD", isMoney: true } },
    ]);
    await addRouteRow(desk.db, { productId: id, supplierId, costMinor: cost });
    const goods = Array.from({ length: 40 }, (_, index) => ({
      type: "code" as const,
      code: `${id}-${index}`,
    }));
    await addStock(desk, { productId: id, supplierId, goods });
  }
  await reprice("5%");
  ruleId = await reprice("10%");
});
after(() => desk?.close());

/** Sets the rule for everything and publishes what follows from it. */
async function reprice(value: string): Promise<string> {
  const rule = { for: "all", on: "all", kind: "over_cost", value };
  const { id } = await setRule(desk.db, clock, BY, rule);
  await recomputeAll({
    db: desk.db,
    clock,
    settings: { ...PRICING_DEFAULTS.pricing, autoPublishWithinBp: 0 },
  });
  await publishPrices(desk.db, clock, BY, { upToId: 1_000_000n });
  return id;
}

const lines = ["planted-a", "planted-b"].map((productId) => ({ productId, quantity: 1 }));

test("an order line keeps rule, cost and rate of its acceptance", async () => {
  const placed = await postOrder(desk, buyer, "first", { lines });
  assert.equal(placed.statusCode, 202, placed.body);
  const orderId: string = placed.json().order.id;
  await createTestFulfiller(desk).drain();
  const kept = await desk.db.rows<{ basis: string }>(
    sql`select basis from order_lines where order_id = ${orderId} order by line_index`,
  );
  assert.deepEqual(
    kept.map(({ basis }) => basis),
    [`${ruleId}|1337|1337|USD|${supplierId}||`, `${ruleId}|2673|2673|USD|${supplierId}||`],
  );
});

test("publishing while orders are placed: each order pays all old prices or all new ones", async () => {
  let isDone = false;
  const publishing = (async () => {
    for (const value of ["5%", "10%", "6%", "11%", "7%", "12%"]) await reprice(value);
    isDone = true;
  })();
  for (let index = 0; !isDone; index += 1) {
    const replies = await Promise.all(
      [0, 1, 2].map((part) => postOrder(desk, buyer, `load-${index}-${part}`, { lines })),
    );
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([202]));
  }
  await publishing;
  const rows = await desk.db.rows<{ prices: string }>(sql`
    select string_agg(unit_price_minor::text, ' ' order by line_index) as prices from order_lines group by order_id
    having count(*) = 2`);
  const seen = new Set(rows.map(({ prices }) => prices));
  const pairs = [5n, 6n, 7n, 10n, 11n, 12n].map((percent) => {
    const price = (cost: bigint) => (cost * (100n + percent) + 99n) / 100n;
    return `${price(1_337n)} ${price(2_673n)}`;
  });
  assert.ok(seen.size > 1, `prices changed meanwhile: ${[...seen]}`);
  for (const pair of seen) assert.ok(pairs.includes(pair), `${pair} is half of one and half of another`);
});
