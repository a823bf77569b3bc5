import type { FastifyInstance } from "fastify";
import type { Db } from "../db/database.ts";
import { callerOf } from "../http/caller.ts";
import { jsonOrCsvReply, linkNextPage, nextPageHeader, sendCsv, wantsCsv } from "../http/csv-reply.ts";
import { jsonReply } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters } from "../http/page.ts";
import type { Clock } from "../lib/clock.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { toMoney } from "../lib/money.ts";
import { ENTRY_HEADS, entryCells } from "./entry-csv.ts";
import { listEntries } from "./list-entries.ts";
import { findWallet } from "./queries.ts";
import { BalanceReply, WalletEntryPage } from "./schemas.ts";

export function walletRoutes(
  app: FastifyInstance,
  deps: { db: Db; clock: Clock; cursors: CursorCodec },
): void {
  app.get("/v1/balance", {
    config: { scope: "wallet:read", direct: true },
    schema: {
      operationId: "getBalance",
      tags: ["Wallet"],
      summary: "Get the balance",
      description: "Returns what the key's wallet can spend now.",
      response: { 200: jsonReply("The balance.", BalanceReply) },
    },
    handler: async (request) => {
      const asOf = deps.clock.now().toISOString();
      const wallet = await findWallet(deps.db, callerOf(request));
      if (!wallet) throw new Error("an active key's reseller has no wallet");
      return { balance: toMoney(wallet.balanceMinor, wallet.currency), asOf };
    },
  });

  app.get("/v1/wallet/entries", {
    config: { scope: "wallet:read", problems: ["invalid_request", "invalid_cursor"] },
    schema: {
      operationId: "listWalletEntries",
      tags: ["Wallet"],
      summary: "List wallet entries",
      description: "Returns the wallet's entries, newest first.",
      querystring: Type.Object({ ...pageParameters, ...entryFilters }),
      response: {
        200: { ...jsonOrCsvReply("A page of wallet entries.", WalletEntryPage), headers: nextPageHeader },
      },
    },
    handler: async (request, reply) => {
      const page = await listEntries(deps, callerOf(request), request);
      if (!wantsCsv(request)) return page;
      linkNextPage(request, reply, page.nextCursor);
      return sendCsv(reply, ENTRY_HEADS, page.data.map(entryCells));
    },
  });
}

const entryFilters = {
  type: Type.Optional(
    Type.String({
      description: "Return only entries of this type: `deposit`, `order`, `refund` or `adjustment`.",
    }),
  ),
  orderId: Type.Optional(Type.String({ description: "Return only entries of this order." })),
  createdFrom: Type.Optional(
    Type.String({ format: "date-time", description: "Return only entries created at or after this time." }),
  ),
  createdTo: Type.Optional(
    Type.String({ format: "date-time", description: "Return only entries created before this time." }),
  ),
};
