import { toSafeInteger } from "../lib/money.ts";
import type { EntryRow } from "./queries.ts";
import type { WalletEntryView } from "./schemas.ts";

/**
 * An entry as the API and the commands show it. Separate from the endpoint, so that commands need not load its
 * schemas.
 */
export const toEntryView = (row: EntryRow): WalletEntryView => ({
  id: row.id,
  type: row.type,
  amount: toSafeInteger(row.amountMinor),
  balanceAfter: toSafeInteger(row.balanceAfterMinor),
  currency: row.currency,
  ...(row.orderId === null ? {} : { orderId: row.orderId }),
  ...(row.note === null ? {} : { note: row.note }),
  createdAt: row.createdAt.toISOString(),
});
