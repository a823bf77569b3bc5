import type { Connection } from "./connection.js";
import type { Listing } from "./listing.js";
import type { Balance, CallOptions, WalletEntry, WalletEntryFilters } from "./types.js";
export type WalletMethods = {
    balance(options?: CallOptions): Promise<Balance>;
    /** The statement, newest first. */
    entries(filters?: WalletEntryFilters, options?: CallOptions): Listing<WalletEntry>;
};
export declare const walletMethods: (connection: Connection) => WalletMethods;
