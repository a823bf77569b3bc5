import sql from "sql-template-tag";
import { parseAmountLimits } from "../../src/lib/money.ts";
import { requestMovement } from "../../src/wallet/proposals/request-movement.ts";
import type { TestApp } from "../app/test-app.ts";
import { addRouteRow, addSupplierRow } from "../builders/supply-builders.ts";

const MINUTE_MS = 60_000;
/** How long ago the purchases were sent whose answers were lost. */
const OPENED_MINUTES_AGO = [187, 74, 41] as const;

/** What an operator finds in the morning of a bad night, written into the demo for a picture. */
export async function addTrouble({ db, clock }: TestApp): Promise<void> {
  const supplierId = await addSupplierRow(db, { kind: "scrip", name: "Bamboo" });
  const before = (minutes: number) => new Date(clock.now().getTime() - minutes * MINUTE_MS);
  const orders = await db.rows<{ id: string; productId: string }>(sql`
    select o.id, l.product_id as "productId" from orders o join order_lines l on l.order_id = o.id and l.line_index = 0
    where o.environment = 'live' order by o.id desc limit ${OPENED_MINUTES_AGO.length}`);
  for (const [index, { id, productId }] of orders.entries()) {
    await addRouteRow(db, { productId, supplierId, priority: 900 + index }).catch(() => undefined);
    const openedAt = before(OPENED_MINUTES_AGO[index] ?? 0);
    await db.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku, status,
                                     doubtful, sends, looks, opened_at, last_sent_at, send_answer)
      values (${id}, 0, 0, 9, 'live', ${productId}, ${supplierId}, ${productId}, 'open', true, 1, ${index + 2}, ${openedAt},
              ${openedAt}, 'timeout')`);
  }
  await db.rows(sql`
    update suppliers set consecutive_failures = 6, open_until = ${before(-3)}, balance_minor = 41250, balance_currency = 'USD',
           balance_at = ${before(2)}, balance_low_minor = 50000 where id = ${supplierId}`);
  await db.rows(sql`
    update webhook_endpoints set failing_since = ${before(26 * 60)}, failures = 12
    where id = (select id from webhook_endpoints where environment = 'live' order by id limit 1)`);
}

/** A deposit that waits for a second person. */
export async function proposeDeposit({ db, clock }: TestApp, accountId: string): Promise<void> {
  const [reseller] = await db.rows<{ id: string }>(sql`select id from resellers order by id limit 1`);
  await requestMovement(
    { db, clock, dualControl: parseAmountLimits("1000") },
    { resellerId: reseller?.id ?? "", environment: "live" },
    { direction: "credit", amount: "2500.00", note: "Bank transfer 4711" },
    { actor: { kind: "staff", id: accountId } },
  );
}
