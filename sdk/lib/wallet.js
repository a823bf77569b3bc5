import { read, readCsv, readList } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
export const walletMethods = (connection) => ({
    balance: async (options) => read(connection, "/v1/balance", REPLIES.getBalance, options),
    entries: (filters, options) => readList(connection, () => "/v1/wallet/entries", REPLIES.listWalletEntries, filters, options),
    entriesCsv: async (filters, options) => readCsv(connection, "/v1/wallet/entries", filters, options),
});
