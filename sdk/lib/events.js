import { toListing } from "./http/listing.js";
import { read, readList, segment } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
export const eventMethods = (connection) => ({
    list: (filters, options) => readList(connection, () => "/v1/events", REPLIES.listEvents, filters, options),
    get: async (id, options) => (await read(connection, `/v1/events/${segment(id)}`, REPLIES.getEvent, options)).event,
});
export const eventTypeMethods = (connection) => ({
    list: (options) => toListing(async () => {
        const { data } = await read(connection, "/v1/event-types", REPLIES.listEventTypes, options);
        return { data, hasMore: false, nextCursor: "" };
    }),
});
