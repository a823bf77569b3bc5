import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Log } from "../../lib/log.ts";
import type { Head } from "./read-head.ts";

/** What hooks and handlers use of a Fastify request, with the same meaning. */
export type DirectRequest = Pick<
  FastifyRequest,
  | "id"
  | "method"
  | "url"
  | "query"
  | "params"
  | "body"
  | "caller"
  | "callerAddress"
  | "requester"
  | "countAs"
  | "refusedKey"
  | "sentProblem"
> & {
  headers: IncomingHttpHeaders;
  raw: { socket: Socket; headers: IncomingHttpHeaders; rawHeaders: readonly string[]; complete: boolean };
  readonly log: Log;
};

/** No header was sent twice, so there is nothing that `headers` does not tell. */
const NO_RAW_HEADERS: readonly string[] = [];

type State = { serverLog: Log };

export function createRequest(
  id: string,
  { method, url, headers }: Head,
  { params, query }: { params: Record<string, string>; query: Record<string, string> },
  socket: Socket,
  log: Log,
): DirectRequest {
  const request: Mutable<DirectRequest> & State = Object.create(MEMBERS);
  request.id = id;
  request.method = method;
  request.url = url;
  request.headers = headers;
  request.params = params;
  request.query = query;
  request.body = undefined;
  request.caller = undefined;
  request.callerAddress = "";
  request.requester = undefined;
  request.countAs = undefined;
  request.refusedKey = undefined;
  request.sentProblem = undefined;
  request.raw = { socket, headers, rawHeaders: NO_RAW_HEADERS, complete: true };
  request.serverLog = log;
  return request;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const MEMBERS = {
  /** Few requests log anything by themselves. */
  get log(): Log {
    const { serverLog, id } = this as unknown as State & DirectRequest;
    return serverLog.child({ requestId: id });
  },
};
