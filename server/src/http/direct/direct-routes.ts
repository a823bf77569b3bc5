import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { FastifyInstance, RouteOptions } from "fastify";
import { lazily } from "../../lib/lazily.ts";
import { validateQuery } from "../query.ts";
import { compileCheck } from "../validate-requests.ts";
import type { DirectRoute } from "./direct-reply.ts";
import type { Head } from "./read-head.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Plain requests of this route are answered without Fastify; see `http/direct/serve-directly`. */
    direct?: boolean;
  }
}

export type Found = { route: DirectRoute; params: Record<string, string>; query: Record<string, string> };

export type DirectRoutes = {
  /** The route of a request and its parameters, or undefined if Fastify has to look. */
  find(head: Head): Found | undefined;
};

/** Collects the routes that are registered from now on and declare `direct`. */
export function collectDirectRoutes(
  app: FastifyInstance,
  namedSchemas: ReadonlyMap<string, object>,
): DirectRoutes {
  const fixed = new Map<string, DirectRoute | undefined>();
  const byFolder = new Map<string, { route: DirectRoute; parameter: string }>();
  const compile = lazily(() =>
    SerializerSelector()(Object.fromEntries(namedSchemas), {}),
  ) as unknown as Compile;
  app.addHook("onRoute", (options) => {
    const route = options.config?.direct === true ? toDirect(options, compile) : undefined;
    for (const method of [options.method].flat()) {
      const [, folder, parameter] = /^(.*\/):(\w+)$/.exec(options.url) ?? [];
      if (folder === undefined || parameter === undefined) fixed.set(`${method} ${options.url}`, route);
      else if (route) byFolder.set(`${method} ${folder}`, { route, parameter });
    }
  });
  return {
    find({ method, path, query }) {
      const target = `${method} ${path}`;
      const asked = query === "" ? NO_QUERY : readQuery(query);
      if (asked === undefined) return undefined;
      const route = fixed.get(target);
      if (route) return { route, params: NO_PARAMS, query: asked };
      if (fixed.has(target)) return undefined;
      const split = target.lastIndexOf("/") + 1;
      const found = byFolder.get(target.slice(0, split));
      const value = target.slice(split);
      return found && value !== ""
        ? { route: found.route, params: { [found.parameter]: value }, query: asked }
        : undefined;
    },
  };
}

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));
const NO_QUERY: Record<string, string> = Object.freeze(Object.create(null));

type Compile = (route: { schema: object; method: string; url: string; httpStatus: string }) => Serialize;
type Serialize = (value: unknown) => string;
type Declared = { content?: Record<string, { schema: object }> };

function toDirect(options: RouteOptions, compile: Compile): DirectRoute {
  const { url, schema, handler, preValidation, preHandler } = options;
  if (preValidation || preHandler) throw new Error(`${url} has hooks that a direct route does not run`);
  if (!options.onRequest) throw new Error(`${url} has no guard yet; collect direct routes behind it`);
  const declared = (schema?.response ?? {}) as Record<string, Declared>;
  const serializers = new Map(
    Object.entries(declared).map(([status, { content }]) => [
      status,
      lazily(() =>
        compile({
          schema: content?.["application/json"]?.schema ?? {},
          method: String(options.method),
          url,
          httpStatus: status,
        }),
      ),
    ]),
  );
  return {
    url,
    onRequest: [options.onRequest ?? []].flat() as unknown as DirectRoute["onRequest"],
    checkQuery: validateQuery((schema?.querystring ?? {}) as object),
    checkBody: schema?.body === undefined ? undefined : compileCheck(schema.body as object),
    handler: handler as unknown as DirectRoute["handler"],
    serializerOf(status) {
      const serialize = serializers.get(status);
      if (!serialize) throw new Error(`${url} declares no JSON reply with status ${status}`);
      return serialize;
    },
    onResponse: [options.onResponse ?? []].flat() as unknown as DirectRoute["onResponse"],
  };
}

/** Parameters of a query without escapes. Undefined if one is repeated or has no `=`. */
function readQuery(text: string): Record<string, string> | undefined {
  const query: Record<string, string> = Object.create(null);
  for (const pair of text.split("&")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    if (at <= 0 || name in query || pair.includes("=", at + 1)) return undefined;
    query[name] = pair.slice(at + 1);
  }
  return query;
}
