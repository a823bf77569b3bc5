import { hash } from "node:crypto";
import { type Column, encodeColumns, type RowWriter } from "./row-writer.ts";
import {
  acceptedAt,
  COST_MINOR,
  endedAt,
  idTailOf,
  type Plan,
  PRICE_MINOR,
  PRODUCTS,
  SUPPLIERS,
  sellerOf,
} from "./scale-orders.ts";

export type ScaleTable = {
  name: string;
  columns: readonly string[];
  /** The row of the order with this number. */
  write: (writer: RowWriter, n: number) => void;
};

const text = (value: string): Column => ({ type: "text", value });
const ZERO_INT2: Column = { type: "int2", value: 0 };
const ZERO_INT4: Column = { type: "int4", value: 0 };
const ONE_INT4: Column = { type: "int4", value: 1 };
const PRICE: Column = { type: "int8", value: PRICE_MINOR };
const productOf = (n: number): string => `card-${n % PRODUCTS}`;
const supplierOf = (n: number): string => `sup_${n % SUPPLIERS}`;
const resellerOf = (plan: Plan, n: number): string => plan.resellerIds[sellerOf(plan, n)] ?? "";

/** Columns that differ come first, and those that do not are written at once. */
function table(
  name: string,
  varying: readonly string[],
  same: Readonly<Record<string, Column>>,
  write: ScaleTable["write"],
): ScaleTable {
  const columns = [...varying, ...Object.keys(same)];
  const encoded = encodeColumns(Object.values(same));
  return {
    name,
    columns,
    write: (writer, n) => {
      writer.row(columns.length);
      write(writer, n);
      writer.encoded(encoded);
    },
  };
}

/** Tables that do not depend on one another. The entries do, on the wallets (`entriesTable`). */
export const independentTables = (plan: Plan): ScaleTable[] => [
  ordersTable(plan),
  attemptsTable(plan),
  codesTable(plan),
  linesTable(plan),
  unitsTable(plan),
];

const ordersTable = (plan: Plan): ScaleTable =>
  table(
    "orders",
    [
      "id",
      "reseller_id",
      "idempotency_key",
      "reference",
      "created_at",
      "updated_at",
      "processing_at",
      "ended_at",
    ],
    {
      environment: text("live"),
      fingerprint: { type: "bytes", value: hash("sha256", "", "buffer") },
      status: text("completed"),
      total_minor: PRICE,
      currency: text("USD"),
      key_id: text("key"),
      open_units: ZERO_INT4,
    },
    (writer, n) => {
      const [accepted, ended] = [acceptedAt(plan, n), endedAt(plan, n)];
      writer.text(`ord${idTailOf(plan, n)}`);
      writer.text(resellerOf(plan, n));
      writer.text(hash("md5", String(n)).slice(0, 16));
      if (n % 4 < 2) writer.text(`inv-${n}`);
      else writer.null();
      writer.timestamp(accepted);
      writer.timestamp(ended);
      writer.timestamp(accepted);
      writer.timestamp(ended);
    },
  );

const linesTable = (plan: Plan): ScaleTable =>
  table(
    "order_lines",
    ["order_id", "reseller_id", "product_id"],
    {
      line_index: ZERO_INT2,
      environment: text("live"),
      name: text("Card"),
      unit_price_minor: PRICE,
      quantity: ONE_INT4,
      line_total_minor: PRICE,
      fulfilled_quantity: ONE_INT4,
    },
    (writer, n) => {
      writer.text(`ord${idTailOf(plan, n)}`);
      writer.text(resellerOf(plan, n));
      writer.text(productOf(n));
    },
  );

const unitsTable = (plan: Plan): ScaleTable =>
  table(
    "order_units",
    ["order_id", "due_at", "delivered_at"],
    { line_index: ZERO_INT2, unit_index: ZERO_INT4, environment: text("live"), status: text("delivered") },
    (writer, n) => {
      writer.text(`ord${idTailOf(plan, n)}`);
      writer.timestamp(acceptedAt(plan, n));
      writer.timestamp(endedAt(plan, n));
    },
  );

const attemptsTable = (plan: Plan): ScaleTable =>
  table(
    "supplier_attempts",
    ["order_id", "product_id", "supplier_id", "opened_at", "resolved_at"],
    {
      line_index: ZERO_INT2,
      unit_index: ZERO_INT4,
      number: { type: "int2", value: 1 },
      environment: text("live"),
      sku: text("sku"),
      cost_minor: { type: "int8", value: COST_MINOR },
      cost_currency: text("USD"),
      status: text("delivered"),
    },
    (writer, n) => {
      writer.text(`ord${idTailOf(plan, n)}`);
      writer.text(productOf(n));
      writer.text(supplierOf(n));
      writer.timestamp(acceptedAt(plan, n));
      writer.timestamp(endedAt(plan, n));
    },
  );

const codesTable = (plan: Plan): ScaleTable =>
  table(
    "codes",
    ["id", "product_id", "supplier_id", "digest", "order_id", "delivered_at", "created_at"],
    {
      environment: text("live"),
      state: text("delivered"),
      type: text("code"),
      sealed: { type: "bytes", value: Buffer.from("sealed") },
      line_index: ZERO_INT2,
      unit_index: ZERO_INT4,
    },
    (writer, n) => {
      const tail = idTailOf(plan, n);
      writer.text(`cod${tail}`);
      writer.text(productOf(n));
      writer.text(supplierOf(n));
      writer.bytes(hash("sha256", tail, "buffer"));
      writer.text(`ord${tail}`);
      writer.timestamp(endedAt(plan, n));
      writer.timestamp(acceptedAt(plan, n));
    },
  );

/** The end of a wallet's chain. It moves on with each debit that is written. */
export type Head = { sequence: number; balanceMinor: number; hash: Buffer; at: number };

/** The debits, chained as the wallets chain them. `heads` has one for each reseller. */
export const entriesTable = (plan: Plan, heads: readonly Head[]): ScaleTable =>
  table(
    "ledger_entries",
    ["id", "reseller_id", "sequence", "balance_after_minor", "order_id", "hash", "created_at"],
    {
      environment: text("live"),
      type: text("order"),
      counter_account: text("sales"),
      amount_minor: { type: "int8", value: -PRICE_MINOR },
      currency: text("USD"),
    },
    (writer, n) => {
      const head = heads[sellerOf(plan, n)];
      if (!head) throw new Error("no wallet");
      const [tail, resellerId] = [idTailOf(plan, n), resellerOf(plan, n)];
      head.sequence += 1;
      head.balanceMinor -= PRICE_MINOR;
      head.at = acceptedAt(plan, n);
      const entry = `ent${tail}|${resellerId}|live|${head.sequence}|order|sales|${-PRICE_MINOR}|${head.balanceMinor}|USD|ord${tail}|${head.at}|`;
      head.hash = hash("sha256", Buffer.concat([head.hash, Buffer.from(entry, "latin1")]), "buffer");
      writer.text(`ent${tail}`);
      writer.text(resellerId);
      writer.int8(head.sequence);
      writer.int8(head.balanceMinor);
      writer.text(`ord${tail}`);
      writer.bytes(head.hash);
      writer.timestamp(head.at);
    },
  );
