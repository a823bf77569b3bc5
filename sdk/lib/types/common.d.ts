import type { Open } from "../http/shapes.js";
import type { TEST_SCENARIOS } from "../words.js";
/** An integer in minor units of the currency. */
export type Money = {
    amount: number;
    currency: string;
};
/** `minorUnitExponent` is how many decimals the currency has: 250 with 2 of them is 2.50. */
export type ScaledMoney = Money & {
    minorUnitExponent: number;
};
/** The parameters of a list. */
export type PageFilters = {
    /** Items per page, 1 to 100. The default is 50. */
    limit?: number | undefined;
    /** `nextCursor` of the previous page. */
    cursor?: string | undefined;
};
export type CreatedFilters = {
    /** Inclusive; a text is RFC 3339. */
    createdFrom?: string | Date | undefined;
    /** Exclusive; a text is RFC 3339. */
    createdTo?: string | Date | undefined;
};
/** `nextCursor` is empty on the last page. */
export type Page<T> = {
    data: T[];
    hasMore: boolean;
    nextCursor: string;
};
/** A page of a list as CSV, with the names of the columns in its first line. `nextCursor` is empty on the last page. */
export type CsvPage = {
    csv: string;
    nextCursor: string;
};
export type CallOptions = {
    /** Ends the call, its retries and the pauses between them at once. */
    signal?: AbortSignal | undefined;
    /** The time limit of one try of this call. */
    timeoutMs?: number | undefined;
    /** How often this call is retried. */
    retries?: number | undefined;
    /** In the sandbox: simulates a rare case. */
    testScenario?: TestScenario | undefined;
};
/** For a test key; ignored with a live key. `rate_limited` and other errors apply to any call, the rest to an order. */
export type TestScenario = Open<(typeof TEST_SCENARIOS)[number]>;
