import { testDamages } from "../../testing/builders/audit-damages.ts";

const copyCode = (id: string, newId: string): string => `
  insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
                     unit_index, delivered_at)
  select '${newId}', environment, product_id, supplier_id, state, type, sealed, sha256('other'), order_id, line_index,
         unit_index, delivered_at
  from codes where id = '${id}'`;

testDamages({
  "a wrong count of open units": [
    ["update orders set open_units = 0 where id = 'ord_begun'"],
    { 6: ["order ord_begun says 0 open units but has 3"] },
  ],
  "a missing count of open units": [
    ["update orders set open_units = null where id = 'ord_completed'"],
    { 6: ["order ord_completed says ? open units but has 0"] },
  ],
  "a missing unit": [
    ["delete from order_units where order_id = 'ord_failed' and line_index = 0 and unit_index = 1"],
    { 6: ["line 0 of ord_failed: 1 units of 2"] },
  ],
  "a missing first unit": [
    [
      { id: "ord_bad", status: "failed", lines: [["unroutable", "unroutable"]] },
      "delete from order_units where order_id = 'ord_bad' and unit_index = 0",
    ],
    { 6: ["line 0 of ord_bad: 1 units of 2"] },
  ],
  "one unit more than was bought": [
    [
      `insert into order_units (order_id, line_index, unit_index, environment, status, due_at, failure_code)
       values ('ord_failed', 0, 2, 'live', 'failed', now(), 'out_of_stock')`,
    ],
    { 6: ["line 0 of ord_failed: 3 units of 2"] },
  ],
  "units with gaps in their numbers": [
    ["update order_units set unit_index = 2 where order_id = 'ord_test_partly' and unit_index = 1"],
    { 6: ["line 0 of ord_test_partly: its unit numbers have gaps"] },
  ],
  "a unit without a line": [
    [
      `insert into order_units (order_id, line_index, unit_index, environment, status, due_at, failure_code)
       values ('ord_completed', 7, 0, 'live', 'refunded', now(), 'out_of_stock')`,
    ],
    { 6: ["unit ord_completed/7/0 has no line"] },
  ],
  "a line with too large a delivered quantity": [
    ["update order_lines set fulfilled_quantity = 2 where order_id = 'ord_partly' and line_index = 0"],
    { 6: ["line 0 of ord_partly: says 2 delivered but has 1"] },
  ],
  "a line that does not count a delivered and refunded unit": [
    ["update order_lines set fulfilled_quantity = 1 where order_id = 'ord_taken_half' and line_index = 0"],
    { 6: ["line 0 of ord_taken_half: says 1 delivered but has 2"] },
  ],
  "a pending line with a delivered quantity": [
    ["update order_lines set fulfilled_quantity = 1 where order_id = 'ord_pending' and line_index = 1"],
    { 6: ["line 1 of ord_pending: says 1 delivered but has 0"] },
  ],
  "a line whose failure code matches no unit": [
    [
      "update order_lines set failure_code = 'invalid_account' where order_id = 'ord_refunded' and line_index = 0",
    ],
    { 6: ["line 0 of ord_refunded: its failure code is not that of a unit"] },
  ],
  "a line without a failure code although units failed": [
    ["update order_lines set failure_code = null where order_id = 'ord_partly' and line_index = 0"],
    { 6: ["line 0 of ord_partly: its failure code is not that of a unit"] },
  ],
  "a failed line although all its units were delivered": [
    [
      "update order_lines set failure_code = 'out_of_stock' where order_id = 'ord_completed' and line_index = 0",
    ],
    { 6: ["line 0 of ord_completed: its failure code is not that of a unit"] },
  ],
  "a line with the failure code of any one of its units": [
    [
      "update order_lines set failure_code = 'out_of_stock' where order_id = 'ord_refunded' and line_index = 0",
    ],
    {},
  ],
  "a unit that was delivered and refunded in a processing order": [
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
  "a delivered live unit without a code": [
    ["delete from codes where id = 'cod_ord_completed_0_1'"],
    {
      6: ["unit ord_completed/0/1 was delivered but has no code"],
      9: ["attempt ord_completed/0/1/2 is delivered but has no matching code"],
    },
  ],
  "a delivered sandbox unit without a code": [
    ["delete from codes where id = 'cod_ord_test_completed_0_1'"],
    { 6: ["unit ord_test_completed/0/1 was delivered but has no code"] },
  ],
  "a refunded unit that lost its code": [
    ["delete from codes where id = 'cod_ord_test_taken_0_0'"],
    { 6: ["unit ord_test_taken/0/0 was delivered but has no code"] },
  ],
  "a code for a unit that was refunded instead": [
    [
      `update codes set order_id = 'ord_test_refunded', line_index = 0, unit_index = 0
       where id = 'cod_ord_test_partly_0_0'`,
    ],
    {
      6: [
        "code cod_ord_test_partly_0_0 is delivered, but its unit is not",
        "unit ord_test_partly/0/0 was delivered but has no code",
      ],
    },
  ],
  "a code without a unit": [
    ["update codes set unit_index = 9 where id = 'cod_ord_test_partly_0_0'"],
    {
      6: [
        "code cod_ord_test_partly_0_0 is delivered, but its unit is not",
        "unit ord_test_partly/0/0 was delivered but has no code",
      ],
    },
  ],
  "a code with another delivery time than its unit": [
    ["update codes set delivered_at = delivered_at + interval '1 ms' where id = 'cod_ord_completed_1_0'"],
    { 6: ["code cod_ord_completed_1_0 has a different delivery time than its unit"] },
  ],
  "a code for another product than was bought": [
    ["update codes set product_id = 'game' where id = 'cod_ord_test_completed_0_0'"],
    { 6: ["code cod_ord_test_completed_0_0 is for a different product than its line"] },
  ],
  "one code for two units": [
    [
      "drop index codes_known",
      `update codes set digest = (select digest from codes where id = 'cod_ord_completed_0_0')
       where id = 'cod_ord_partly_0_0'`,
    ],
    {
      6: [
        "the index codes_known is missing, changed or broken",
        "the same code is stored as cod_ord_completed_0_0, cod_ord_partly_0_0",
      ],
    },
  ],
  "a quarantined code that is known from another unit": [
    [
      `update codes set digest = (select digest from codes where id = 'cod_ord_completed_0_0')
       where id = 'cod_ord_partly_1_1'`,
    ],
    {},
  ],
  "top-ups, whose receipts can repeat": [
    ["update codes set type = 'topup', digest = null where digest is not null and state = 'delivered'"],
    {},
  ],
  "an index that allows duplicate codes": [
    ["drop index codes_known", "create index codes_known on codes (digest) where state <> 'quarantined'"],
    { 6: ["the index codes_known is missing, changed or broken"] },
  ],
  "an index that covers fewer rows": [
    ["drop index codes_known", "create unique index codes_known on codes (digest) where state = 'delivered'"],
    { 6: ["the index codes_known is missing, changed or broken"] },
  ],
  "an invalid index": [
    ["update pg_index set indisvalid = false where indexrelid = 'codes_one_for_each_unit'::regclass"],
    { 6: ["the index codes_one_for_each_unit is missing, changed or broken"] },
  ],
});
