import type { FastifyInstance, RouteOptions } from "fastify";
import type { ProblemCode } from "../../lib/problem-table.ts";
import type { RequiredScope } from "../caller.ts";
import { apiInfo, securitySchemes, tags } from "./info.ts";
import { problemResponses, problemSchema } from "./problems.ts";
import { describeParameters, type JsonSchema, plainRefs, replyHeaders } from "./schemas.ts";

declare module "fastify" {
  interface FastifySchema {
    operationId?: string;
    tags?: readonly string[];
    summary?: string;
    description?: string;
  }
  interface FastifyContextConfig {
    /** The problems that this route can return in addition to the common ones. */
    problems?: readonly ProblemCode[];
    /** Whether the response has an ETag and the route supports If-None-Match. */
    conditional?: boolean;
  }
}

export type OpenApiDocument = {
  openapi: string;
  info: object;
  servers: { url: string; description?: string }[];
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
  [member: string]: unknown;
};

const DOCUMENTED_SERVER = "http://localhost:8080";

/**
 * Collects the routes registered after this call. The returned function builds the document from them and from the
 * requests that the server sends.
 */
export function collectApi(
  app: FastifyInstance,
  namedSchemas: ReadonlyMap<string, object>,
  webhooks: Readonly<Record<string, object>>,
): () => OpenApiDocument {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    // A route with an operationId is part of the API. HEAD routes come with their GETs.
    if (route.schema?.operationId !== undefined && route.method !== "HEAD") routes.push(route);
  });
  return () => ({
    openapi: "3.1.0",
    info: apiInfo,
    servers: [
      { url: DOCUMENTED_SERVER, description: "A server on your own machine, started with `npm start`." },
    ],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags,
    paths: describePaths(routes),
    webhooks,
    components: {
      schemas: sorted({ ...Object.fromEntries([...namedSchemas].map(componentOf)), Problem: problemSchema }),
      securitySchemes,
    },
  });
}

/** Serves the document with this server's public URL. */
export function serveApi(app: FastifyInstance, document: () => OpenApiDocument, baseUrl: () => string): void {
  app.get("/openapi.json", async (_request, reply) => {
    reply.header("access-control-allow-origin", "*");
    return { ...document(), servers: [{ url: baseUrl() }] };
  });
}

function describePaths(routes: readonly RouteOptions[]): OpenApiDocument["paths"] {
  const paths: OpenApiDocument["paths"] = {};
  for (const route of routes.toSorted((one, other) => tagOf(one) - tagOf(other))) {
    const path = route.url.replaceAll(/:(\w+)/g, "{$1}");
    const methods = paths[path] ?? {};
    methods[String(route.method).toLowerCase()] = describeOperation(route);
    paths[path] = methods;
  }
  return paths;
}

/** Readers meet the operations in the order of the tags, and below each in the order in which they were registered. */
const tagOf = ({ schema }: RouteOptions): number => tags.findIndex(({ name }) => name === schema?.tags?.[0]);

function scopeText(scope: RequiredScope | undefined): string | undefined {
  if (scope === "any") return "Needs a valid key. Its scopes do not matter.";
  return scope && `Needs the scope \`${scope}\`.`;
}

function describeOperation(route: RouteOptions): object {
  const { schema = {}, config = {} } = route;
  const parameters = [
    ...describeParameters("path", schema.params as JsonSchema | undefined),
    ...describeParameters("query", schema.querystring as JsonSchema | undefined),
    ...describeParameters("header", schema.headers as JsonSchema | undefined),
    ...(config.scope && !hasOwnScenario(schema) ? [testScenario] : []),
    ...(config.conditional ? [ifNoneMatch] : []),
  ];
  return {
    operationId: schema.operationId,
    tags: schema.tags,
    summary: schema.summary,
    description: [schema.description, scopeText(config.scope)].filter(Boolean).join("\n\n"),
    ...(config.scope ? {} : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(schema.body ? { requestBody: describeBody(schema.body as JsonSchema) } : {}),
    responses: {
      ...describeSuccesses(route),
      ...(config.conditional ? { "304": notModified } : {}),
      ...problemResponses(config.problems ?? [], {
        needsKey: config.scope !== undefined,
        takesBody: schema.body !== undefined,
      }),
    },
  };
}

const describeBody = (schema: JsonSchema): object => ({
  required: schema["x-optional"] !== true,
  content: { "application/json": { schema: plainRefs(schema) } },
});

function describeSuccesses({ schema, config }: RouteOptions): Record<string, object> {
  const responses = (schema?.response ?? {}) as Record<string, JsonSchema>;
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      {
        ...(plainRefs(response) as object),
        headers: {
          ...replyHeaders(config?.conditional ?? false, config?.scope !== undefined),
          ...(response.headers as object | undefined),
        },
      },
    ]),
  );
}

/** The scenarios of a placement are documented with placements. */
const hasOwnScenario = ({ headers }: { headers?: unknown }): boolean =>
  Object.hasOwn((headers as JsonSchema | undefined)?.properties ?? {}, TEST_SCENARIO);

const TEST_SCENARIO = "X-Test-Scenario";

const testScenario = {
  name: TEST_SCENARIO,
  in: "header",
  required: false,
  description:
    "Test keys only: `rate_limited`, `internal_error` or `service_unavailable` returns that error. Ignored for live keys.",
  schema: { type: "string" },
};

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.",
  schema: { type: "string" },
};

const notModified = {
  description: "Nothing has changed since the response whose `ETag` was sent in `If-None-Match`.",
  headers: replyHeaders(true, true),
};

function componentOf([name, schema]: [string, object]): [string, object] {
  const { $id: _, ...rest } = schema as JsonSchema;
  return [name, plainRefs(rest) as object];
}

const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
