type Value = string | number | boolean | null | Buffer;
type Row = Readonly<Record<string, Value>>;

/** A row that a table accepts, and for each of its check constraints rows that it must refuse. */
export type ConstraintCases = {
  table: string;
  valid: Row;
  /** Further rows that are accepted: values that are just allowed. */
  alsoValid: readonly Row[];
  /** What is different from the valid row, by the constraint that refuses it. */
  refused: Readonly<Record<string, readonly Row[]>>;
};

const AMOUNT_MAX = "9007199254740991";
const ABOVE_MAX = "9007199254740992";
const AT = "2030-01-31T12:00:00.000Z";
const LATER = "2030-01-31T13:00:00.000Z";
const HASH = Buffer.alloc(32);
const SHORT_HASH = Buffer.alloc(31);
const LONG = (characters: number): string => "x".repeat(characters);
const OWNER = { reseller_id: "rsl_1", environment: "live" };
const UNIT = { order_id: "ord_1", line_index: 0, unit_index: 0 };

export const CONSTRAINT_CASES: readonly ConstraintCases[] = [
  {
    table: "wallets",
    valid: { ...OWNER, currency: "EUR", balance_minor: 0, head_hash: HASH, last_entry_at: AT },
    alsoValid: [{ balance_minor: AMOUNT_MAX }, { environment: "test" }],
    refused: {
      wallets_balance: [{ balance_minor: -1 }, { balance_minor: ABOVE_MAX }],
      wallets_currency_check: [{ currency: "eur" }, { currency: "EURO" }, { currency: "EU" }],
      wallets_environment_check: [{ environment: "sandbox" }],
      wallets_head_hash_check: [{ head_hash: SHORT_HASH }],
    },
  },
  {
    table: "ledger_entries",
    valid: {
      ...OWNER,
      id: "ent_1",
      sequence: 1,
      type: "deposit",
      counter_account: "funding",
      amount_minor: 1,
      balance_after_minor: 1,
      currency: "EUR",
      hash: HASH,
      created_at: AT,
    },
    alsoValid: [
      { note: LONG(500), deposit_id: "dep_1", balance_after_minor: AMOUNT_MAX },
      { type: "adjustment", counter_account: "adjustments", amount_minor: -1, balance_after_minor: 0 },
      { type: "order", counter_account: "sales", amount_minor: -1, order_id: "ord_1" },
      { type: "refund", counter_account: "sales", amount_minor: 1, order_id: "ord_1" },
    ],
    refused: {
      ledger_entries_amount_minor_check: [
        { type: "adjustment", counter_account: "adjustments", amount_minor: 0 },
      ],
      ledger_entries_balance: [{ balance_after_minor: -1 }, { balance_after_minor: ABOVE_MAX }],
      ledger_entries_deposit: [
        { type: "adjustment", counter_account: "adjustments", amount_minor: 1, deposit_id: "dep_1" },
      ],
      ledger_entries_hash_check: [{ hash: SHORT_HASH }],
      ledger_entries_kind: [
        { amount_minor: -1 },
        { counter_account: "sales" },
        { type: "gift" },
        { type: "adjustment" },
        { type: "order", counter_account: "sales", amount_minor: 1, order_id: "ord_1" },
        { type: "order", counter_account: "sales", amount_minor: -1 },
        { type: "order", amount_minor: -1, order_id: "ord_1" },
        { type: "refund", counter_account: "sales", amount_minor: -1, order_id: "ord_1" },
        { type: "refund", counter_account: "sales", amount_minor: 1 },
        { type: "refund", counter_account: "funding", amount_minor: 1, order_id: "ord_1" },
      ],
      ledger_entries_note_check: [{ note: LONG(501) }],
      ledger_entries_sequence_check: [{ sequence: 0 }],
    },
  },
  {
    table: "orders",
    valid: {
      ...OWNER,
      id: "ord_1",
      idempotency_key: "k",
      fingerprint: HASH,
      total_minor: 2,
      currency: "EUR",
      actor_kind: "key",
      key_id: "key_1",
      created_at: AT,
      updated_at: AT,
    },
    alsoValid: [
      { idempotency_key: LONG(255), reference: LONG(128), total_minor: AMOUNT_MAX, open_units: 0 },
      { status: "completed", refunded_minor: 1 },
      { status: "refunded", refunded_minor: 2 },
      { actor_kind: "user", key_id: null, actor_id: "acc_1" },
      { environment: "test", test_scenario: "stuck", refund_after_ms: 0 },
    ],
    refused: {
      orders_actor: [
        { key_id: null },
        { actor_id: "acc_1" },
        { actor_kind: "user" },
        { actor_kind: "user", key_id: null },
        { actor_kind: "visitor", key_id: null, actor_id: "acc_1" },
      ],
      orders_environment_check: [{ environment: "sandbox" }],
      orders_fingerprint_check: [{ fingerprint: SHORT_HASH }],
      orders_idempotency_key_check: [{ idempotency_key: "" }, { idempotency_key: LONG(256) }],
      orders_open_units_check: [{ open_units: -1 }],
      orders_reference_check: [{ reference: "" }, { reference: LONG(129) }],
      orders_refund_after: [{ refund_after_ms: 0 }, { environment: "test", refund_after_ms: -1 }],
      orders_refunded: [
        { refunded_minor: -1 },
        { refunded_minor: 3 },
        { refunded_minor: 2 },
        { status: "refunded", refunded_minor: 1 },
      ],
      orders_status_check: [{ status: "cancelled" }],
      orders_test_scenario: [{ test_scenario: "failed" }, { environment: "test", test_scenario: "other" }],
      orders_total_minor_check: [
        { total_minor: 0, refunded_minor: 0, status: "refunded" },
        { total_minor: ABOVE_MAX },
      ],
    },
  },
  {
    table: "order_lines",
    valid: {
      ...OWNER,
      order_id: "ord_1",
      line_index: 0,
      product_id: "prd_1",
      name: "Card",
      unit_price_minor: 3,
      quantity: 2,
      line_total_minor: 6,
    },
    alsoValid: [{ fulfilled_quantity: 2, refunded_quantity: 2, failure_code: "out_of_stock" }],
    refused: {
      order_lines_failure_code_check: [{ failure_code: "lost" }],
      order_lines_line_index_check: [{ line_index: -1 }],
      order_lines_quantities: [
        { fulfilled_quantity: -1 },
        { refunded_quantity: -1 },
        { refunded_quantity: 3 },
      ],
      order_lines_quantity_check: [{ quantity: 0, line_total_minor: 0 }],
      order_lines_total: [{ line_total_minor: 5 }, { quantity: 3 }, { unit_price_minor: 4 }],
      order_lines_unit_price_minor_check: [{ unit_price_minor: 0, line_total_minor: 0 }],
    },
  },
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
  },
];
