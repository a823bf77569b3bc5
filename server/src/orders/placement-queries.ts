import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { WalletHead } from "../wallet/entry.ts";
import {
  type BoundOrder,
  bindingKey,
  type PlacedOrder,
  type Placement,
  type PlacementState,
  walletKey,
} from "./decide-placements.ts";

type Environment = Placement["environment"];
type StateRow = {
  wallets: [string, Environment, string, string, string, string, number][] | null;
  bound: [string, string, BoundOrder["status"], string, string, string][] | null;
  livingKeys: string[] | null;
  revisions: Record<string, string> | null;
};

/** Locks the wallets of a batch and reads, in a later statement, what its decisions rest on. */
export async function beginPlacements(
  tx: Tx,
  placements: readonly Placement[],
  now: Date,
  lockTimeoutMs: number,
): Promise<PlacementState> {
  const wallets = [...new Map(placements.map((one) => [walletKey(one), one])).values()];
  const keyIds = [...new Set(placements.map((one) => one.keyId))];
  const [row] = await tx.rows<StateRow>(
    sql`
      select wallets, bound, living_keys as "livingKeys", revisions
      from begin_placements(
        ${wallets.map((one) => one.resellerId)}::text[], ${wallets.map((one) => one.environment)}::text[],
        ${placements.map((one) => bindingKey(one, one.idempotencyKey))}::text[],
        ${keyIds}::text[], ${now}, ${lockTimeoutMs}::integer)`,
    { name: "begin-placements" },
  );
  if (!row) throw new Error("the placements could not begin");
  return {
    wallets: new Map((row.wallets ?? []).map(toHead).map((head) => [walletKey(head), head])),
    bound: new Map((row.bound ?? []).map(toBound)),
    livingKeys: new Set(row.livingKeys ?? []),
    revisions: new Map(Object.entries(row.revisions ?? {})),
  };
}

/** Those wallets of a batch that nobody holds at this moment. */
export async function findFreeWallets(
  db: Queryable,
  placements: readonly Placement[],
): Promise<ReadonlySet<string>> {
  const rows = await db.rows<Tenant>(sql`
    select w.reseller_id as "resellerId", w.environment
    from wallets w
    join unnest(
      ${placements.map((one) => one.resellerId)}::text[], ${placements.map((one) => one.environment)}::text[]
    ) as asked (reseller_id, environment)
      on w.reseller_id = asked.reseller_id and w.environment = asked.environment
    for update of w skip locked`);
  return new Set(rows.map(walletKey));
}

/**
 * Writes everything that a batch decided in one statement: orders, lines, entries, work, and the wallets' new heads.
 * Each column goes as one text that the database splits: an array or JSON costs either side several times as much.
 */
