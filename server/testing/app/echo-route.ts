import type { FastifyInstance } from "fastify";
import { Type } from "../../src/http/openapi/type.ts";

export const ECHO_URL = "/v1/test-echo";

/** A miniature placement for tests: it takes a body and counts as an order. */
export function addEchoRoute(app: FastifyInstance): void {
  app.post(ECHO_URL, {
    config: { scope: "orders:write", limitClass: "orders" },
    schema: {
      body: Type.Object(
        {
          text: Type.Optional(Type.String({ maxLength: 1_000 })),
          count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
          lines: Type.Optional(
            Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: false }), { maxItems: 50 }),
          ),
        },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => ({ received: request.body }),
  });
}
