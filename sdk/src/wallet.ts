import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { read, readCsv, readList } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { Balance, CallOptions, CsvPage, WalletEntry, WalletEntryFilters } from "./types.ts";

export type WalletMethods = {
  balance(options?: CallOptions): Promise<Balance>;
  /** The statement, newest first. */
  entries(filters?: WalletEntryFilters, options?: CallOptions): Listing<WalletEntry>;
  /** A page of the statement as CSV. Money is in the currency's major unit. */
  entriesCsv(filters?: WalletEntryFilters, options?: CallOptions): Promise<CsvPage>;
};

export const walletMethods = (connection: Connection): WalletMethods => ({
  balance: async (options) => read(connection, "/v1/balance", REPLIES.getBalance, options),
  entries: (filters, options) =>
    readList(connection, () => "/v1/wallet/entries", REPLIES.listWalletEntries, filters, options),
  entriesCsv: async (filters, options) => readCsv(connection, "/v1/wallet/entries", filters, options),
});
