import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyRequest } from "fastify";
import { systemClock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { Problem, problemBody } from "../lib/problem.ts";
import { NO_SNIFF } from "./bare-app.ts";
import { lingeringEnd } from "./lingering-end.ts";
import { PROBLEM_TYPE, type ProblemDeps } from "./send-problem.ts";

/** Responds where Node.js would respond without a request id, or not at all. */
export type Unroutable = {
  /** A request that Node.js's parser could not read. */
  answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void;
  watch(server: Server): void;
};

/** The unfinished replies of one connection, in request order. */
type OpenReplies = ServerResponse<IncomingMessage>[];

export function createUnroutable(deps: ProblemDeps): Unroutable {
  const openReplies = new WeakMap<Duplex, OpenReplies>();
  const ending = new WeakSet<Duplex>();

  /**
   * Answers complete requests first. Responses on a connection are matched by order alone, so a 400 sent early could
   * be taken as the response to an order that was placed.
   */
  const endWithProblem = (socket: Duplex, detail: string) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    // Nobody else listens by now: Node.js does not behind a CONNECT. An error that nobody hears would end the process.
    socket.on("error", () => socket.destroy());
    if (!socket.writable) return;
    // The latest request is the one that broke off, if any. It may have been answered before its body arrived.
    const latest = openReplies.get(socket)?.at(-1);
    const isAnswered = latest?.headersSent === true && !latest.req.complete;
    const end = () => lingeringEnd(socket, isAnswered ? "" : rawProblem(deps, detail));
    const ahead = openRepliesOf(openReplies, socket).findLast((reply) => reply.req.complete);
    if (ahead) ahead.once("close", end);
    else end();
  };

  return {
    answerUnreadable(error, socket) {
      if (error.code === "ECONNRESET") socket.destroy();
      else endWithProblem(socket, UNREADABLE[error.code ?? ""] ?? "The request is not valid HTTP.");
    },
    watch(server) {
      server.on("request", (_request, reply) => trackReply(openReplies, reply));
      server.on("checkContinue", (request, reply) => {
        // Node.js would write the 100 of a queued request into the middle of another response. The 100 is optional.
        if (openRepliesOf(openReplies, request.socket).length === 0) reply.writeContinue();
        server.emit("request", request, reply);
      });
      // An unknown expectation can be ignored (RFC 9110, 10.1.1).
      server.on("checkExpectation", (request, reply) => server.emit("request", request, reply));
      server.on("connect", (_request, socket) => endWithProblem(socket, "This server is not a proxy."));
    },
  };
}

/** HTTP/1.1 requires exactly one Host (RFC 9112, 3.2). Duplicate headers arrive joined by a comma. */
export function findBadHost({ raw }: FastifyRequest): Problem | undefined {
  const { host } = raw.headers;
  const bad = host === undefined ? raw.httpVersion === "1.1" : host.includes(",");
  return bad ? new Problem("invalid_request", "Send exactly one Host header.") : undefined;
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The request headers are too large.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
};

/** There is no route and no reply, so the response is written to the socket. */
function rawProblem(deps: ProblemDeps, detail: string): string {
  const requestId = idsOf(systemClock)("req");
  const body = JSON.stringify(problemBody(new Problem("invalid_request", detail), deps.baseUrl(), requestId));
  return (
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${PROBLEM_TYPE}\r\nX-Request-Id: ${requestId}\r\n` +
    `${NO_SNIFF.join(": ")}\r\n` +
    `Cache-Control: no-store\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/**
 * Finished replies are dropped when the next request arrives. A listener on each would add cost to every request.
 */
function trackReply(openReplies: WeakMap<Duplex, OpenReplies>, reply: ServerResponse): void {
  const { socket } = reply.req;
  const open = openReplies.get(socket);
  if (open === undefined) {
    openReplies.set(socket, [reply]);
    return;
  }
  if (open.every(isClosed)) open.length = 0;
  open.push(reply);
}

const isClosed = (reply: ServerResponse): boolean => reply.writableFinished || reply.closed;

const openRepliesOf = (openReplies: WeakMap<Duplex, OpenReplies>, socket: Duplex): OpenReplies =>
  (openReplies.get(socket) ?? []).filter((reply) => !isClosed(reply));
