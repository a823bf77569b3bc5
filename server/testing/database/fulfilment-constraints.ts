import {
  ABOVE_MAX,
  AT,
  type ConstraintCases,
  HASH,
  LATER,
  LONG,
  SHORT_HASH,
  UNIT,
} from "./constraint-values.ts";

const BOUGHT = { status: "delivered", resolved_at: LATER };
const TEST_CODE = {
  environment: "test",
  sealed: null,
  supplier_id: null,
  digest: null,
  test_code: "TEST-0000-0000-0000",
};
const DELIVERED = { ...UNIT, state: "delivered", delivered_at: AT };

/** Of units, attempts and codes. */
export const FULFILMENT_CONSTRAINTS: readonly ConstraintCases[] = [
  {
    table: "order_units",
    valid: { ...UNIT, environment: "live", due_at: AT },
    alsoValid: [
      { status: "delivered", delivered_at: AT },
      { status: "failed", failure_code: "out_of_stock" },
      { status: "refunded", delivered_at: AT },
      { status: "refunded", failure_code: "out_of_stock" },
    ],
    refused: {
      order_units_end: [
        { delivered_at: AT },
        { failure_code: "out_of_stock" },
        { status: "delivered" },
        { status: "delivered", delivered_at: AT, failure_code: "out_of_stock" },
        { status: "failed" },
        { status: "failed", delivered_at: AT, failure_code: "out_of_stock" },
        { status: "refunded" },
        { status: "refunded", delivered_at: AT, failure_code: "out_of_stock" },
      ],
      order_units_environment_check: [{ environment: "sandbox" }],
      order_units_failure_code_check: [{ status: "failed", failure_code: "lost" }],
      order_units_status_check: [{ status: "lost", delivered_at: AT }],
      order_units_unit_index_check: [{ unit_index: -1 }],
    },
  },
  {
    table: "supplier_attempts",
    valid: {
      ...UNIT,
      number: 1,
      environment: "live",
      product_id: "prd_1",
      supplier_id: "sup_1",
      sku: "sku",
      status: "open",
      opened_at: AT,
    },
    alsoValid: [
      { status: "delivered", resolved_at: LATER, upstream_id: LONG(200), chosen: LONG(200) },
      { status: "refused", resolved_at: LATER, failure_code: "out_of_stock" },
      { supplier_price_minor: 0, supplier_price_currency: "EUR", send_answer: "delivered" },
      { written_off_at: AT, next_look_at: AT },
    ],
    refused: {
      supplier_attempts_answers: [{ send_answer: "A name" }, { look_answer: LONG(41) }],
      supplier_attempts_chosen: [{ chosen: LONG(201) }],
      supplier_attempts_end: [
        { resolved_at: LATER },
        { failure_code: "out_of_stock" },
        { status: "delivered" },
        { status: "delivered", resolved_at: LATER, failure_code: "out_of_stock" },
        { status: "refused", resolved_at: LATER },
        { status: "quarantined", resolved_at: LATER, failure_code: "out_of_stock" },
      ],
      supplier_attempts_environment_check: [{ environment: "test" }],
      supplier_attempts_failure_code_check: [{ status: "refused", resolved_at: LATER, failure_code: "lost" }],
      supplier_attempts_number_check: [{ number: 0 }],
      supplier_attempts_price: [
        { supplier_price_minor: 1 },
        { supplier_price_currency: "EUR" },
        { supplier_price_minor: -1, supplier_price_currency: "EUR" },
        { supplier_price_minor: ABOVE_MAX, supplier_price_currency: "EUR" },
        { supplier_price_minor: 1, supplier_price_currency: "eur" },
      ],
      supplier_attempts_status_check: [{ status: "lost", resolved_at: LATER }],
      supplier_attempts_upstream_id_check: [{ upstream_id: LONG(201) }],
      supplier_attempts_written_off: [{ written_off_at: AT }, { next_look_at: AT }],
    },
    once: {
      supplier_attempts_one_open: [{}, { number: 2 }],
      supplier_attempts_one_bought: [BOUGHT, { ...BOUGHT, status: "quarantined", number: 2 }],
    },
  },
  {
    table: "codes",
    valid: {
      id: "cod_1",
      environment: "live",
      product_id: "prd_1",
      supplier_id: "sup_1",
      state: "stock",
      type: "code",
      sealed: HASH,
      digest: HASH,
    },
    alsoValid: [
      DELIVERED,
      { ...DELIVERED, ...TEST_CODE },
      { ...UNIT, state: "quarantined", quarantine_reason: "late" },
      { ...DELIVERED, sealed: null, kid: "kid", enc: HASH, ciphertext: HASH },
    ],
    refused: {
      codes_digest_check: [{ digest: SHORT_HASH }],
      codes_environment: [
        { sealed: null },
        { supplier_id: null },
        { test_code: "TEST-0000-0000-0000" },
        { environment: "sandbox" },
        { ...DELIVERED, kid: "kid", enc: HASH, ciphertext: HASH },
        { ...DELIVERED, ...TEST_CODE, supplier_id: "sup_1" },
        { ...DELIVERED, ...TEST_CODE, test_code: null },
      ],
      codes_quarantine_reason_check: [{ ...UNIT, state: "quarantined", quarantine_reason: "lost" }],
      codes_sealed_to_reseller: [
        { ...DELIVERED, sealed: null, enc: HASH, ciphertext: HASH },
        { ...DELIVERED, sealed: null, kid: "kid", enc: SHORT_HASH, ciphertext: HASH },
        { ...DELIVERED, sealed: null, kid: "kid", enc: HASH, ciphertext: Buffer.alloc(16) },
        { ...DELIVERED, type: "topup", sealed: null, kid: "kid", enc: HASH, ciphertext: HASH },
        { sealed: null, kid: "kid", enc: HASH, ciphertext: HASH },
      ],
      codes_state: [
        { order_id: "ord_1" },
        { state: "delivered", delivered_at: AT },
        { ...UNIT, state: "delivered" },
        { delivered_at: AT },
        { ...UNIT, state: "quarantined" },
        { quarantine_reason: "late" },
      ],
      codes_state_check: [{ ...UNIT, state: "lost" }],
      codes_test_code_check: [{ ...DELIVERED, ...TEST_CODE, test_code: "LIVE-0000-0000-0000" }],
      codes_type_check: [{ type: "card" }],
    },
    once: {
      codes_one_for_each_unit: [DELIVERED, { ...DELIVERED, id: "cod_2", digest: null }],
      codes_known: [{}, { id: "cod_2" }],
    },
  },
];
