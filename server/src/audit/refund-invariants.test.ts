import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { type Damage, testDamages } from "../../testing/builders/audit-damages.ts";
import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { appendEntry } from "../wallet/entry.ts";
import { insertEntry, lockWallet, updateWallet } from "../wallet/queries.ts";

/** A complete refund entry that is wrong only for its order. */
const refund =
  (orderId: string, amountMinor: number, tenant: Partial<Tenant> = {}) =>
  async (tx: Tx): Promise<void> => {
    const head = await lockWallet(tx, { resellerId: "rsl_seller", environment: "live", ...tenant });
    assert.ok(head);
    const next = appendEntry(head, {
      id: "ent_refund",
      type: "refund",
      amountMinor: BigInt(amountMinor),
      orderId,
      note: null,
      createdAt: new Date(),
    });
    assert.ok(next);
    await insertEntry(tx, next.entry);
    await updateWallet(tx, next.head);
    await tx.rows(sql`
      insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
      select 'evt_refund', reseller_id, environment, 'order.refunded', '{}', id, 'ent_refund', now()
      from orders where id = ${orderId}`);
  };

const unconstrained = "alter table orders drop constraint orders_refunded";
/** Line 0 of this order has a delivered unit of 300 and a refused one, which was refunded. */
const firstLine = "where order_id = 'ord_partly' and line_index = 0";

/** Everything that a refund of 300 changes, except the wallet. */
const PARTLY_REFUNDED: Damage = [
  { id: "ord_bad", status: "processing", lines: [["asked", "refused"]] },
  "update order_units set status = 'refunded' where order_id = 'ord_bad' and unit_index = 1",
  "update order_lines set refunded_quantity = 1 where order_id = 'ord_bad'",
  "update orders set refunded_minor = 300 where id = 'ord_bad'",
];

testDamages({
  "an order marked refunded that was not refunded": [
    [
      unconstrained,
      "update orders set status = 'refunded' where id = 'ord_failed'",
      "delete from order_work where order_id = 'ord_failed'",
    ],
    {
      4: ["order ord_failed: paid back 500, its refunded units cost 500, and it says 500 of 1600"],
      8: [
        "order ord_failed is refunded with 0 waiting, 0 delivered, 3 failed and 1 refunded units, 0 ever delivered",
      ],
    },
  ],
  "a fully refunded order that is not marked refunded": [
    [
      { id: "ord_bad", status: "refunded", lines: [["taken back"]] },
      unconstrained,
      "alter table orders disable trigger orders_status_moves",
      "update orders set status = 'completed' where id = 'ord_bad'",
      "alter table orders enable trigger orders_status_moves",
    ],
    { 4: ["order ord_bad: paid back 300, its refunded units cost 300, and it says 300 of 300"] },
  ],
  "a refund that was paid twice": [
    [refund("ord_partly", 300)],
    { 4: ["order ord_partly: paid back 3100, its refunded units cost 2800, and it says 2800 of 3100"] },
  ],
  "a refund without a refunded unit": [
    [refund("ord_partly", 1), "update orders set refunded_minor = 2801 where id = 'ord_partly'"],
    { 4: ["order ord_partly: paid back 2801, its refunded units cost 2800, and it says 2801 of 3100"] },
  ],
  "refunds above the debit": [
    [
      refund("ord_taken", 1),
      unconstrained,
      "update orders set refunded_minor = total_minor + 1 where id = 'ord_taken'",
    ],
    { 4: ["order ord_taken: paid back 1101, its refunded units cost 1100, and it says 1101 of 1100"] },
  ],
  "refunds of more units than were bought": [
    [
      { id: "ord_bad", status: "completed", lines: [["delivered"]] },
      `insert into order_units (order_id, line_index, unit_index, environment, status, due_at, failure_code)
       select 'ord_bad', 0, unit_index, 'live', 'refunded', now(), 'out_of_stock' from generate_series(1, 2) unit_index`,
      refund("ord_bad", 600),
      unconstrained,
      "alter table order_lines drop constraint order_lines_quantities",
      "update orders set refunded_minor = 600 where id = 'ord_bad'",
      "update order_lines set refunded_quantity = 2, failure_code = 'out_of_stock' where order_id = 'ord_bad'",
    ],
    {
      4: ["order ord_bad: paid back 600, its refunded units cost 600, and it says 600 of 300"],
      6: ["line 0 of ord_bad: 3 units of 1"],
    },
  ],
  "a refund in another currency than the order's": [
    ["update orders set currency = 'EUR' where id = 'ord_taken'"],
    {
      3: ["order ord_taken: debit, total and lines differ"],
      4: ["a refund for ord_taken, which is not an order of that wallet"],
    },
  ],
  "a refunded unit without a refund": [
    [
      `update order_units set status = 'refunded' ${firstLine} and unit_index = 0`,
      `update order_lines set refunded_quantity = 2 ${firstLine}`,
    ],
    { 4: ["order ord_partly: paid back 2800, its refunded units cost 3100, and it says 2800 of 3100"] },
  ],
  "a line with too small a refunded quantity": [
    [`update order_lines set refunded_quantity = 0 ${firstLine}`],
    { 4: ["line 0 of ord_partly says 0 refunded but has 1"] },
  ],
  "a line with too large a refunded quantity": [
    ["update order_lines set refunded_quantity = 1 where order_id = 'ord_pending' and line_index = 0"],
    { 4: ["line 0 of ord_pending says 1 refunded but has 0"] },
  ],
  "a refund to the wallet of another reseller": [
    [...PARTLY_REFUNDED, refund("ord_bad", 300, { resellerId: "rsl_other" })],
    { 4: ["a refund for ord_bad, which is not an order of that wallet"] },
  ],
  "a refund to the sandbox": [
    [...PARTLY_REFUNDED, refund("ord_bad", 300, { environment: "test" })],
    { 4: ["a refund for ord_bad, which is not an order of that wallet"] },
  ],
  "a refund to the wallet that paid": [[...PARTLY_REFUNDED, refund("ord_bad", 300)], {}],
  "a refund without an order": [
    [refund("ord_none", 1)],
    {
      4: ["a refund for ord_none, which is not an order of that wallet"],
      8: ["refund ent_refund of ord_none has no event"],
    },
  ],
});
