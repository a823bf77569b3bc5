import type { Column, SentColumn } from "../../db/column-arrays.ts";
import type { KeySpending } from "../../keys/limits/decide-limits.ts";
import { keyIdOf, otherIdOf } from "../../lib/actor.ts";
import type { WalletHead } from "../../wallet/entry.ts";
import type { PricedLine } from "../price-order.ts";
import type { PlacedOrder } from "./decide-placements.ts";

export type PlacedLine = { placed: PlacedOrder; line: PricedLine; index: number };

/** What a placement writes, one line for each column. A new column is a new line here, plus its migration. */
export const ORDER_COLUMNS: readonly Column<PlacedOrder>[] = [
  { column: "id", type: "text", value: ({ placement }) => placement.orderId },
  { column: "reseller_id", type: "text", value: ({ placement }) => placement.resellerId },
  { column: "environment", type: "text", value: ({ placement }) => placement.environment },
  { column: "idempotency_key", type: "text", value: ({ placement }) => placement.idempotencyKey },
  { column: "fingerprint", type: "bytea", value: ({ placement }) => placement.fingerprint },
  { column: "reference", type: "text", value: ({ placement }) => placement.reference },
  { column: "all_or_nothing", type: "boolean", value: ({ placement }) => placement.allOrNothing ?? false },
  { column: "test_scenario", type: "text", value: ({ placement }) => placement.fate.scenario },
  { column: "refund_held", type: "boolean", value: ({ placement }) => placement.fate.refundHeld },
  { column: "refund_after_ms", type: "integer", value: ({ placement }) => placement.fate.refundAfterMs },
  { column: "total_minor", type: "bigint", value: ({ priced }) => priced.totalMinor },
  { column: "currency", type: "text", value: ({ priced }) => priced.currency },
  { column: "actor_kind", type: "text", value: ({ placement }) => placement.actor.kind },
  { column: "key_id", type: "text", value: ({ placement }) => keyIdOf(placement.actor) },
  { column: "actor_id", type: "text", value: ({ placement }) => otherIdOf(placement.actor) },
  { column: "created_at", type: "timestamptz", value: ({ placement }) => placement.createdAt },
  { column: "updated_at", sql: "created_at" },
];

/** Its debit. Columns that equal those of the order are taken from there. */
export const ENTRY_COLUMNS: readonly Column<PlacedOrder>[] = [
  { column: "id", type: "text", value: ({ entry }) => entry.id },
  { column: "reseller_id", sql: "reseller_id" },
  { column: "environment", sql: "environment" },
  { column: "sequence", type: "bigint", value: ({ entry }) => entry.sequence },
  { column: "type", sql: "'order'" },
  { column: "counter_account", sql: "'sales'" },
  { column: "amount_minor", sql: "-total_minor" },
  { column: "balance_after_minor", type: "bigint", value: ({ entry }) => entry.balanceAfterMinor },
  { column: "currency", sql: "currency" },
  { column: "order_id", sql: "id" },
  { column: "hash", type: "bytea", value: ({ entry }) => entry.hash },
  { column: "created_at", type: "timestamptz", value: ({ entry }) => entry.createdAt },
];

export const WORK_COLUMNS: readonly Column<PlacedOrder>[] = [
  { column: "order_id", sql: "id" },
  // Workers go by the time of the database. An order of a process whose clock is ahead is due now all the same.
  { column: "due_at", sql: "least(created_at, clock_timestamp())" },
];

export const LINE_COLUMNS: readonly SentColumn<PlacedLine>[] = [
  { column: "order_id", type: "text", value: ({ placed }) => placed.placement.orderId },
  { column: "line_index", type: "smallint", value: ({ index }) => index },
  { column: "reseller_id", type: "text", value: ({ placed }) => placed.placement.resellerId },
  { column: "environment", type: "text", value: ({ placed }) => placed.placement.environment },
  { column: "product_id", type: "text", value: ({ line }) => line.productId },
  { column: "name", type: "text", value: ({ line }) => line.name },
  { column: "unit_price_minor", type: "bigint", value: ({ line }) => line.unitPriceMinor },
  { column: "quantity", type: "integer", value: ({ line }) => line.quantity },
  { column: "line_total_minor", type: "bigint", value: ({ line }) => line.lineTotalMinor },
  {
    column: "input_fields",
    type: "jsonb",
    value: ({ line }) => line.inputFields && JSON.stringify(line.inputFields),
  },
  { column: "basis", type: "text", value: ({ line }) => line.basis },
];

/** What identifies a wallet, and below it what a batch changes in its head. */
export const WALLET_KEY_COLUMNS: readonly SentColumn<WalletHead>[] = [
  { column: "reseller_id", type: "text", value: (head) => head.resellerId },
  { column: "environment", type: "text", value: (head) => head.environment },
];

export const WALLET_HEAD_COLUMNS: readonly SentColumn<WalletHead>[] = [
  { column: "balance_minor", type: "bigint", value: (head) => head.balanceMinor },
  { column: "sequence", type: "bigint", value: (head) => head.sequence },
  { column: "head_hash", type: "bytea", value: (head) => head.hash },
  { column: "last_entry_at", type: "timestamptz", value: (head) => head.lastEntryAt },
];

/** What orders of counted keys add to the count of an hour. */
export const SPENDING_COLUMNS: readonly SentColumn<KeySpending>[] = [
  { column: "key_id", type: "text", value: ({ keyId }) => keyId },
  { column: "hour", type: "timestamptz", value: ({ hour }) => new Date(`${hour}:00:00Z`) },
  { column: "spent_minor", type: "bigint", value: ({ spentMinor }) => spentMinor },
];
