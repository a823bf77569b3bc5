import type { FastifyInstance } from "fastify";
import { INPUT_FIELDS_MAX } from "../../catalog/input-field-spec.ts";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import { notFound } from "../../lib/problem.ts";
import type { Json } from "../../lib/strict-json.ts";
import { type CheckDeps, checkAccount } from "./check-account.ts";

const CheckAccountRequest = named(
  "CheckAccountRequest",
  Type.Object(
    {
      inputFields: Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: INPUT_FIELDS_MAX,
        description: "Values by the `key` of each of the product's input fields, as in an order line.",
      }),
    },
    { additionalProperties: false, examples: [{ inputFields: { playerId: "123456789" } }] },
  ),
);

const CheckAccountReply = named(
  "CheckAccountReply",
  Type.Object({
    result: Type.String({
      description:
        "One of `valid`, `invalid`, `unknown`. `unknown` means nothing: the account may exist or not.",
      examples: ["valid"],
    }),
    displayName: Type.Optional(
      Type.String({ description: "With `valid`: the name of the account, where it is known." }),
    ),
  }),
);

export function checkRoutes(app: FastifyInstance, deps: CheckDeps): void {
  app.post<{ Params: { id: string }; Body: { inputFields: { [key: string]: Json } } }>(
    "/v1/products/:id/check",
    {
      config: {
        scope: "catalog:read",
        limitClass: "checks",
        problems: ["not_found", "invalid_input_field"],
      },
      schema: {
        operationId: "checkProductAccount",
        tags: ["Catalog"],
        summary: "Check the account of a top-up",
        description:
          "Asks whether the account that a top-up would go to exists, before you order. Nothing is bought. Not every product can be checked: then the result is `unknown`. Checks have a limit of their own, which all keys of a reseller share.",
        params: Type.Object({ id: Type.String({ description: "Product id." }) }),
        body: CheckAccountRequest,
        response: { 200: jsonReply("What is known about the account.", CheckAccountReply) },
      },
      handler: (request) => {
        const { id } = request.params;
        if (id.includes("\0")) throw notFound();
        return checkAccount(deps, callerOf(request), id, request.body.inputFields);
      },
    },
  );
}
