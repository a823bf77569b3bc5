import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { perform } from "./http/perform.ts";
import { read, readCsv, readList } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { CallOptions, CsvPage } from "./types/common.ts";
import type { Balance, WalletAlert, WalletEntry, WalletEntryFilters } from "./types/wallet.ts";

const ALERT = "/v1/wallet/alert";

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

export const walletMethods = (connection: Connection): WalletMethods => ({
  balance: async (options) => read(connection, "/v1/balance", REPLIES.getBalance, options),
  entries: (filters, options) =>
    readList(connection, () => "/v1/wallet/entries", REPLIES.listWalletEntries, filters, options),
  entriesCsv: async (filters, options) => readCsv(connection, "/v1/wallet/entries", filters, options),
  alert: async (options) => (await read(connection, ALERT, REPLIES.getWalletAlert, options)).alert,
  setAlert: async (threshold, options) => {
    const call = {
      path: ALERT,
      method: "PUT",
      body: { threshold },
      expected: 200,
      isRepeatable: true,
    } as const;
    return (await perform(connection, { ...call, shape: REPLIES.setWalletAlert }, options)).value.alert;
  },
});
