import { read, readList, segment } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
export const requestMethods = (connection) => ({
    list: (filters, options) => readList(connection, () => "/v1/requests", REPLIES.listRequests, filters, options),
    get: async (id, options) => (await read(connection, `/v1/requests/${segment(id)}`, REPLIES.getRequest, options)).request,
});
