import { testDamages } from "../../testing/builders/audit-damages.ts";

const differs = (id: string) => ({ 3: [`order ${id}: debit, total and lines differ`] });
const withoutWork = (id: string) => `delete from order_work where order_id = '${id}'`;
const neverDue = (id: string) => `update order_work set due_at = 'infinity' where order_id = '${id}'`;
const ofPending = "where order_id = 'ord_pending'";

testDamages({
  "an order that costs more than was paid": [
    ["update orders set total_minor = total_minor + 1 where id = 'ord_pending'"],
    differs("ord_pending"),
  ],
  "lines that cost more than was paid": [
    [
      `update order_lines set quantity = 3, line_total_minor = 3 * unit_price_minor ${ofPending} and line_index = 0`,
    ],
    differs("ord_pending"),
  ],
  "a missing line in the middle": [
    [
      `update order_lines set quantity = 1, line_total_minor = 1100, unit_price_minor = 1100 ${ofPending}`,
      `delete from order_lines ${ofPending} and line_index = 0`,
    ],
    differs("ord_pending"),
  ],
  "an order without lines": [
    ["delete from order_lines where order_id = 'ord_test_pending'"],
    { 3: ["order ord_test_pending: no lines"] },
  ],
  "a sandbox line": [
    [`update order_lines set environment = 'test' ${ofPending} and line_index = 1`],
    { 3: ["line 1 of ord_pending has no order of its tenant"] },
  ],
  "an order of another reseller than the one that paid": [
    [
      "update orders set reseller_id = 'rsl_other' where id = 'ord_pending'",
      `update order_lines set reseller_id = 'rsl_other' ${ofPending}`,
    ],
    differs("ord_pending"),
  ],
  "a debit without an order": [
    [
      `delete from order_lines ${ofPending}`,
      "delete from orders where id = 'ord_pending'",
      withoutWork("ord_pending"),
    ],
    { 3: ["order ord_pending: a debit without an order"] },
  ],
  "an order without a debit": [
    [
      `insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, total_minor, currency, key_id,
                           created_at, updated_at)
       select 'ord_free', reseller_id, environment, 'free', fingerprint, total_minor, currency, key_id, created_at,
              updated_at
       from orders where id = 'ord_pending'`,
      `insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                                quantity, line_total_minor)
       select 'ord_free', line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity,
              line_total_minor
       from order_lines ${ofPending}`,
      "insert into order_work (order_id, due_at) values ('ord_free', now())",
    ],
    { 3: ["order ord_free: no debit"] },
  ],
  "an idempotency key bound to two orders": [
    [
      "alter table orders drop constraint orders_idempotency_key",
      "update orders set idempotency_key = 'ord_pending' where id = 'ord_completed'",
    ],
    {
      5: ["reseller rsl_seller live: one idempotency key is bound to ord_completed, ord_pending"],
      11: ["idempotency keys of orders are no longer unique"],
    },
  ],
  "a pending order without work": [
    [withoutWork("ord_pending")],
    { 7: ["order ord_pending is pending but has no work"] },
  ],
  "a processing order without work": [
    [withoutWork("ord_begun")],
    { 7: ["order ord_begun is processing but has no work"] },
  ],
  "a processing order on hold without work": [
    [withoutWork("ord_held")],
    { 7: ["order ord_held is processing but has no work"] },
  ],
  "a failed order without refund work": [
    [withoutWork("ord_failed")],
    { 7: ["order ord_failed is failed but has no work"] },
  ],
  "a pending order that is never due": [
    [neverDue("ord_pending")],
    { 7: ["order ord_pending is pending but has no work that becomes due"] },
  ],
  "a failed order that is never due": [
    [neverDue("ord_failed")],
    { 7: ["order ord_failed is failed but has no work that becomes due"] },
  ],
  "an order on hold that is never due although a unit is waiting": [
    [neverDue("ord_underway_held")],
    { 7: ["order ord_underway_held is processing but has no work that becomes due"] },
  ],
  "a released order that is never due": [
    [neverDue("ord_released")],
    { 7: ["order ord_released is processing but has no work that becomes due"] },
  ],
  "an order on hold that is due": [["update order_work set due_at = now() where order_id = 'ord_held'"], {}],
  "a failed order on hold that is never due": [[neverDue("ord_failed_holding")], {}],
  "a waiting unit that is never due": [
    ["update order_units set due_at = 'infinity' where order_id = 'ord_begun' and line_index = 1"],
    { 7: ["unit ord_begun/1/0 is waiting but never due"] },
  ],
  "units that are never due because they are not waiting or are in the sandbox": [
    [
      `update order_units set due_at = 'infinity'
       where order_id in ('ord_completed', 'ord_held', 'ord_failed', 'ord_test_stuck')`,
    ],
    {},
  ],
  "work for a completed order": [
    ["insert into order_work (order_id, due_at) values ('ord_partly', now())"],
    { 7: ["work for ord_partly, which is not an unfinished order"] },
  ],
  "work for a refunded order": [
    ["insert into order_work (order_id, due_at) values ('ord_taken', now())"],
    { 7: ["work for ord_taken, which is not an unfinished order"] },
  ],
  "work without an order": [
    ["insert into order_work (order_id, due_at) values ('ord_none', now())"],
    { 7: ["work for ord_none, which is not an unfinished order"] },
  ],
});