export async function insertPlacements(
  tx: Tx,
  placed: readonly PlacedOrder[],
  heads: readonly WalletHead[],
): Promise<void> {
  const lines = placed.flatMap(toLineRecords);
  await tx.rows(
    sql`
      with placed as materialized (
        select * from unnest(
          ${column(placed, ({ placement }) => placement.orderId)},
          ${column(placed, ({ placement }) => placement.resellerId)},
          ${column(placed, ({ placement }) => placement.environment)},
          ${column(placed, ({ placement }) => placement.idempotencyKey)},
          ${column(placed, ({ placement }) => placement.fingerprint.toString("hex"))},
          ${column(placed, ({ placement }) => placement.reference)},
          ${column(placed, ({ placement }) => placement.scenario)},
          ${column(placed, ({ placement }) => String(placement.allOrNothing ?? false))}::boolean[],
          ${column(placed, ({ priced }) => priced.totalMinor)}::bigint[],
          ${column(placed, ({ priced }) => priced.currency)},
          ${column(placed, ({ placement }) => placement.keyId)},
          ${column(placed, ({ placement }) => placement.createdAt.toISOString())}::timestamptz[],
          ${column(placed, ({ entry }) => entry.id)},
          ${column(placed, ({ entry }) => entry.sequence)}::bigint[],
          ${column(placed, ({ entry }) => entry.balanceAfterMinor)}::bigint[],
          ${column(placed, ({ entry }) => entry.hash.toString("hex"))},
          ${column(placed, ({ entry }) => entry.createdAt.toISOString())}::timestamptz[]
        ) as one (id, reseller_id, environment, idempotency_key, fingerprint, reference, test_scenario, all_or_nothing, total_minor,
                  currency, key_id, created_at, entry_id, sequence, balance_after_minor, hash, entered_at)
      ), new_orders as (
        insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, test_scenario,
                            all_or_nothing, refund_held, total_minor, currency, key_id, created_at, updated_at)
        select id, reseller_id, environment, idempotency_key, decode(fingerprint, 'hex'), reference, test_scenario,
               all_or_nothing, coalesce(test_scenario = 'failed', false), total_minor, currency, key_id, created_at, created_at
        from placed
      ), new_lines as (
        insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                                 quantity, line_total_minor, input_fields)
        select order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity,
               line_total_minor, input_fields
        from unnest(
          ${column(lines, (line) => line.orderId)},
          ${column(lines, (line) => line.index)}::smallint[],
          ${column(lines, (line) => line.resellerId)},
          ${column(lines, (line) => line.environment)},
          ${column(lines, (line) => line.productId)},
          ${column(lines, (line) => line.name)},
          ${column(lines, (line) => line.unitPriceMinor)}::bigint[],
          ${column(lines, (line) => line.quantity)}::integer[],
          ${column(lines, (line) => line.lineTotalMinor)}::bigint[],
          ${column(lines, (line) => line.inputFields && JSON.stringify(line.inputFields))}::jsonb[]
        ) as line (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity,
                   line_total_minor, input_fields)
      ), new_entries as (
        insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                    balance_after_minor, currency, order_id, hash, created_at)
        select entry_id, reseller_id, environment, sequence, 'order', 'sales', -total_minor, balance_after_minor,
               currency, id, decode(hash, 'hex'), entered_at
        from placed
      ), new_work as (
        insert into order_work (order_id, due_at) select id, created_at from placed
      )
      update wallets w
      set balance_minor = head.balance_minor, sequence = head.sequence, head_hash = decode(head.hash, 'hex'),
          last_entry_at = head.last_entry_at
      from unnest(
        ${column(heads, (head) => head.resellerId)},
        ${column(heads, (head) => head.environment)},
        ${column(heads, (head) => head.balanceMinor)}::bigint[],
        ${column(heads, (head) => head.sequence)}::bigint[],
        ${column(heads, (head) => head.hash.toString("hex"))},
        ${column(heads, (head) => head.lastEntryAt.toISOString())}::timestamptz[]
      ) as head (reseller_id, environment, balance_minor, sequence, hash, last_entry_at)
      where w.reseller_id = head.reseller_id and w.environment = head.environment`,
    { name: "insert-placements" },
  );
}

/** Control characters that no value of an order may hold. */
const SEPARATOR = "\u001f";
const NULL = "\u001e";

/** One column of many rows, as one text. No value is empty: an empty text would split into no values at all. */
function column<Row>(rows: readonly Row[], value: (row: Row) => string | number | bigint | null): Sql {
  const text = rows.map((row) => value(row) ?? NULL).join(SEPARATOR);
  return sql`string_to_array(${text}, ${SEPARATOR}, ${NULL})`;
}

const toLineRecords = ({ placement, priced }: PlacedOrder) =>
  priced.lines.map((line, index) => ({
    ...line,
    index,
    orderId: placement.orderId,
    resellerId: placement.resellerId,
    environment: placement.environment,
    // A separator within a value would shift all that follow it. Import refuses control characters; this makes sure.
    name: line.name.replaceAll(SEPARATOR, " ").replaceAll(NULL, " "),
  }));

function toHead(row: NonNullable<StateRow["wallets"]>[number]): WalletHead {
  const [resellerId, environment, currency, balance, sequence, hash, lastEntryAtMs] = row;
  return {
    resellerId,
    environment,
    currency,
    balanceMinor: BigInt(balance),
    sequence: BigInt(sequence),
    hash: Buffer.from(hash, "hex"),
    lastEntryAt: new Date(lastEntryAtMs),
  };
}

const toBound = ([binding, id, status, total, currency, fingerprint]: NonNullable<
  StateRow["bound"]
>[number]): [string, BoundOrder] => [
  binding,
  { id, status, totalMinor: BigInt(total), currency, fingerprint: Buffer.from(fingerprint, "hex") },
];
