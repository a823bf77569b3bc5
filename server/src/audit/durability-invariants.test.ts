import { testDamages } from "../../testing/builders/audit-damages.ts";

testDamages({
  "a table that a crash would empty": [
    ["alter table order_work set unlogged"],
    { 11: ["table order_work is emptied by a crash"] },
  ],
  "keys that may bind two orders": [
    ["alter table orders drop constraint orders_idempotency_key"],
    { 11: ["idempotency keys of orders are no longer unique"] },
  ],
});
