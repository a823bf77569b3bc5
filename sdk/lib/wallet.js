import { perform } from "./http/perform.js";
import { read, readCsv, readList } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
const ALERT = "/v1/wallet/alert";
export const walletMethods = (connection) => ({
    balance: async (options) => read(connection, "/v1/balance", REPLIES.getBalance, options),
    entries: (filters, options) => readList(connection, () => "/v1/wallet/entries", REPLIES.listWalletEntries, filters, options),
    entriesCsv: async (filters, options) => readCsv(connection, "/v1/wallet/entries", filters, options),
    alert: async (options) => (await read(connection, ALERT, REPLIES.getWalletAlert, options)).alert,
    setAlert: async (threshold, options) => {
        const call = {
            path: ALERT,
            method: "PUT",
            body: { threshold },
            expected: 200,
            isRepeatable: true,
        };
        return (await perform(connection, { ...call, shape: REPLIES.setWalletAlert }, options)).value.alert;
    },
});
