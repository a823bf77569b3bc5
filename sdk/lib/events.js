import { toListing } from "./listing.js";
import { read, readList, segment } from "./read.js";
import { REPLIES } from "./replies.js";
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
