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
  /** What is wrong with a credential that no reading of the database is needed to see. */
  explain?(request: FastifyRequest): string | undefined;
};

export const NO_KEY = "Send an API key in the X-API-Key header, or as Authorization: Bearer.";

/** One answer for unknown, expired and revoked credentials, so that trying reveals nothing. */
export const unauthenticated = (
  detail = "The API key is not valid. It is unknown, expired or revoked.",
): Problem =>
  new Problem("unauthenticated", detail, {
    headers: { "www-authenticate": 'Bearer realm="scrip"' },
  });

/** A header's text. A duplicate header is joined, so that it matches nothing. */
export const headerText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(",") : header;
