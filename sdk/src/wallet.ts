import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { read, readList } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { Balance, CallOptions, WalletEntry, WalletEntryFilters } from "./types.ts";

export type WalletMethods = {
  balance(options?: CallOptions): Promise<Balance>;
  /** The statement, newest first. */
  entries(filters?: WalletEntryFilters, options?: CallOptions): Listing<WalletEntry>;
};

export const walletMethods = (connection: Connection): WalletMethods => ({
  balance: async (options) => read(connection, "/v1/balance", REPLIES.getBalance, options),
  entries: (filters, options) =>
    readList(connection, () => "/v1/wallet/entries", REPLIES.listWalletEntries, filters, options),
});
