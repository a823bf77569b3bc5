import type { FastifyInstance } from "fastify";
import type { Db } from "../db/database.ts";
import { callerOf } from "../http/caller.ts";
import { sendConditionally } from "../http/conditional.ts";
import { jsonReply, serializerOf } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters, readPage } from "../http/page.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { getProduct } from "./get-product.ts";
import { catalogCursorScope, listProducts } from "./list-products.ts";
import type { RenderedReplies } from "./rendered-replies.ts";
import { CatalogPage, ProductReply } from "./schemas.ts";

export type CatalogDeps = { db: Db; cursors: CursorCodec; renderedReplies: RenderedReplies };

export function catalogRoutes(app: FastifyInstance, deps: CatalogDeps): void {
  app.get("/v1/catalog", {
    config: { scope: "catalog:read", problems: ["invalid_request", "invalid_cursor"], conditional: true },
    schema: {
      operationId: "listCatalog",
      tags: ["Catalog"],
      summary: "List the catalog",
      description:
        "Returns a page of the products that the reseller can sell, by id, each with the reseller's price.",
      querystring: Type.Object(pageParameters),
      response: { 200: jsonReply("A page of products.", CatalogPage) },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const page = readPage(request, deps.cursors, catalogCursorScope(caller));
      const rendered = await listProducts(deps, caller, page, serializerOf(reply));
      return sendConditionally(request, reply, rendered);
    },
  });

  app.get<{ Params: { id: string } }>("/v1/products/:id", {
    config: { scope: "catalog:read", problems: ["not_found"], conditional: true },
    schema: {
      operationId: "getProduct",
      tags: ["Catalog"],
      summary: "Get a product",
      description:
        "Returns one product with the reseller's price. A product that the reseller cannot see (unlisted, hidden or inactive) is reported as not found.",
      params: Type.Object({ id: Type.String({ description: "A product id from the catalog." }) }),
      response: { 200: jsonReply("The product with the reseller's price.", ProductReply) },
    },
    handler: async (request, reply) => {
      const rendered = await getProduct(deps, callerOf(request), request.params.id, serializerOf(reply));
      return sendConditionally(request, reply, rendered);
    },
  });
}
