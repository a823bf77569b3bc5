import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../src/db/database.ts";
import type { Tenant } from "../../src/http/caller.ts";
import type { OrderStatus } from "../../src/orders/status.ts";
import { appendEntry } from "../../src/wallet/entry.ts";
import { insertEntry, lockWallet, updateWallet } from "../../src/wallet/queries.ts";

/** An order in any state, with its money, lines, units, attempts, codes and work. */
export type OrderSeed = {
  id: string;
  status: OrderStatus;
  /**
   * For each line, what happened to its units. A pending order has no units yet, so each entry stands for a future
   * one.
   */
  lines: readonly (readonly UnitStory[])[];
  refundHeld?: boolean;
  /** Only set if it differs from what the status requires. */
  work?: "none" | "due" | "never";
};

type Attempt = {
  status: "open" | "delivered" | "refused" | "quarantined";
  supplierId: string;
  writtenOff?: boolean;
};
type Story = {
  end: "waiting" | "delivered" | "failed" | "refunded";
  failureCode?: "out_of_stock" | "temporarily_unavailable";
  wasDelivered?: boolean;
  attempts: readonly Attempt[];
  code?: { state: "delivered" | "quarantined"; reason?: "duplicate" | "late" };
};

export const FIRST_SUPPLIER = "sup_first";
export const SECOND_SUPPLIER = "sup_second";
export const LINE_PRICES_MINOR = [300, 500];
/** The products of line 0 and line 1. */
export const LINE_PRODUCTS = ["card", "game"];

const AT = new Date("2030-01-02T03:04:05.678Z");
const refusedFirst: Attempt = { status: "refused", supplierId: FIRST_SUPPLIER };
const askSecond = (status: Attempt["status"], writtenOff = false): Attempt[] => [
  refusedFirst,
  { status, supplierId: SECOND_SUPPLIER, writtenOff },
];
const unavailable = "temporarily_unavailable";
const delivered = {
  wasDelivered: true,
  attempts: askSecond("delivered"),
  code: { state: "delivered" },
} as const;

/** Everything that can happen to a unit. A failed unit is refunded in a completed or refunded order. */
const STORIES = {
  waiting: { end: "waiting", attempts: [] },
  asked: { end: "waiting", attempts: askSecond("open") },
  delivered: { end: "delivered", ...delivered },
  "taken back": { end: "refunded", ...delivered },
  refused: { end: "failed", failureCode: "out_of_stock", attempts: askSecond("refused") },
  unroutable: { end: "failed", failureCode: unavailable, attempts: [] },
  duplicate: {
    end: "failed",
    failureCode: unavailable,
    attempts: askSecond("quarantined"),
    code: { state: "quarantined", reason: "duplicate" },
  },
  "written off": { end: "refunded", failureCode: unavailable, attempts: askSecond("open", true) },
  "written off, refused": { end: "refunded", failureCode: unavailable, attempts: askSecond("refused", true) },
  "written off, came late": {
    end: "refunded",
    failureCode: unavailable,
    attempts: askSecond("quarantined", true),
    code: { state: "quarantined", reason: "late" },
  },
} satisfies Record<string, Story>;

export type UnitStory = keyof typeof STORIES;

export async function addSuppliers(db: Queryable): Promise<void> {
  await db.rows(sql`
    insert into suppliers (id, kind, name)
    select id, 'stock', id from unnest(${[FIRST_SUPPLIER, SECOND_SUPPLIER]}::text[]) as one (id)`);
}

