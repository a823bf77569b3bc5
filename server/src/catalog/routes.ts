import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Caller, callerOf } from "../http/caller.ts";
import { sendConditionally } from "../http/conditional.ts";
import { jsonReply, serializerOf } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters, readPage } from "../http/page.ts";
import { createByteCache } from "../lib/byte-cache.ts";
import { filterParameters, hasFilters, readCatalogFilters } from "./filters/catalog-filters.ts";
import { getProduct } from "./get-product.ts";
import { type CatalogDeps, catalogCursorScope, listProducts } from "./list-products.ts";
import type { RenderedReply } from "./rendered-replies.ts";
import { CatalogPage, ProductReply } from "./schemas.ts";

/** Pages by the URL that asked for them. Their bytes are mostly those of `renderedReplies`. */
const PAGES_BY_URL_MAX_BYTES = 8 * 1024 * 1024;
/** A longer one is read each time: there is no end of ways to write a parameter. */
const KEPT_URL_MAX_CHARACTERS = 256;

export function catalogRoutes(app: FastifyInstance, deps: CatalogDeps): void {
  const pagesByUrl = createByteCache<RenderedReply>(PAGES_BY_URL_MAX_BYTES, ({ body }) => body.length);
  app.get("/v1/catalog", {
    config: {
      scope: "catalog:read",
      problems: ["invalid_request", "invalid_cursor"],
      conditional: true,
      direct: true,
    },
    schema: {
      operationId: "listCatalog",
      tags: ["Catalog"],
      summary: "List the catalog",
      description:
        "Returns a page of the products that the reseller can sell, by id, each with the reseller's price. Filters can be combined; a product must match all of them.",
      querystring: Type.Object({ ...pageParameters, ...filterParameters }),
      response: { 200: jsonReply("A page of products.", CatalogPage) },
    },
    handler: (request, reply) => {
      const caller = callerOf(request);
      // The same URL at the same revision is the same page: its parameters need no second reading.
      const url = `${caller.catalogRevision} ${caller.resellerId} ${caller.environment} ${request.url}`;
      const known = pagesByUrl.get(url);
      if (!known) return listPage(request, reply, caller, url);
      sendConditionally(request, reply, known);
      return undefined;
    },
  });

  const listPage = async (request: FastifyRequest, reply: FastifyReply, caller: Caller, url: string) => {
    const filters = readCatalogFilters(request);
    const page = readPage(request, deps.cursors, catalogCursorScope(caller, filters));
    const rendered = await listProducts(deps, caller, { ...page, filters }, serializerOf(reply));
    // A page with filters can be of no one revision.
    if (!hasFilters(filters) && request.url.length <= KEPT_URL_MAX_CHARACTERS) pagesByUrl.set(url, rendered);
    return sendConditionally(request, reply, rendered);
  };

  app.get<{ Params: { id: string } }>("/v1/products/:id", {
    config: { scope: "catalog:read", problems: ["not_found"], conditional: true, direct: true },
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
