import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { Balance, CallOptions, WalletEntry, WalletEntryFilters } from "./types.js";
export type WalletMethods = {
    balance(options?: CallOptions): Promise<Balance>;
    /** The statement, newest first. */
    entries(filters?: WalletEntryFilters, options?: CallOptions): Listing<WalletEntry>;
};
export declare const walletMethods: (connection: Connection) => WalletMethods;
