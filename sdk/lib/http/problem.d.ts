import { type ErrorContext, ScripError } from "../errors.js";
/**
 * The API's own error, or `invalid_response` when the response is not one: a page of a proxy, or a body that does not match its
 * status.
 */
export declare function toProblemError(body: unknown, context: ErrorContext, apiKey: string): ScripError;
