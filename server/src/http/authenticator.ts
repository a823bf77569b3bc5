import type { FastifyRequest } from "fastify";
import { Problem } from "../lib/problem.ts";
import type { Caller } from "./caller.ts";

/**
 * One way to say who is asking, such as an API key. The first authenticator that recognizes what a request presents decides about
 * it: a request with a wrong key is refused, even if something else in it would be accepted.
 */
export type Authenticator = {
  /** Whether the request presents this kind of credential, valid or not. */
  recognizes(request: FastifyRequest): boolean;
  /** Who is asking, by a read that begins after the request did. `request.callerAddress` is known by then. */
  authenticate(request: FastifyRequest): Promise<Caller | undefined>;
};

/** One body for every reason, so that nothing can be learned by trying. */
export const unauthenticated = (): Problem =>
  new Problem("unauthenticated", "Send a valid API key in the X-API-Key header.", {
    headers: { "www-authenticate": 'Bearer realm="scrip"' },
  });

/** A header's text. One that came several times is joined, so that it matches nothing. */
export const headerText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(",") : header;
