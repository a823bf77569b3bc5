export { type Client, createClient } from "./client.ts";
export type { ClientOptions, Fetch } from "./connection.ts";
export { type FieldError, type LocalErrorCode, ScripError } from "./errors.ts";
export type { Listing } from "./listing.ts";
export type { Placement } from "./orders.ts";
export type { Timing } from "./timing.ts";
export type * from "./types.ts";
