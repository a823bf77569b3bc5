import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { read, readList, segment } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { CallOptions } from "./types/common.ts";
import type { LoggedRequest, LoggedRequestDetail, RequestFilters } from "./types/requests.ts";

export type RequestMethods = {
  /** Your requests to the API in the last 14 days, newest first. The key needs the scope `requests:read`. */
  list(filters?: RequestFilters, options?: CallOptions): Listing<LoggedRequest>;
  get(id: string, options?: CallOptions): Promise<LoggedRequestDetail>;
};

export const requestMethods = (connection: Connection): RequestMethods => ({
  list: (filters, options) =>
    readList(connection, () => "/v1/requests", REPLIES.listRequests, filters, options),
  get: async (id, options) =>
    (await read(connection, `/v1/requests/${segment(id)}`, REPLIES.getRequest, options)).request,
});
