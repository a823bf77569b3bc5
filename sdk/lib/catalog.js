import { perform } from "./http/perform.js";
import { read, readList, segment, toQuery } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
export const catalogMethods = (connection) => {
    const changes = (filters = {}, options) => read(connection, `/v1/catalog/changes${toQuery({ ...filters })}`, REPLIES.listCatalogChanges, options);
    return {
        list: (filters, options) => readList(connection, () => "/v1/catalog", REPLIES.listCatalog, filters, options),
        changes,
        async *follow(filters, options) {
            let { since } = filters;
            for (;;) {
                const page = await changes({ ...filters, since }, options);
                yield page;
                if (!page.hasMore)
                    return;
                since = page.nextCursor;
            }
        },
    };
};
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
