import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { notFound, Problem } from "../lib/problem.ts";
import { type ProblemDeps, sendProblem } from "./send-problem.ts";

export type FindUnknownPath = (request: FastifyRequest) => Problem | undefined;

/**
 * Answers 404 for unknown paths, and 405 with `Allow` for known paths with another method. The returned check runs
 * before the body is read; otherwise Fastify would validate the body first.
 */
export function answerUnknownPaths(app: FastifyInstance, deps: ProblemDeps): FindUnknownPath {
  const routes: KnownRoute[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    // The page at `/` is for browsers. There is no operation of the API.
    if (url !== "/") routes.push({ segments: url.split("/"), methods: [method].flat() });
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(deps, unknownPath(routes, request), request, reply as FastifyReply),
  );
  return (request) => (request.is404 ? unknownPath(routes, request) : undefined);
}

type KnownRoute = { segments: readonly string[]; methods: readonly string[] };

function unknownPath(routes: readonly KnownRoute[], request: FastifyRequest): Problem {
  const allowed = allowedMethods(routes, pathOf(request));
  return allowed.length > 0 ? methodNotAllowed(request, allowed) : notFound();
}

/** The router also ends a path at `#`. */
const pathOf = (request: FastifyRequest): string => request.url.split(/[?#]/, 1)[0] ?? "";

function allowedMethods(routes: readonly KnownRoute[], path: string): string[] {
  const segments = path.split("/");
  const methods = routes
    .filter((route) => matches(route.segments, segments))
    .flatMap((route) => route.methods);
  return [...new Set(methods)].sort();
}

const matches = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, index) => (part.startsWith(":") ? segments[index] !== "" : part === segments[index]));

const methodNotAllowed = (request: FastifyRequest, allowed: readonly string[]): Problem =>
  new Problem("method_not_allowed", `${request.method} is not allowed here. Use ${allowed.join(" or ")}.`, {
    headers: { allow: allowed.join(", ") },
  });
