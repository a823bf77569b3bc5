import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { addAnsweringSupplier } from "../../../testing/upstream/answering-supplier.ts";
import { secret } from "../../lib/secret.ts";
import { fixedKeyring } from "../../vault/keyring.ts";
import { getReconciliation, listFindings, listReconciliations } from "./keep-reconciliation.ts";
import { reconcileSupplier } from "./reconcile-supplier.ts";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-02-01T00:00:00Z"));
const deps = { db, clock, keyring: fixedKeyring([secret(Buffer.alloc(32, 7))]) };
const ACTOR = { kind: "staff", id: "stf_1" } as const;
const PERIOD = { from: new Date("2030-01-01T00:00:00Z"), to: new Date("2030-02-01T00:00:00Z") };
const ORDER = "ord_01m7fg00000000000000000001";

const { id: supplierId, answers, close } = await addAnsweringSupplier(deps, "reloadly", "Cards");
after(close);
for (const unit of [0, 1, 2])
  await db.rows(sql`
    insert into supplier_attempts (
      order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku, status, doubtful, sends, looks,
      opened_at, resolved_at, cost_minor, cost_currency, upstream_id)
    values (${ORDER}, 0, ${unit}, 1, 'live', 'card', ${supplierId}, '1', 'delivered', false, 1, 0, ${PERIOD.from}, ${PERIOD.from},
            980, 'USD', ${`7000${unit}`})`);

const sold = (unit: number, changes: object = {}) => ({
  transactionId: `7000${unit}`,
  amount: 9.8,
  currencyCode: "USD",
  customIdentifier: `${ORDER}.0.${unit}.1`,
  status: "SUCCESSFUL",
  transactionCreatedTime: "2030-01-01 00:00:00",
  ...changes,
});
const books = (...content: unknown[]) => {
  answers["/reports/transactions"] = JSON.stringify({ content });
};

test("one transaction with an unknown status is a finding, and the rest is compared and kept with what it is about", async () => {
  books(sold(0), sold(1, { status: "BANANA<b>" }), sold(2, { amount: 10.3 }), {
    status: "SUCCESSFUL",
    amount: -5,
  });
  const report = await reconcileSupplier(
    deps,
    supplierId,
    { ...PERIOD, balances: { opening: "100.00", closing: "79.90", deposits: "0" } },
    ACTOR,
  );
  assert.deepEqual([report.entries, report.matched], [4, 1]);
  assert.deepEqual(
    { ...report.counts },
    {
      ...{
        missing_there: 0,
        missing_here: 0,
        amount_differs: 1,
        duplicate: 0,
        reversal: 0,
        no_outcome_here: 0,
      },
      unreadable: 2,
    },
  );
  const kept = await getReconciliation(db, report.id);
  assert.deepEqual(
    [kept.supplierName, kept.actor, kept.from, kept.fileDigest],
    ["Cards", ACTOR, PERIOD.from, undefined],
  );
  assert.deepEqual(kept.totals, report.totals);
  assert.deepEqual(kept.balances, report.balances);
  assert.deepEqual([kept.balances?.spentMinor, kept.balances?.unexplainedMinor], [2_010n, 0n]);
  const findings = await listFindings(db, report.id, { after: 0, limit: 10 });
  assert.deepEqual(
    findings.map(({ kind, unit, upstreamId, reason }) => [kind, unit?.unitIndex, upstreamId, reason]),
    [
      ["amount_differs", 2, "70002", undefined],
      ["unreadable", 1, "70001", "status is not a status that Scrip knows"],
      ["unreadable", undefined, undefined, "transactionId is missing"],
    ],
  );
  assert.deepEqual(
    (await listFindings(db, report.id, { kind: "unreadable", after: 2, limit: 10 })).map(
      ({ number }) => number,
    ),
    [3],
  );
  const [latest] = await listReconciliations(db, { supplierId, limit: 1 });
  assert.equal(latest?.id, report.id);
});

test("books that are no list, or repeat themselves, are said so, and no purchase counts twice", async () => {
  answers["/reports/transactions"] = "<!doctype html><title>Maintenance</title>";
  const before = await listReconciliations(db, { limit: 100 });
  await assert.rejects(
    reconcileSupplier(deps, supplierId, PERIOD, ACTOR),
    /no usable answer \(nonsense\) on page 1 of its list/,
  );
  assert.deepEqual(await listReconciliations(db, { limit: 100 }), before, "nothing is kept of it");
  const rows = Array.from({ length: 200 }, (_, index) => sold(index));
  books(...rows);
  const { counts, entries } = await reconcileSupplier(deps, supplierId, PERIOD, ACTOR);
  assert.deepEqual([entries, counts.duplicate, counts.missing_here, counts.unreadable], [201, 0, 197, 1]);
});
