import type { FastifyInstance } from "fastify";
import { callerOf } from "../../http/caller.ts";
import { jsonOrCsvReply, sendCsv, wantsCsv } from "../../http/csv-reply.ts";
import { Type } from "../../http/openapi/type.ts";
import { CODE_EXACT_HEADS, CODE_HEADS, codeCells } from "./code-csv.ts";
import { type RevealDeps, revealCodes } from "./reveal-codes.ts";
import { OrderCodesReply } from "./schemas.ts";

export function fulfilmentRoutes(app: FastifyInstance, deps: RevealDeps): void {
  app.get<{ Params: { id: string } }>("/v1/orders/:id/codes", {
    config: { scope: "orders:read", problems: ["not_found", "order_not_fulfilled", "codes_unavailable"] },
    schema: {
      operationId: "getOrderCodes",
      tags: ["Orders"],
      summary: "Read the codes of an order",
      description:
        "What has been delivered so far; all of it once the order is `completed`. Codes are bearer money: each reading is recorded, and nothing in between may keep the answer. Codes that were refunded after delivery stay readable.",
      params: Type.Object({ id: Type.String({ description: "Order id." }) }),
      response: { 200: jsonOrCsvReply("The codes, in the order of lines and units.", OrderCodesReply) },
    },
    handler: async (request, reply) => {
      const revealed = await revealCodes(deps, callerOf(request), {
        orderId: request.params.id,
        requestId: request.id,
        address: request.callerAddress,
      });
      return wantsCsv(request)
        ? sendCsv(reply, CODE_HEADS, revealed.data.map(codeCells), CODE_EXACT_HEADS)
        : revealed;
    },
  });
}
