import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Db } from "../db/database.ts";
import { callerOf } from "../http/caller.ts";
import { jsonReply } from "../http/json-reply.ts";
import { pageParameters } from "../http/page.ts";
import type { Clock } from "../lib/clock.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { toMoney } from "../lib/money.ts";
import { listEntries } from "./list-entries.ts";
import { findWallet } from "./queries.ts";
import { BalanceReply, WalletEntryPage } from "./schemas.ts";

export function walletRoutes(
  app: FastifyInstance,
  deps: { db: Db; clock: Clock; cursors: CursorCodec },
): void {
  app.get("/v1/balance", {
    config: { scope: "wallet:read" },
    schema: {
      operationId: "getBalance",
      tags: ["Wallet"],
      summary: "Read the balance",
      description: "What the key's wallet can spend now.",
      response: { 200: jsonReply("The balance.", BalanceReply) },
    },
    handler: async (request) => {
      const asOf = deps.clock.now().toISOString();
      const wallet = await findWallet(deps.db, callerOf(request));
      if (!wallet) throw new Error("the reseller of a living key has no wallet");
      return { balance: toMoney(wallet.balanceMinor, wallet.currency), asOf };
    },
  });

  app.get("/v1/wallet/entries", {
    config: { scope: "wallet:read", problems: ["invalid_request", "invalid_cursor"] },
    schema: {
      operationId: "listWalletEntries",
      tags: ["Wallet"],
      summary: "Read the statement",
      description: "Every movement of the wallet, newest first.",
      querystring: Type.Object({ ...pageParameters, ...entryFilters }),
      response: { 200: jsonReply("A page of entries.", WalletEntryPage) },
    },
    handler: (request) => listEntries(deps, callerOf(request), request),
  });
}

const entryFilters = {
  type: Type.Optional(Type.String({ description: "Only `deposit`, `order`, `refund` or `adjustment`." })),
  orderId: Type.Optional(Type.String({ description: "Only entries of this order." })),
  createdFrom: Type.Optional(
    Type.String({ format: "date-time", description: "Made at this time or later." }),
  ),
  createdTo: Type.Optional(Type.String({ format: "date-time", description: "Made before this time." })),
};
