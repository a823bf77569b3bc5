import { testDamages } from "../../testing/builders/audit-damages.ts";

const ofAttempt = (order: string, line: number, unit: number, number: number): string =>
  `where order_id = '${order}' and line_index = ${line} and unit_index = ${unit} and number = ${number}`;

const REFUSE = "set status = 'refused', failure_code = 'out_of_stock', resolved_at = now()";

testDamages({
  "a missing attempt": [
    [`delete from supplier_attempts ${ofAttempt("ord_completed", 0, 0, 1)}`],
    { 9: ["unit ord_completed/0/0: an attempt is missing"] },
  ],
  "a second supplier that was asked before the first refused": [
    [
      `update supplier_attempts ${REFUSE} ${ofAttempt("ord_begun", 0, 0, 2)}`,
      `update supplier_attempts set status = 'open', failure_code = null, resolved_at = null
       ${ofAttempt("ord_begun", 0, 0, 1)}`,
    ],
    { 9: ["unit ord_begun/0/0: an attempt was followed by another before it was refused"] },
  ],
  "a unit that was bought twice": [
    [
      "drop index supplier_attempts_one_bought",
      `update supplier_attempts set status = 'delivered', failure_code = null, supplier_id = 'sup_second'
       ${ofAttempt("ord_completed", 0, 0, 1)}`,
    ],
    {
      9: [
        "the index supplier_attempts_one_bought is missing, changed or broken",
        "unit ord_completed/0/0: an attempt was followed by another before it was refused",
      ],
    },
  ],
  "an attempt without a unit": [
    [
      `insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id,
                                      sku, status, opened_at)
       values ('ord_begun', 0, 9, 1, 'live', 'card', 'sup_first', 'sku', 'open', now())`,
    ],
    { 9: ["attempt ord_begun/0/9/1 is open, but there is no such unit"] },
  ],
  "an attempt for the wrong product": [
    [`update supplier_attempts set product_id = 'game' ${ofAttempt("ord_begun", 0, 0, 2)}`],
    { 9: ["attempt ord_begun/0/0/2 is open but for a different product than its line"] },
  ],
  "a written-off attempt whose unit is waiting": [
    [
      `update supplier_attempts set written_off_at = now(), next_look_at = now() ${ofAttempt("ord_begun", 0, 0, 2)}`,
    ],
    { 9: ["attempt ord_begun/0/0/2 is open and written off, but its unit is waiting"] },
  ],
  "a written-off attempt whose unit was delivered": [
    [
      `update supplier_attempts set written_off_at = now(), next_look_at = now()
       ${ofAttempt("ord_completed", 0, 0, 2)}`,
    ],
    { 9: ["attempt ord_completed/0/0/2 is delivered and written off, but its unit is delivered"] },
  ],
  "an abandoned attempt": [
    [
      `update supplier_attempts set written_off_at = null, next_look_at = null ${ofAttempt("ord_partly", 1, 2, 2)}`,
    ],
    { 9: ["attempt ord_partly/1/2/2 is open, but its unit is refunded"] },
  ],
  "a failed unit with an open attempt": [
    [
      `update supplier_attempts set status = 'open', failure_code = null, resolved_at = null
       ${ofAttempt("ord_failed", 0, 0, 2)}`,
    ],
    { 9: ["attempt ord_failed/0/0/2 is open, but its unit is failed"] },
  ],
  "a purchase that was never assigned to its unit": [
    [
      `update supplier_attempts set status = 'delivered', resolved_at = now() ${ofAttempt("ord_begun", 0, 0, 2)}`,
    ],
    {
      9: [
        "attempt ord_begun/0/0/2 is delivered but has no matching code",
        "attempt ord_begun/0/0/2 is delivered, but its unit is waiting",
      ],
    },
  ],
  "a waiting unit with a quarantined purchase": [
    [
      `update supplier_attempts set status = 'quarantined', resolved_at = now() ${ofAttempt("ord_begun", 0, 0, 2)}`,
      `insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
                          unit_index, quarantine_reason)
       values ('cod_new', 'live', 'card', 'sup_second', 'quarantined', 'code', '', sha256(''), 'ord_begun', 0, 0,
               'duplicate')`,
    ],
    { 9: ["attempt ord_begun/0/0/2 is quarantined, but its unit is waiting"] },
  ],
  "a code from a supplier that refused": [
    [`update supplier_attempts ${REFUSE} ${ofAttempt("ord_completed", 0, 0, 2)}`],
    { 9: ["code cod_ord_completed_0_0 is delivered but has no matching attempt"] },
  ],
  "a quarantined code that was never bought": [
    [`update supplier_attempts ${REFUSE} ${ofAttempt("ord_partly", 1, 1, 2)}`],
    { 9: ["code cod_ord_partly_1_1 is quarantined but has no matching attempt"] },
  ],
  "a code that left quarantine": [
    ["delete from codes where id = 'cod_ord_partly_1_1'"],
    { 9: ["attempt ord_partly/1/1/2 is quarantined but has no matching code"] },
  ],
  "a delivered code in quarantine": [
    [
      `update codes set state = 'quarantined', delivered_at = null, quarantine_reason = 'duplicate'
       where id = 'cod_ord_completed_0_0'`,
    ],
    {
      6: ["unit ord_completed/0/0 was delivered but has no code"],
      9: [
        "attempt ord_completed/0/0/2 is delivered but has no matching code",
        "code cod_ord_completed_0_0 is quarantined but has no matching attempt",
      ],
    },
  ],
  "a code from another supplier": [
    ["update codes set supplier_id = 'sup_first' where id = 'cod_ord_completed_0_0'"],
    {
      9: [
        "attempt ord_completed/0/0/2 is delivered but has no matching code",
        "code cod_ord_completed_0_0 is delivered but has no matching attempt",
      ],
    },
  ],
  "a code for another product than was bought": [
    ["update codes set product_id = 'game' where id = 'cod_ord_completed_0_0'"],
    {
      6: ["code cod_ord_completed_0_0 is for a different product than its line"],
      9: ["attempt ord_completed/0/0/2 and code cod_ord_completed_0_0 differ in product"],
    },
  ],
  "a quarantined code for another product than was bought": [
    ["update codes set product_id = 'card' where id = 'cod_ord_partly_1_4'"],
    { 9: ["attempt ord_partly/1/4/2 and code cod_ord_partly_1_4 differ in product"] },
  ],
  "a late code that was not written off": [
    [
      `update supplier_attempts set written_off_at = null, next_look_at = null ${ofAttempt("ord_partly", 1, 4, 2)}`,
    ],
    { 9: ["code cod_ord_partly_1_4 is late but was not written off"] },
  ],
  "a late code that is also a duplicate": [
    ["update codes set quarantine_reason = 'duplicate' where id = 'cod_ord_partly_1_4'"],
    {},
  ],
  "two quarantined codes for one purchase": [
    [
      `insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
                          unit_index, quarantine_reason)
       select 'cod_other', environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
              unit_index, quarantine_reason
       from codes where id = 'cod_ord_partly_1_4'`,
    ],
    { 9: ["unit ord_partly/1/4 has 2 codes in quarantine"] },
  ],
});
