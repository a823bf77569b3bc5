import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { CallOptions } from "./types/common.js";
import type { CreateDepositInput, CreateDepositOptions, Deposit, DepositFilters } from "./types/wallet.js";
export type DepositMethods = {
    /** Tells the operator that you will send money. Pay with the `reference` of the answer. */
    create(input: CreateDepositInput, options?: CreateDepositOptions): Promise<Deposit>;
    get(id: string, options?: CallOptions): Promise<Deposit>;
    /** Newest first. */
    list(filters?: DepositFilters, options?: CallOptions): Listing<Deposit>;
};
export declare const depositMethods: (connection: Connection) => DepositMethods;
