import type { FastifyRequest } from "fastify";
import { Problem } from "../lib/problem.ts";
import type { Caller } from "./caller.ts";

/**
 * One way to identify the caller, such as an API key. The first authenticator that recognizes a request decides: a
 * request with an invalid key is refused, even if something else in it would be accepted.
 */
export type Authenticator = {
  /** Whether the request presents this kind of credential, valid or not. */
  recognizes(request: FastifyRequest): boolean;
  /** Identifies the caller with a read that starts after the request did. `request.callerAddress` is already set. */
  authenticate(request: FastifyRequest): Promise<Caller | undefined>;
};

/** The same body for every reason, so that trying reveals nothing. */
export const unauthenticated = (): Problem =>
  new Problem("unauthenticated", "Send a valid API key in the X-API-Key header.", {
    headers: { "www-authenticate": 'Bearer realm="scrip"' },
  });

/** A header's text. A duplicate header is joined, so that it matches nothing. */
export const headerText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(",") : header;
