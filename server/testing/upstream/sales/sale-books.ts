import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { CONDITIONS } from "../../../src/alerts/conditions.ts";
import { audit } from "../../../src/audit/audit.ts";
import { keepReversals } from "../../../src/fulfilment/operate/keep-reversals.ts";
import { listReversals } from "../../../src/suppliers/reconcile/reconcile-queries.ts";
import { compareStatement } from "../../../src/suppliers/reconcile/reconcile-supplier.ts";
import type { StatementRow } from "../../../src/suppliers/supplier.ts";
import type { TestApp } from "../../app/test-app.ts";
import { type Buyer, balanceOf } from "../../builders/buyers.ts";
import { SEED } from "../../seed.ts";
import { openFake } from "../supplier-fakes.ts";
import { PRICE_MINOR, type Sale, type Shop } from "./shops.ts";

/**
 * After a sale: every order has ended, no unit was bought twice or refunded after it was delivered, what each supplier was paid is what
 * we booked, its statement agrees, and the books are whole. Returns how many units were delivered.
 */
export async function assertSold(
  scrip: TestApp,
  buyer: Buyer,
  { productIds, shops }: Sale,
  balance: number,
  { areRepeatsSold = false }: { areRepeatsSold?: boolean } = {},
): Promise<number> {
  await assertEnded(scrip, productIds);
  await assertBoughtOnce(scrip, shops);
  const repeats = areRepeatsSold ? countRepeats(shops) : 0;
  if (repeats === 0) await assertSoldIsBooked(scrip, shops);
  await assertStatementsAgree(scrip, shops, repeats);
  const [row] = await scrip.db.rows<{ count: number }>(sql`
    select count(*)::integer as count from order_units u join order_lines l using (order_id, line_index)
    where l.product_id = any(${productIds}::text[]) and u.status = 'delivered'`);
  const delivered = row?.count ?? 0;
  assert.equal(await balanceOf(scrip.db, buyer), balance - PRICE_MINOR * delivered);
  const { invariants } = await audit(scrip.db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
  return delivered;
}

async function assertEnded(scrip: TestApp, productIds: readonly string[]): Promise<void> {
  const rows = await scrip.db.rows<{ status: string }>(sql`
    select distinct o.status from orders o join order_lines l on l.order_id = o.id where l.product_id = any(${productIds}::text[])`);
  const statuses = rows.map((row) => row.status).sort();
  assert.ok(
    statuses.every((status) => ["completed", "refunded"].includes(status)),
    statuses.join(),
  );
}

type AttemptRow = { unit: string; reference: string; status: string; paidMinor: bigint; unitStatus: string };

const listAttempts = ({ db }: Pick<TestApp, "db">, supplierId: string) =>
  db.rows<AttemptRow>(sql`
    select a.order_id || '.' || a.line_index || '.' || a.unit_index as unit,
           a.order_id || '.' || a.line_index || '.' || a.unit_index || '.' || a.number as reference, a.status,
           coalesce(a.supplier_price_minor, a.cost_minor) as "paidMinor", u.status as "unitStatus"
    from supplier_attempts a join order_units u using (order_id, line_index, unit_index)
    where a.supplier_id = ${supplierId}`);

/** At all suppliers together, no unit was paid for twice, and none that was sold was refunded as undelivered. */
async function assertBoughtOnce(scrip: TestApp, shops: readonly Shop[]): Promise<void> {
  const paid = new Map<string, string>();
  for (const { supplierId, fake, keyOf, kind } of shops) {
    const sold = new Map(fake.purchases().map((purchase) => [purchase.reference, purchase]));
    for (const { unit, reference, status } of await listAttempts(scrip, supplierId)) {
      const purchase = sold.get(keyOf(reference));
      sold.delete(keyOf(reference));
      const isPaid = (purchase?.paidMinor ?? 0) > 0;
      const isBooked = status === "delivered" || status === "quarantined";
      const plan = () => fake.describe(purchase?.account ?? "");
      assert.equal(isBooked, isPaid, `${kind} ${reference} is ${status} (SEED=${SEED})\n${plan()}`);
      if (isPaid) assert.equal(paid.get(unit), undefined, `${unit} was bought twice (SEED=${SEED})`);
      if (isPaid) paid.set(unit, reference);
    }
    assert.equal(sold.size, 0, `${kind} sold what was never asked for`);
  }
}

/** What each supplier was paid is what we think it was paid. */
async function assertSoldIsBooked(scrip: TestApp, shops: readonly Shop[]): Promise<void> {
  for (const { supplierId, fake, kind } of shops) {
    const paid = fake.purchases().reduce((sum, { paidMinor }) => sum + paidMinor, 0);
    const booked = (await listAttempts(scrip, supplierId))
      .filter(({ status }) => status === "delivered" || status === "quarantined")
      .reduce((sum, { paidMinor }) => sum + Number(paidMinor), 0);
    assert.equal(booked, paid, `${kind}: booked ${booked}, paid ${paid} (SEED=${SEED})`);
  }
}

/** Purchases that were made a second time under their reference. */
export const countRepeats = (shops: readonly Shop[]): number =>
  shops
    .map(({ fake }) => fake.purchases().filter(({ paidMinor }) => paidMinor > 0))
    .reduce((sum, paid) => sum + paid.length - new Set(paid.map(({ reference }) => reference)).size, 0);

/** The supplier's books match ours, but for what it then takes back; and that waits for a person. */
async function assertStatementsAgree(scrip: TestApp, shops: readonly Shop[], repeats: number): Promise<void> {
  const nowMs = scrip.clock.now().getTime();
  const period = { from: new Date(nowMs - 86_400_000), to: new Date(nowMs + 86_400_000) };
  for (const shop of shops) {
    const taken = shop.fake.reverse().sort();
    const pages: (readonly StatementRow[])[] = [];
    for await (const page of openFake(shop, 15_000).readStatement?.(period.from, period.to) ?? [])
      pages.push(page);
    const { supplierId, kind, keyOf } = shop;
    const report = await compareStatement(scrip, { supplierId, kind, ...period }, pages);
    const reversed = report.findings.filter((one) => one.kind === "reversal");
    const duplicates = report.findings.filter((one) => one.kind === "duplicate");
    assert.equal(duplicates.length, repeats, `${kind}: what was made twice is found (SEED=${SEED})`);
    const others = report.findings.filter((one) => !["reversal", "duplicate"].includes(one.kind));
    assert.deepEqual(others, [], `${kind}: the books differ (SEED=${SEED})`);
    assert.deepEqual(reversed.map(({ reference }) => keyOf(reference ?? "")).sort(), taken);
    assert.equal(report.newReversals, taken.length);
    const again = await compareStatement(scrip, { supplierId, kind, ...period }, pages);
    assert.equal(again.newReversals, 0, "a reversal is noted once");
  }
  const waiting = await listReversals(scrip.db, { all: false, limit: 10_000 });
  assert.ok(waiting.every(({ unitStatus }) => unitStatus === "delivered"));
  const alerts = () => scrip.db.rows(CONDITIONS.purchase_reversed.find(new Date(), 10_000));
  assert.equal((await alerts()).length, waiting.length);
  const [first] = waiting;
  if (first)
    await keepReversals(scrip.db, { now: () => new Date() }, { orderId: first.orderId, units: [first] });
  assert.equal((await alerts()).length, Math.max(waiting.length - 1, 0), "one that is kept needs nobody");
}
