import { hash } from "node:crypto";
import { type Column, encodeColumns, type RowWriter } from "./row-writer.ts";
import {
  acceptedAt,
  COST_MINOR,
  createIdTail,
  LONGEST_MORE_MS,
  type Plan,
  PRICE_MINOR,
  PRODUCTS,
  SHORTEST_MS,
  SUPPLIERS,
  sellerOf,
  writeIdTail,
  writeScattered,
} from "./scale-orders.ts";

export type ScaleTable = {
  name: string;
  columns: readonly string[];
  /** The row of the order with this number. */
  write: (writer: RowWriter, n: number) => void;
};

/** The order whose row is written, in one object for all of them. Columns are encoded. */
type Order = {
  n: number;
  seller: number;
  idTail: Buffer;
  reseller: Uint8Array;
  product: Uint8Array;
  supplier: Uint8Array;
  acceptedAt: number;
  endedAt: number;
};

export const text = (value: string): Column => ({ type: "text", value });
const ZERO_INT2: Column = { type: "int2", value: 0 };
const ZERO_INT4: Column = { type: "int4", value: 0 };
const ONE_INT4: Column = { type: "int4", value: 1 };
const PRICE: Column = { type: "int8", value: PRICE_MINOR };
export const ORDER = Buffer.from("ord");
const CODE = Buffer.from("cod");

const encodeEach = (values: readonly string[]): Uint8Array[] =>
  values.map((value) => encodeColumns([text(value)]));
const PRODUCT_COLUMNS = encodeEach(Array.from({ length: PRODUCTS }, (_, index) => `card-${index}`));
const SUPPLIER_COLUMNS = encodeEach(Array.from({ length: SUPPLIERS }, (_, index) => `sup_${index}`));
const NONE = new Uint8Array();

/** Columns that differ come first, and those that do not are written at once. */
export function table(
  plan: Plan,
  name: string,
  varying: readonly string[],
  same: Readonly<Record<string, Column>>,
  write: (writer: RowWriter, order: Order) => void,
): ScaleTable {
  const columns = [...varying, ...Object.keys(same)];
  const encoded = encodeColumns(Object.values(same));
  const resellers = encodeEach(plan.resellerIds);
  const order: Order = {
    n: 0,
    seller: 0,
    idTail: createIdTail(),
    reseller: NONE,
    product: NONE,
    supplier: NONE,
    acceptedAt: 0,
    endedAt: 0,
  };
  return {
    name,
    columns,
    write: (writer, n) => {
      order.n = n;
      order.seller = sellerOf(plan, n);
      order.acceptedAt = acceptedAt(plan, n);
      order.endedAt = order.acceptedAt + SHORTEST_MS + (n % LONGEST_MORE_MS);
      order.reseller = resellers[order.seller] ?? NONE;
      order.product = PRODUCT_COLUMNS[n % PRODUCTS] ?? NONE;
      order.supplier = SUPPLIER_COLUMNS[n % SUPPLIERS] ?? NONE;
      writeIdTail(order.idTail, order.acceptedAt, n);
      writer.row(columns.length);
      write(writer, order);
      writer.encoded(encoded);
    },
  };
}

/** Tables that do not depend on one another. The entries do, on the wallets (`entries-table`). */
export const independentTables = (plan: Plan): ScaleTable[] => [
  ordersTable(plan),
  attemptsTable(plan),
  codesTable(plan),
  linesTable(plan),
  unitsTable(plan),
];

function ordersTable(plan: Plan): ScaleTable {
  const key = Buffer.alloc(16);
  return table(
    plan,
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
    (writer, order) => {
      writer.joined(ORDER, order.idTail);
      writer.encoded(order.reseller);
      writeScattered(key, order.n);
      writer.bytes(key);
      if (order.n % 4 < 2) writer.text(`inv-${order.n}`);
      else writer.null();
      writer.timestamp(order.acceptedAt);
      writer.timestamp(order.endedAt);
      writer.timestamp(order.acceptedAt);
      writer.timestamp(order.endedAt);
    },
  );
}

const linesTable = (plan: Plan): ScaleTable =>
  table(
    plan,
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
    (writer, order) => {
      writer.joined(ORDER, order.idTail);
      writer.encoded(order.reseller);
      writer.encoded(order.product);
    },
  );

const unitsTable = (plan: Plan): ScaleTable =>
  table(
    plan,
    "order_units",
    ["order_id", "due_at", "delivered_at"],
    { line_index: ZERO_INT2, unit_index: ZERO_INT4, environment: text("live"), status: text("delivered") },
    (writer, order) => {
      writer.joined(ORDER, order.idTail);
      writer.timestamp(order.acceptedAt);
      writer.timestamp(order.endedAt);
    },
  );

const attemptsTable = (plan: Plan): ScaleTable =>
  table(
    plan,
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
    (writer, order) => {
      writer.joined(ORDER, order.idTail);
      writer.encoded(order.product);
      writer.encoded(order.supplier);
      writer.timestamp(order.acceptedAt);
      writer.timestamp(order.endedAt);
    },
  );

function codesTable(plan: Plan): ScaleTable {
  const digest = Buffer.alloc(32);
  return table(
    plan,
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
    (writer, order) => {
      writeScattered(digest, order.n);
      writer.joined(CODE, order.idTail);
      writer.encoded(order.product);
      writer.encoded(order.supplier);
      writer.bytes(digest);
      writer.joined(ORDER, order.idTail);
      writer.timestamp(order.endedAt);
      writer.timestamp(order.acceptedAt);
    },
  );
}
