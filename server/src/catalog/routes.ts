import type { FastifyInstance } from "fastify";
import { callerOf } from "../http/caller.ts";
import { sendConditionally } from "../http/conditional.ts";
import { jsonReply, serializerOf } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters, readPage } from "../http/page.ts";
import { filterParameters, readCatalogFilters } from "./filters/catalog-filters.ts";
import { getProduct } from "./get-product.ts";
import { type CatalogDeps, catalogCursorScope, listProducts } from "./list-products.ts";
import { CatalogPage, ProductReply } from "./schemas.ts";

export function catalogRoutes(app: FastifyInstance, deps: CatalogDeps): void {
  app.get("/v1/catalog", {
    config: { scope: "catalog:read", problems: ["invalid_request", "invalid_cursor"], conditional: true },
    schema: {
      operationId: "listCatalog",
      tags: ["Catalog"],
      summary: "List the catalog",
      description:
        "Returns a page of the products that the reseller can sell, by id, each with the reseller's price. Filters can be combined; a product must match all of them.",
      querystring: Type.Object({ ...pageParameters, ...filterParameters }),
      response: { 200: jsonReply("A page of products.", CatalogPage) },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const filters = readCatalogFilters(request);
      const page = readPage(request, deps.cursors, catalogCursorScope(caller, filters));
      const rendered = await listProducts(deps, caller, { ...page, filters }, serializerOf(reply));
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
