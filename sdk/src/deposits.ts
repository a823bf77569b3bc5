import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { perform } from "./http/perform.ts";
import { read, readList, segment } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { CallOptions } from "./types/common.ts";
import type { CreateDepositInput, CreateDepositOptions, Deposit, DepositFilters } from "./types/wallet.ts";
import { randomUuid } from "./web-crypto.ts";

export type DepositMethods = {
  /** Tells the operator that you will send money. Pay with the `reference` of the answer. */
  create(input: CreateDepositInput, options?: CreateDepositOptions): Promise<Deposit>;
  get(id: string, options?: CallOptions): Promise<Deposit>;
  /** Newest first. */
  list(filters?: DepositFilters, options?: CallOptions): Listing<Deposit>;
};

export const depositMethods = (connection: Connection): DepositMethods => ({
  create: async (input, { idempotencyKey, ...options } = {}) => {
    const call = {
      method: "POST",
      path: "/v1/deposits",
      headers: { "idempotency-key": idempotencyKey ?? (await randomUuid()) },
      body: input,
      expected: 200,
      shape: REPLIES.requestDeposit,
      isRepeatable: true,
    } as const;
    return (await perform(connection, call, options)).value.deposit;
  },
  get: async (id, options) =>
    (await read(connection, `/v1/deposits/${segment(id)}`, REPLIES.getDeposit, options)).deposit,
  list: (filters, options) =>
    readList(connection, () => "/v1/deposits", REPLIES.listDeposits, filters, options),
});
