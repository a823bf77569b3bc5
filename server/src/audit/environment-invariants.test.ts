import { testDamages } from "../../testing/builders/audit-damages.ts";

const WITHOUT_CONSTRAINT = "alter table codes drop constraint codes_environment";

const reveal = (id: number, orderId: string, resellerId: string, environment: string): string => `
  insert into code_reveals (id, order_id, reseller_id, environment, key_id, request_id, address, code_count, revealed_at)
  overriding system value
  values (${id}, '${orderId}', '${resellerId}', '${environment}', 'key', 'req', '192.0.2.1', 1, now())`;

testDamages({
  "a sandbox unit in a live order": [
    [
      "update order_units set environment = 'test' where order_id = 'ord_failed' and line_index = 0 and unit_index = 1",
    ],
    { 10: ["unit ord_failed/0/1 is test but its order is live"] },
  ],
  "a sandbox order with a live purchase attempt": [
    [
      `insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id,
                                      sku, status, opened_at)
       values ('ord_test_stuck', 0, 0, 1, 'live', 'card', 'sup_first', 'sku', 'open', now())`,
    ],
    { 10: ["attempt ord_test_stuck/0/0/1 is live but its order is test"] },
  ],
  "an attempt of the sandbox": [
    [
      "alter table supplier_attempts drop constraint supplier_attempts_environment_check",
      "update supplier_attempts set environment = 'test' where order_id = 'ord_begun' and number = 2",
    ],
    { 10: ["attempt ord_begun/0/0/2 is test but its order is live"] },
  ],
  "a sandbox code in a live order": [
    [
      `update codes set environment = 'test', supplier_id = null, sealed = null, digest = null, test_code = 'TEST-1'
       where id = 'cod_ord_completed_0_0'`,
    ],
    {
      9: ["attempt ord_completed/0/0/2 is delivered but has no matching code"],
      10: ["code cod_ord_completed_0_0 is test but its order is live"],
    },
  ],
  "a live code in a sandbox order": [
    [
      `update codes set environment = 'live', supplier_id = 'sup_first', sealed = '', digest = sha256(''),
                        test_code = null
       where id = 'cod_ord_test_completed_0_0'`,
    ],
    {
      9: ["code cod_ord_test_completed_0_0 is delivered but has no matching attempt"],
      10: ["code cod_ord_test_completed_0_0 is live but its order is test"],
    },
  ],
  "a live code in plain text": [
    [WITHOUT_CONSTRAINT, "update codes set test_code = 'TEST-1' where id = 'cod_stock'"],
    { 10: ["code cod_stock is live but not stored as such"] },
  ],
  "a live code without its seal": [
    [WITHOUT_CONSTRAINT, "update codes set sealed = null where id = 'cod_stock'"],
    {
      10: ["code cod_stock is live but not stored as such"],
      17: ["code cod_stock is kept in neither way"],
    },
  ],
  "a sandbox code from a supplier": [
    [WITHOUT_CONSTRAINT, "update codes set supplier_id = 'sup_first' where id = 'cod_ord_test_partly_0_0'"],
    { 10: ["code cod_ord_test_partly_0_0 is test but not stored as such"] },
  ],
  "a sandbox code with a digest": [
    [WITHOUT_CONSTRAINT, "update codes set digest = sha256('') where id = 'cod_ord_test_partly_0_0'"],
    { 10: ["code cod_ord_test_partly_0_0 is test but not stored as such"] },
  ],
  "a sandbox code that looks like a live one": [
    [
      "alter table codes drop constraint codes_test_code_check",
      "update codes set test_code = 'CARD-1' where id = 'cod_ord_test_partly_0_0'",
    ],
    { 10: ["code cod_ord_test_partly_0_0 is test but not stored as such"] },
  ],
  "codes revealed to another reseller": [
    [reveal(77, "ord_completed", "rsl_other", "live")],
    { 10: ["reveal 77 does not belong to an order of its reseller and environment"] },
  ],
  "live codes revealed in the sandbox": [
    [reveal(77, "ord_completed", "rsl_seller", "test")],
    { 10: ["reveal 77 does not belong to an order of its reseller and environment"] },
  ],
  "revealed codes without an order": [
    [reveal(77, "ord_none", "rsl_seller", "live")],
    { 10: ["reveal 77 does not belong to an order of its reseller and environment"] },
  ],
  "reveals that can be rewritten": [
    ["alter table code_reveals disable trigger code_reveals_append_only"],
    { 10: ["the trigger code_reveals_append_only is missing, changed or switched off"] },
  ],
  "reveals that can be updated": [
    [
      "drop trigger code_reveals_append_only on code_reveals",
      `create trigger code_reveals_append_only before delete on code_reveals
       for each row execute function refuse_change()`,
    ],
    { 10: ["the trigger code_reveals_append_only is missing, changed or switched off"] },
  ],
  "reveals that can be emptied": [
    ["drop trigger code_reveals_never_emptied on code_reveals"],
    { 10: ["the trigger code_reveals_never_emptied is missing, changed or switched off"] },
  ],
  "codes that could be given to orders of the other environment": [
    ["alter table codes disable trigger codes_environment_given"],
    { 10: ["the trigger codes_environment_given is missing, changed or switched off"] },
  ],
  "orders that could move to the other environment": [
    ["drop trigger orders_stay on orders"],
    { 10: ["the trigger orders_stay is missing, changed or switched off"] },
  ],
});
