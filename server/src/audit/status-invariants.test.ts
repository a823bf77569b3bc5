import { testDamages } from "../../testing/builders/audit-damages.ts";

const isUnreachable = (order: string, status: string, units: string) => ({
  8: [`order ${order} is ${status} with ${units} ever delivered`],
});
const triggerIsBroken = { 8: ["the trigger orders_status_moves is missing, changed or switched off"] };
const unguarded = (...statements: string[]): string[] => [
  "alter table orders disable trigger orders_status_moves",
  ...statements,
  "alter table orders enable trigger orders_status_moves",
];

/** The event that belongs to it, so that only the status is wrong. */
const tellOfCompletion = (orderId: string): string => `
  insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
  select 'evt_' || id, reseller_id, environment, 'order.fulfilled', '{}', id, 'fulfilled', now()
  from orders where id = '${orderId}'`;

testDamages({
  "a pending order with a unit": [
    [
      `insert into order_units (order_id, line_index, unit_index, environment, due_at)
       values ('ord_pending', 0, 0, 'live', now())`,
    ],
    isUnreachable("ord_pending", "pending", "1 waiting, 0 delivered, 0 failed and 0 refunded units, 0"),
  ],
  "a pending order with a count of open units": [
    ["update orders set open_units = 0 where id = 'ord_pending'"],
    isUnreachable("ord_pending", "pending", "0 waiting, 0 delivered, 0 failed and 0 refunded units, 0"),
  ],
  "an order that went back to pending": [
    unguarded("update orders set status = 'pending' where id = 'ord_begun'"),
    isUnreachable("ord_begun", "pending", "3 waiting, 0 delivered, 0 failed and 0 refunded units, 0"),
  ],
  "a processing order without units": [
    [
      { id: "ord_bad", status: "processing", lines: [["waiting"]] },
      "delete from order_units where order_id = 'ord_bad'",
      "update orders set open_units = 0 where id = 'ord_bad'",
    ],
    {
      6: ["line 0 of ord_bad: 0 units of 1"],
      ...isUnreachable("ord_bad", "processing", "0 waiting, 0 delivered, 0 failed and 0 refunded units, 0"),
    },
  ],
  "a processing order with all units delivered": [
    [{ id: "ord_bad", status: "processing", lines: [["delivered", "delivered"]] }],
    isUnreachable("ord_bad", "processing", "0 waiting, 2 delivered, 0 failed and 0 refunded units, 2"),
  ],
  "a processing order with all units delivered or refunded": [
    [{ id: "ord_bad", status: "processing", lines: [["delivered"], ["written off"]] }],
    isUnreachable("ord_bad", "processing", "0 waiting, 1 delivered, 0 failed and 1 refunded units, 1"),
  ],
  "a completed order with a waiting unit": [
    [{ id: "ord_bad", status: "completed", lines: [["delivered"], ["waiting"]] }],
    isUnreachable("ord_bad", "completed", "1 waiting, 1 delivered, 0 failed and 0 refunded units, 1"),
  ],
  "a completed order with a failed unit that was not refunded": [
    [
      "update orders set status = 'completed' where id = 'ord_released'",
      "delete from order_work where order_id = 'ord_released'",
      tellOfCompletion("ord_released"),
    ],
    isUnreachable("ord_released", "completed", "0 waiting, 1 delivered, 1 failed and 0 refunded units, 1"),
  ],
  "a completed order without a delivered unit": [
    [
      "alter table orders drop constraint orders_refunded",
      ...unguarded("update orders set status = 'completed' where id = 'ord_test_refunded'"),
      tellOfCompletion("ord_test_refunded"),
    ],
    {
      4: ["order ord_test_refunded: paid back 300, its refunded units cost 300, and it says 300 of 300"],
      ...isUnreachable(
        "ord_test_refunded",
        "completed",
        "0 waiting, 0 delivered, 0 failed and 1 refunded units, 0",
      ),
    },
  ],
  "a failed order with a waiting unit": [
    [{ id: "ord_bad", status: "failed", lines: [["refused"], ["waiting"]] }],
    isUnreachable("ord_bad", "failed", "1 waiting, 0 delivered, 1 failed and 0 refunded units, 0"),
  ],
  "a failed order with a delivered unit": [
    [{ id: "ord_bad", status: "failed", lines: [["refused"], ["delivered"]] }],
    isUnreachable("ord_bad", "failed", "0 waiting, 1 delivered, 1 failed and 0 refunded units, 1"),
  ],
  "a failed order with a delivered unit that was refunded": [
    [{ id: "ord_bad", status: "failed", lines: [["refused"], ["taken back"]] }],
    {
      6: ["unit ord_bad/1/0 is delivered and refunded, and its order is failed"],
      ...isUnreachable("ord_bad", "failed", "0 waiting, 0 delivered, 1 failed and 1 refunded units, 1"),
    },
  ],
  "a refunded order with a unit that was not refunded": [
    ["update order_units set status = 'failed' where order_id = 'ord_test_refunded'"],
    {
      4: [
        "line 0 of ord_test_refunded says 1 refunded but has 0",
        "order ord_test_refunded: paid back 300, its refunded units cost 0, and it says 300 of 300",
      ],
      ...isUnreachable(
        "ord_test_refunded",
        "refunded",
        "0 waiting, 0 delivered, 1 failed and 0 refunded units, 0",
      ),
    },
  ],
  "a missing trigger": [["drop trigger orders_status_moves on orders"], triggerIsBroken],
  "a disabled trigger": [["alter table orders disable trigger orders_status_moves"], triggerIsBroken],
  "a trigger that only fires on replicas": [
    ["alter table orders enable replica trigger orders_status_moves"],
    triggerIsBroken,
  ],
  "a trigger that also fires on replicas": [
    ["alter table orders enable always trigger orders_status_moves"],
    {},
  ],
  "a trigger that allows one more transition": [
    [
      "drop trigger orders_status_moves on orders",
      `create trigger orders_status_moves before update of status on orders for each row
       when (old.status <> new.status and (old.status, new.status) not in (
         ('pending', 'processing'), ('processing', 'completed'), ('processing', 'failed'), ('failed', 'refunded'),
         ('completed', 'refunded'), ('refunded', 'completed')))
       execute function refuse_status()`,
    ],
    triggerIsBroken,
  ],
  "a trigger whose function refuses nothing": [
    [
      "create or replace function refuse_status() returns trigger language plpgsql as 'begin return new; end'",
    ],
    triggerIsBroken,
  ],
});
