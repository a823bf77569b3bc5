import { type ErrorContext, ScripError } from "./errors.js";
/**
 * The API's own error, or `invalid_response` when the answer is not one: a page of something in between, or a body that
 * disagrees with its status.
 */
export declare function toProblemError(body: unknown, context: ErrorContext, apiKey: string): ScripError;
