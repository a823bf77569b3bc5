import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Registry } from "prom-client";
import sql from "sql-template-tag";
import { addProducts } from "../../testing/builders/builders.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createFulfilmentMetrics } from "../fulfilment/fulfilment-metrics.ts";
import { listSupplierVitals, readSupplierHealth } from "./health-queries.ts";

const { db, drop } = await createTestDatabase();
after(drop);

const NOW = new Date("2030-01-01T00:00:00Z");
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

test("the health of a supplier: share delivered, times, circuit and the last error, by id", async () => {
  await addProducts(db, [{ id: "card" }]);
  const id = await addSupplierRow(db, { kind: "dtone", name: "Secret Upstream" });
  const idle = await addSupplierRow(db, { kind: "bamboo", name: "Idle" });
  await addSupplierRow(db, { name: "Stock" });
  const add = (unit: number, status: string, openedAt: Date, seconds: number, answer: string) =>
    db.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     status, opened_at, resolved_at, last_sent_at, send_answer,
                                     failure_code)
      values ('ord_1', 0, ${unit}, 1, 'live', 'card', ${id}, '77', ${status}, ${openedAt},
              ${new Date(openedAt.getTime() + seconds * 1_000)}, ${openedAt}, ${answer},
              ${status === "refused" ? "out_of_stock" : null})`);
  await add(1, "delivered", ago(100), 1, "delivered");
  await add(2, "delivered", ago(90), 3, "server_error");
  await add(3, "delivered", ago(80), 2, "timeout");
  await add(4, "refused", ago(70), 1, "refused");
  await add(5, "delivered", ago(90_000), 99, "delivered");
  const since = ago(86_400);
  const { health, lastError, refusals } = await readSupplierHealth(db, id, since, 100);
  assert.deepEqual([health.purchases, health.delivered, health.refused, health.medianMs], [4, 3, 1, 2_000]);
  assert.deepEqual(lastError, { errorClass: "timeout", at: ago(80) });
  assert.deepEqual(refusals, [{ failureCode: "out_of_stock", count: 1 }]);
  const newest = await readSupplierHealth(db, id, since, 1);
  assert.deepEqual([newest.health.purchases, newest.lastError], [1, undefined]);
  const none = await readSupplierHealth(db, idle, since, 100);
  assert.deepEqual([none.health.purchases, none.lastError, none.refusals], [0, undefined, []]);
  await db.rows(sql`update suppliers set open_until = ${ago(-60)} where id = ${id}`);
  const vitals = await listSupplierVitals(db, since, NOW, 100);
  assert.deepEqual(
    vitals.map((one) => [one.id, one.purchases, one.delivered, one.medianMs, one.isOpen]).sort(),
    [
      [id, 4, 3, 2_000, true],
      [idle, 0, 0, null, false],
    ].sort(),
  );
  const registry = new Registry();
  createFulfilmentMetrics(registry).showSuppliers(vitals);
  const text = await registry.metrics();
  assert.match(text, new RegExp(`scrip_supplier_delivered_ratio\\{supplier="${id}"\\} 0.75`));
  assert.match(text, new RegExp(`scrip_supplier_delivery_seconds\\{supplier="${id}",quantile="0.5"\\} 2`));
  assert.match(text, new RegExp(`scrip_supplier_circuit_open\\{supplier="${id}"\\} 1`));
  assert.doesNotMatch(text, /Secret Upstream/);
});
