import { formatAmount } from "../lib/money.ts";
import type { WalletEntryView } from "./schemas.ts";

export const ENTRY_HEADS = [
  "id",
  "type",
  "amount",
  "balanceAfter",
  "currency",
  "orderId",
  "note",
  "createdAt",
] as const;

/** An entry as a line of a CSV file. Money is in the currency's major unit. */
export const entryCells = ({ amount, balanceAfter, currency, ...entry }: WalletEntryView): string[] => [
  entry.id,
  entry.type,
  formatAmount(BigInt(amount), currency),
  formatAmount(BigInt(balanceAfter), currency),
  currency,
  entry.orderId ?? "",
  entry.note ?? "",
  entry.createdAt,
];
