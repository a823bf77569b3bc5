import type { Connection } from "./connection.js";
import { type Shape } from "./shapes.js";
export type Call<T> = {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    path: string;
    headers?: Readonly<Record<string, string>>;
    /** JSON. */
    body?: string | undefined;
    /** The one status that means success. */
    expected: number;
    shape: Shape<T>;
    /** Asks for CSV. The answer is its text, and `shape` is not used. */
    readsCsv?: boolean;
};
/** The settings of one try. */
export type Limits = {
    timeoutMs: number;
    signal: AbortSignal | undefined;
};
export type Answer<T> = {
    value: T;
    headers: Headers;
};
/** One try of a call. The deadline covers all of it, regardless of how fetch treats the signal. */
export declare function request<T>(connection: Connection, call: Call<T>, { timeoutMs, signal }: Limits): Promise<Answer<T>>;
