import { perform } from "./http/perform.js";
import { read, readList, segment } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
export const catalogMethods = (connection) => ({
    list: (filters, options) => readList(connection, () => "/v1/catalog", REPLIES.listCatalog, filters, options),
});
export const productMethods = (connection) => ({
    get: async (id, options) => (await read(connection, `/v1/products/${segment(id)}`, REPLIES.getProduct, options)).product,
    async check(id, inputFields, options) {
        const call = {
            method: "POST",
            path: `/v1/products/${segment(id)}/check`,
            body: { inputFields },
            expected: 200,
            shape: REPLIES.checkProductAccount,
            isRepeatable: true,
        };
        return (await perform(connection, call, options)).value;
    },
});
