import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { CallOptions } from "./types/common.js";
import type { LoggedRequest, LoggedRequestDetail, RequestFilters } from "./types/requests.js";
export type RequestMethods = {
    /** Your requests to the API in the last 14 days, newest first. The key needs the scope `requests:read`. */
    list(filters?: RequestFilters, options?: CallOptions): Listing<LoggedRequest>;
    get(id: string, options?: CallOptions): Promise<LoggedRequestDetail>;
};
export declare const requestMethods: (connection: Connection) => RequestMethods;
