import { testDamages } from "../../testing/builders/audit-damages.ts";

const copyCode = (id: string, newId: string): string => `
  insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
                     unit_index, delivered_at)
  select '${newId}', environment, product_id, supplier_id, state, type, sealed, sha256('other'), order_id, line_index,
         unit_index, delivered_at
  from codes where id = '${id}'`;

testDamages({
  "open units that are counted wrong": [
    ["update orders set open_units = 0 where id = 'ord_begun'"],
    { 6: ["order ord_begun says 0 open units and has 3"] },
  ],
  "open units that were never counted": [
    ["update orders set open_units = null where id = 'ord_completed'"],
    { 6: ["order ord_completed says ? open units and has 0"] },
  ],
  "a unit that is missing": [
    ["delete from order_units where order_id = 'ord_failed' and line_index = 0 and unit_index = 1"],
    { 6: ["line 0 of ord_failed: 1 units of 2"] },
  ],
  "a unit that is missing in front": [
    [
      { id: "ord_bad", status: "failed", lines: [["unroutable", "unroutable"]] },
      "delete from order_units where order_id = 'ord_bad' and unit_index = 0",
    ],
    { 6: ["line 0 of ord_bad: 1 units of 2"] },
  ],
  "a unit more than was bought": [
    [
      `insert into order_units (order_id, line_index, unit_index, environment, status, due_at, failure_code)
       values ('ord_failed', 0, 2, 'live', 'failed', now(), 'out_of_stock')`,
    ],
    { 6: ["line 0 of ord_failed: 3 units of 2"] },
  ],
  "units that are not numbered through": [
    ["update order_units set unit_index = 2 where order_id = 'ord_test_partly' and unit_index = 1"],
    { 6: ["line 0 of ord_test_partly: its units are not numbered through"] },
  ],
  "a unit of no line": [
    [
      `insert into order_units (order_id, line_index, unit_index, environment, status, due_at, failure_code)
       values ('ord_completed', 7, 0, 'live', 'refunded', now(), 'out_of_stock')`,
    ],
    { 6: ["unit ord_completed/7/0 is of no line"] },
  ],
  "a line that says more than was delivered": [
    ["update order_lines set fulfilled_quantity = 2 where order_id = 'ord_partly' and line_index = 0"],
    { 6: ["line 0 of ord_partly: says 2 delivered and has 1"] },
  ],
  "a line that says less than was delivered and taken back": [
    ["update order_lines set fulfilled_quantity = 1 where order_id = 'ord_taken_half' and line_index = 0"],
    { 6: ["line 0 of ord_taken_half: says 1 delivered and has 2"] },
  ],
  "a pending line that says delivered": [
    ["update order_lines set fulfilled_quantity = 1 where order_id = 'ord_pending' and line_index = 1"],
    { 6: ["line 1 of ord_pending: says 1 delivered and has 0"] },
  ],
  "a line whose failure code is another than its units'": [
    [
      "update order_lines set failure_code = 'invalid_account' where order_id = 'ord_refunded' and line_index = 0",
    ],
    { 6: ["line 0 of ord_refunded: its failure code is not that of a unit"] },
  ],
  "a line that does not say why its units failed": [
    ["update order_lines set failure_code = null where order_id = 'ord_partly' and line_index = 0"],
    { 6: ["line 0 of ord_partly: its failure code is not that of a unit"] },
  ],
  "a line that failed though all its units were delivered": [
    [
      "update order_lines set failure_code = 'out_of_stock' where order_id = 'ord_completed' and line_index = 0",
    ],
    { 6: ["line 0 of ord_completed: its failure code is not that of a unit"] },
  ],
  "a line that tells the failure of any one of its units": [
    [
      "update order_lines set failure_code = 'out_of_stock' where order_id = 'ord_refunded' and line_index = 0",
    ],
    {},
  ],
  "a unit that was delivered and refunded while its order was under way": [
    [{ id: "ord_bad", status: "processing", lines: [["taken back", "asked"]] }],
    { 6: ["unit ord_bad/0/0 is delivered and refunded, and its order is processing"] },
  ],
  "a unit with two open attempts": [
    [
      "drop index supplier_attempts_one_open",
      `insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id,
                                      sku, status, opened_at)
       values ('ord_begun', 0, 0, 3, 'live', 'card', 'sup_first', 'sku', 'open', now())`,
    ],
    {
      6: [
        "the index supplier_attempts_one_open is missing, changed or broken",
        "unit ord_begun/0/0 has 2 open attempts",
      ],
      9: ["unit ord_begun/0/0: an attempt was followed by another before it was refused"],
    },
  ],
  "a unit with two delivered codes": [
    ["drop index codes_one_for_each_unit", copyCode("cod_ord_completed_0_0", "cod_other")],
    {
      6: [
        "the index codes_one_for_each_unit is missing, changed or broken",
        "unit ord_completed/0/0 has 2 delivered codes",
      ],
    },
  ],
  "a delivered unit without a code, live": [
    ["delete from codes where id = 'cod_ord_completed_0_1'"],
    {
      6: ["unit ord_completed/0/1 was delivered and has no code"],
      9: ["attempt ord_completed/0/1/2 is delivered and has no such code"],
    },
  ],
  "a delivered unit without a code, in the sandbox": [
    ["delete from codes where id = 'cod_ord_test_completed_0_1'"],
    { 6: ["unit ord_test_completed/0/1 was delivered and has no code"] },
  ],
  "a unit that was taken back and lost its code": [
    ["delete from codes where id = 'cod_ord_test_taken_0_0'"],
    { 6: ["unit ord_test_taken/0/0 was delivered and has no code"] },
  ],
  "a code for a unit that was refunded instead": [
    [
      `update codes set order_id = 'ord_test_refunded', line_index = 0, unit_index = 0
       where id = 'cod_ord_test_partly_0_0'`,
    ],
    {
      6: [
        "code cod_ord_test_partly_0_0 is delivered, and its unit was not",
        "unit ord_test_partly/0/0 was delivered and has no code",
      ],
    },
  ],
  "a code for no unit": [
    ["update codes set unit_index = 9 where id = 'cod_ord_test_partly_0_0'"],
    {
      6: [
        "code cod_ord_test_partly_0_0 is delivered, and its unit was not",
        "unit ord_test_partly/0/0 was delivered and has no code",
      ],
    },
  ],
  "a code that was delivered at another time than its unit": [
    ["update codes set delivered_at = delivered_at + interval '1 ms' where id = 'cod_ord_completed_1_0'"],
    { 6: ["code cod_ord_completed_1_0 was delivered at another time than its unit"] },
  ],
  "a code of another product than was bought": [
    ["update codes set product_id = 'game' where id = 'cod_ord_test_completed_0_0'"],
    { 6: ["code cod_ord_test_completed_0_0 is of another product than its line"] },
  ],
  "one code that went to two units": [
    [
      "drop index codes_known",
      `update codes set digest = (select digest from codes where id = 'cod_ord_completed_0_0')
       where id = 'cod_ord_partly_0_0'`,
    ],
    {
      6: [
        "one code is on record as cod_ord_completed_0_0, cod_ord_partly_0_0",
        "the index codes_known is missing, changed or broken",
      ],
    },
  ],
  "a code in quarantine that is known from elsewhere": [
    [
      `update codes set digest = (select digest from codes where id = 'cod_ord_completed_0_0')
       where id = 'cod_ord_partly_1_1'`,
    ],
    {},
  ],
  "top-ups, whose receipts may repeat": [
    ["update codes set type = 'topup', digest = null where digest is not null and state = 'delivered'"],
    {},
  ],
  "an index that lets a code come twice": [
    ["drop index codes_known", "create index codes_known on codes (digest) where state <> 'quarantined'"],
    { 6: ["the index codes_known is missing, changed or broken"] },
  ],
  "an index that covers less than it did": [
    ["drop index codes_known", "create unique index codes_known on codes (digest) where state = 'delivered'"],
    { 6: ["the index codes_known is missing, changed or broken"] },
  ],
  "an index that was built in vain": [
    ["update pg_index set indisvalid = false where indexrelid = 'codes_one_for_each_unit'::regclass"],
    { 6: ["the index codes_one_for_each_unit is missing, changed or broken"] },
  ],
});
