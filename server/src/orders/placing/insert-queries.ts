import { fromArrays, insertFrom, sentColumns, toArrays } from "../../db/column-arrays.ts";
import type { NamedStatement } from "../../db/joined-query.ts";
import { sumSpending } from "../../keys/limits/decide-limits.ts";
import type { WalletHead } from "../../wallet/entry.ts";
import type { PlacedOrder } from "./decide-placements.ts";
import {
  ENTRY_COLUMNS,
  LINE_COLUMNS,
  ORDER_COLUMNS,
  type PlacedLine,
  SPENDING_COLUMNS,
  WALLET_HEAD_COLUMNS,
  WALLET_KEY_COLUMNS,
  WORK_COLUMNS,
} from "./placement-columns.ts";

/** The prefix of an entry's own columns, to tell them apart from those of its order. */
const ENTRY_PREFIX = "entry_";
const PLACED = [...sentColumns(ORDER_COLUMNS), ...sentColumns(ENTRY_COLUMNS, ENTRY_PREFIX)];
const LINES = sentColumns(LINE_COLUMNS);
const HEADS = [...WALLET_KEY_COLUMNS, ...WALLET_HEAD_COLUMNS];

const insertPlaced = (condition?: string): string => `
  with placed as materialized (
    select * from ${fromArrays("one", PLACED, 1, condition)}
  ), new_orders as (
    ${insertFrom("placed", "orders", ORDER_COLUMNS)}
  ), new_lines as (
    ${insertFrom(fromArrays("line", LINES, 1 + PLACED.length, condition), "order_lines", LINE_COLUMNS)}
  ), new_entries as (
    ${insertFrom("placed", "ledger_entries", ENTRY_COLUMNS, ENTRY_PREFIX)}
  ), new_work as (
    ${insertFrom("placed", "order_work", WORK_COLUMNS)}
  )`;
const COUNT_SPENDING = `, counted as (
    ${insertFrom(fromArrays("part", SPENDING_COLUMNS, 1 + PLACED.length + LINES.length + HEADS.length), "key_spending", SPENDING_COLUMNS)}
    on conflict (key_id, hour) do update set spent_minor = key_spending.spent_minor + excluded.spent_minor
  )`;
const updateWallets = (condition?: string): string => `
  update wallets w
  set ${WALLET_HEAD_COLUMNS.map(({ column }) => `${column} = head.${column}`).join(", ")}
  from ${fromArrays("head", HEADS, 1 + PLACED.length + LINES.length, condition)}
  where ${WALLET_KEY_COLUMNS.map(({ column }) => `w.${column} = head.${column}`).join(" and ")}`;

const INSERT = insertPlaced() + updateWallets();
/** The same for a batch that has orders of keys whose spending is counted. */
const INSERT_AND_COUNT = insertPlaced() + COUNT_SPENDING + updateWallets();
/** Set by `confirm_placement_batch` until the transaction ends. */
const IS_CONFIRMED = "current_setting('scrip.confirmed', true) = 'true'";
const INSERT_IF_CONFIRMED = insertPlaced(IS_CONFIRMED) + updateWallets(IS_CONFIRMED);

/**
 * Writes everything that a batch decided in one statement: orders, lines, entries, work, the wallets' new heads, and what counted
 * keys spent. Its text is built once from the tables of columns and prepared on each connection.
 */
export function insertPlacements(
  placed: readonly PlacedOrder[],
  heads: readonly WalletHead[],
): NamedStatement {
  const values = toValues(placed, heads);
  const spending = sumSpending(placed.flatMap((one) => one.spending ?? []));
  if (spending.length === 0) return { name: "insert-placements", text: INSERT, values };
  return {
    name: "insert-counted-placements",
    text: INSERT_AND_COUNT,
    values: [...values, ...toArrays(SPENDING_COLUMNS, spending)],
  };
}

/** The same where the database has confirmed what it rests on, and nothing where it has not. No key of it is counted. */
export const insertConfirmedPlacements = (
  placed: readonly PlacedOrder[],
  heads: readonly WalletHead[],
): NamedStatement => ({
  name: "insert-confirmed-placements",
  text: INSERT_IF_CONFIRMED,
  values: toValues(placed, heads),
});

const toValues = (placed: readonly PlacedOrder[], heads: readonly WalletHead[]): Buffer[] => [
  ...toArrays(PLACED, placed),
  ...toArrays(LINES, placed.flatMap(toLines)),
  ...toArrays(HEADS, heads),
];

const toLines = (placed: PlacedOrder): PlacedLine[] =>
  placed.priced.lines.map((line, index) => ({ placed, line, index }));