/** Inserts the order in its final state. The tenant's wallet pays for it. */
export async function addOrderInState(tx: Tx, tenant: Tenant, order: OrderSeed): Promise<void> {
  const lines = order.lines.map((stories, index) => toLine(order, stories, index));
  const totalMinor = sum(lines.map((line) => line.priceMinor * line.units.length));
  const refundedMinor = sum(lines.map((line) => line.priceMinor * line.refundedQuantity));
  const units = order.status === "pending" ? [] : lines.flatMap((line) => line.units);
  const openUnits = order.status === "pending" ? null : units.filter(({ end }) => end === "waiting").length;
  await tx.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, status, total_minor, refunded_minor,
                        currency, key_id, created_at, updated_at, open_units, refund_held)
    values (${order.id}, ${tenant.resellerId}, ${tenant.environment}, ${order.id}, sha256(''), ${order.status},
            ${totalMinor}, ${refundedMinor}, 'USD', 'key', ${AT}, ${AT}, ${openUnits}, ${order.refundHeld ?? false})`);
  await addEntry(tx, tenant, order.id, "order", -totalMinor);
  if (refundedMinor > 0) await addEntry(tx, tenant, order.id, "refund", refundedMinor);
  for (const line of lines) {
    await tx.rows(sql`
      insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                               quantity, line_total_minor, fulfilled_quantity, refunded_quantity, failure_code)
      values (${order.id}, ${line.index}, ${tenant.resellerId}, ${tenant.environment}, ${line.productId}, 'Card',
              ${line.priceMinor}, ${line.units.length}, ${line.priceMinor * line.units.length},
              ${line.fulfilledQuantity}, ${line.refundedQuantity}, ${line.failureCode})`);
  }
  for (const unit of units) await addUnit(tx, tenant, order.id, unit);
  await addEvents(tx, tenant, order, {
    fulfilled: order.status === "completed" || (settled(order) && units.some((unit) => unit.wasDelivered)),
    refunded: refundedMinor > 0,
  });
  await addWork(tx, order);
}

const settled = ({ status }: OrderSeed): boolean => status === "completed" || status === "refunded";

type Unit = Story & { lineIndex: number; unitIndex: number; productId: string };

function toLine(order: OrderSeed, stories: readonly UnitStory[], index: number) {
  const productId = LINE_PRODUCTS[index] ?? "card";
  const units = stories.map((story, unitIndex): Unit => {
    const told: Story = STORIES[story];
    const end = told.end === "failed" && settled(order) ? "refunded" : told.end;
    return { ...told, end, lineIndex: index, unitIndex, productId };
  });
  return {
    index,
    productId,
    priceMinor: LINE_PRICES_MINOR[index] ?? 100,
    units,
    fulfilledQuantity: units.filter((unit) => unit.wasDelivered).length,
    refundedQuantity: units.filter((unit) => unit.end === "refunded").length,
    failureCode: units.findLast((unit) => unit.failureCode !== undefined)?.failureCode ?? null,
  };
}

async function addEntry(
  tx: Tx,
  tenant: Tenant,
  orderId: string,
  type: "order" | "refund",
  amountMinor: number,
): Promise<void> {
  const head = await lockWallet(tx, tenant);
  const id = `ent_${type}_${orderId}`;
  const movement = { id, type, amountMinor: BigInt(amountMinor), orderId, note: null, createdAt: AT };
  const next = head && appendEntry(head, movement);
  if (!next) throw new Error(`the wallet cannot pay ${amountMinor} for ${orderId}`);
  await insertEntry(tx, next.entry);
  await updateWallet(tx, next.head);
}

/** The events of an order's end and its refund. */
async function addEvents(
  tx: Tx,
  { resellerId, environment }: Tenant,
  { id }: OrderSeed,
  happened: { fulfilled: boolean; refunded: boolean },
): Promise<void> {
  const causes = [
    ...(happened.fulfilled ? [["order.fulfilled", "fulfilled"]] : []),
    ...(happened.refunded ? [["order.refunded", `ent_refund_${id}`]] : []),
  ];
  for (const [type, cause] of causes) {
    await tx.rows(sql`
      insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
      values (${`evt_${type}_${id}`}, ${resellerId}, ${environment}, ${type}, '{}', ${id}, ${cause}, ${AT})`);
  }
}

async function addUnit(tx: Tx, { environment }: Tenant, orderId: string, unit: Unit): Promise<void> {
  const deliveredAt = unit.wasDelivered ? AT : null;
  await tx.rows(sql`
    insert into order_units (order_id, line_index, unit_index, environment, status, due_at, delivered_at, failure_code)
    values (${orderId}, ${unit.lineIndex}, ${unit.unitIndex}, ${environment}, ${unit.end}, ${AT}, ${deliveredAt},
            ${unit.failureCode ?? null})`);
  if (environment === "live") await addAttempts(tx, orderId, unit);
  if (!unit.code) return;
  const codeId = `cod_${orderId}_${unit.lineIndex}_${unit.unitIndex}`;
  const sealed = environment === "live" ? Buffer.from("sealed") : null;
  await tx.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, test_code, order_id,
                       line_index, unit_index, delivered_at, quarantine_reason)
    values (${codeId}, ${environment}, ${unit.productId}, ${sealed && SECOND_SUPPLIER}, ${unit.code.state}, 'code',
            ${sealed}, case when ${environment} = 'live' then sha256(${codeId}::bytea) end,
            ${sealed ? null : `TEST-${codeId}`}, ${orderId}, ${unit.lineIndex}, ${unit.unitIndex}, ${deliveredAt},
            ${unit.code.reason ?? null})`);
}

async function addAttempts(tx: Tx, orderId: string, unit: Unit): Promise<void> {
  for (const [index, { status, supplierId, writtenOff }] of unit.attempts.entries()) {
    const writtenOffAt = writtenOff ? AT : null;
    await tx.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     status, failure_code, opened_at, resolved_at, written_off_at, next_look_at)
      values (${orderId}, ${unit.lineIndex}, ${unit.unitIndex}, ${index + 1}, 'live', ${unit.productId}, ${supplierId},
              'sku', ${status}, ${status === "refused" ? "out_of_stock" : null}, ${AT},
              ${status === "open" ? null : AT}, ${writtenOffAt}, ${writtenOffAt})`);
  }
}

async function addWork(tx: Tx, { id, status, refundHeld, work }: OrderSeed): Promise<void> {
  const rests = status === "completed" || status === "refunded" || (status === "failed" && refundHeld);
  const needed = work ?? (rests ? "none" : "due");
  if (needed === "none") return;
  const dueAt = needed === "due" ? AT.toISOString() : "infinity";
  await tx.rows(sql`insert into order_work (order_id, due_at) values (${id}, ${dueAt}::timestamptz)`);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
