import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { explain } from "../../testing/database/explain.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import { createReseller } from "../resellers/create-reseller.ts";
import { createSumDays, daysBefore } from "../wallet/sum-days.ts";
import { countFacts } from "./count-facts.ts";
import { summariseTenant } from "./summarise-tenant.ts";

const HOUR_MS = 3_600_000;
const DAYS = 90;
const BUFFERS_MAX = 400;
/** So many that PostgreSQL would rather read the whole ledger than a ninth of them by a key. */
const COUNTED = 10_000;
/** More than are read at once. */
const LEFT = 150;
let shop: Shop;

before(async () => {
  shop = await openShop();
});
after(() => shop?.close());

const tenant = () => ({ resellerId: shop.buyer.resellerId, environment: "live" }) as const;
const summarise = (days = 3) =>
  summariseTenant(shop.scrip.db, tenant(), daysBefore(shop.clock.now(), days - 1), days);

test("what is not counted yet is added, so the numbers are the same before and after counting", async () => {
  const worker = createTestFulfiller(shop.scrip);
  const stocked = await shop.addStocked(3);
  const gone = await shop.addStocked(1);
  await shop.scrip.db.rows(sql`update codes set state = 'expired' where product_id = ${gone}`);
  const first = await shop.order([stocked, 1]);
  shop.clock.advance(800);
  await worker.drain();
  await countFacts({ db: shop.scrip.db, clock: shop.clock });
  shop.clock.advance(24 * HOUR_MS);
  await shop.order([stocked, 2], [gone, 1]);
  await worker.drain();
  await shop.order([gone, 1]);
  await worker.drain();
  await refundOrder(shop.scrip.db, shop.clock, { orderId: first, lines: undefined, reason: "returned" });
  await shop.order([gone, 1]);
  const early = await summarise();
  const { days, ...outcomes } = early;
  assert.deepEqual(outcomes, {
    ...{ completed: 2, partial: 1, failed: 1, medianMs: 10, p95Ms: 800, isBehind: false },
  });
  const ledger = await createSumDays(shop.scrip.db)(tenant(), daysBefore(shop.clock.now(), 2), 3);
  assert.deepEqual(
    days.map(({ day, orders, refunds, spentMinor }) => [day, orders, refunds, spentMinor]),
    ledger.map(({ day, orders, refunds, spentMinor }) => [day, orders, refunds, spentMinor]),
  );
  assert.equal(await countFacts({ db: shop.scrip.db, clock: shop.clock }), false);
  assert.deepEqual(await summarise(), early);
  const other = await summariseTenant(
    shop.scrip.db,
    { ...tenant(), environment: "test" },
    daysBefore(shop.clock.now(), 2),
    3,
  );
  assert.deepEqual([other.completed, other.medianMs, other.days.length], [0, null, 3]);
});

test("ninety days are a few pages of an index, whatever the number of resellers", async () => {
  const { db, clock } = shop.scrip;
  await db.rows(sql`
    insert into report_orders (environment, hour, reseller_id, currency, orders, sold_minor, completed)
    select 'live', h, 'rsl_' || r, 'USD', 900, 90000, 900
    from generate_series(${daysBefore(clock.now(), DAYS)}::timestamptz, ${clock.now()}, interval '1 hour') h,
         generate_series(1, 10) r`);
  await db.rows(sql`analyze report_orders`);
  const { buffers, scanned, plan } = await explain(db, (reader) =>
    summariseTenant(
      reader,
      { resellerId: "rsl_1", environment: "live" },
      daysBefore(clock.now(), DAYS - 1),
      DAYS,
    ),
  );
  assert.deepEqual(
    scanned.filter((table) => table !== "report_changes"),
    [],
    plan,
  );
  assert.ok(buffers <= BUFFERS_MAX, `${buffers} buffers\n${plan}`);
});

test("what is left to count is found by its key, however many entries were counted", async () => {
  const { db, clock } = shop.scrip;
  const about = { name: "Busy", currency: "USD", email: "owner@busy.example" };
  const { id: resellerId } = await createReseller(db, clock, about);
  // Between those of others, as in a real ledger: PostgreSQL expects each of them on a page of its own.
  await db.rows(sql`
    insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                balance_after_minor, currency, order_id, hash, created_at)
    select 'ent_' || seller || n, seller, 'live', n, 'order', 'sales', -1, 1, 'USD', 'ord_' || seller || n, sha256(''), ${clock.now()}
    from generate_series(1::bigint, ${COUNTED + LEFT}) n, unnest(array[${resellerId}, 'rsl_a', 'rsl_z']) seller
    order by n, seller`);
  await db.rows(sql`
    insert into report_wallets (reseller_id, environment, sequence) values (${resellerId}, 'live', ${COUNTED})`);
  await db.rows(sql`
    update wallets set sequence = ${COUNTED + LEFT} where reseller_id = ${resellerId} and environment = 'live'`);
  await db.rows(sql`analyze ledger_entries`);
  const first = daysBefore(clock.now(), 2);
  const busy = { resellerId, environment: "live" } as const;
  const { scanned, buffers, plan } = await db.transaction(async (tx) => {
    // A ledger of millions has too many pages for a bitmap of them.
    await tx.rows(sql`select set_config('enable_bitmapscan', 'off', true)`);
    return explain(tx, (reader) => summariseTenant(reader, busy, first, 3));
  });
  assert.ok(!scanned.includes("ledger_entries"), plan);
  assert.ok(buffers <= BUFFERS_MAX, `${buffers} buffers\n${plan}`);
  const { days } = await summariseTenant(db, busy, first, 3);
  assert.deepEqual(
    days.map(({ orders, spentMinor }) => [orders, spentMinor]),
    [
      [0, 0n],
      [0, 0n],
      [LEFT, BigInt(LEFT)],
    ],
  );
});
