import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { CallOptions, CsvPage } from "./types/common.js";
import type { Balance, WalletAlert, WalletEntry, WalletEntryFilters } from "./types/wallet.js";
export type WalletMethods = {
    balance(options?: CallOptions): Promise<Balance>;
    /** The statement, newest first. */
    entries(filters?: WalletEntryFilters, options?: CallOptions): Listing<WalletEntry>;
    /** A page of the statement as CSV. Money is in the currency's major unit. */
    entriesCsv(filters?: WalletEntryFilters, options?: CallOptions): Promise<CsvPage>;
    /** The balance below which you are told. */
    alert(options?: CallOptions): Promise<WalletAlert>;
    /** Sets it, in minor units of the wallet's currency; `null` for no alert. The key needs the scope `wallet:write`. */
    setAlert(threshold: number | null, options?: CallOptions): Promise<WalletAlert>;
};
export declare const walletMethods: (connection: Connection) => WalletMethods;
