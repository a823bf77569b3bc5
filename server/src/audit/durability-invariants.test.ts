import { testDamages } from "../../testing/builders/audit-damages.ts";

testDamages({
  "an unlogged table": [
    ["alter table order_work set unlogged"],
    { 11: ["table order_work would be emptied by a crash"] },
  ],
  "idempotency keys that can bind two orders": [
    ["alter table orders drop constraint orders_idempotency_key"],
    { 11: ["idempotency keys of orders are no longer unique"] },
  ],
});
