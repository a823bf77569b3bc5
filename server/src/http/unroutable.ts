import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { newId } from "../lib/ids.ts";
import { Problem, problemBody } from "../lib/problem.ts";
import { PROBLEM_TYPE, type ProblemDeps } from "./send-problem.ts";

/** Answers what Node would answer by itself, bare and without a request id, or not at all. */
export type Unroutable = {
  /** A request that Node's parser could not read. */
  answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void;
  watch(server: Server): void;
};

/** The replies of one connection that are not finished, in the order of their requests. */
type OpenReplies = ServerResponse<IncomingMessage>[];

export function createUnroutable(deps: ProblemDeps): Unroutable {
  const openReplies = new WeakMap<Duplex, OpenReplies>();
  const given = new WeakSet<Duplex>();

  return {
    answerUnreadable(error, socket) {
      if (given.has(socket)) return;
      given.add(socket);
      if (error.code === "ECONNRESET" || !socket.writable) {
        socket.destroy();
        return;
      }
      const detail = UNREADABLE[error.code ?? ""] ?? "The request is not valid HTTP.";
      afterOpenReplies(openReplies.get(socket) ?? [], {
        answer: () => endWithProblem(deps, socket, detail),
        close: () => socket.end(),
      });
    },
    watch(server) {
      server.on("request", (_request, reply) => trackReply(openReplies, reply));
      // An expectation that we do not know may be ignored (RFC 9110, 10.1.1).
      server.on("checkExpectation", (request, reply) => server.emit("request", request, reply));
      server.on("connect", (_request, socket) => endWithProblem(deps, socket, "This server is not a proxy."));
    },
  };
}

/** HTTP/1.1 wants exactly one Host (RFC 9112, 3.2). Headers that stand twice arrive joined by a comma. */
export function refuseBadHosts(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    const { host } = raw.headers;
    const bad = host === undefined ? raw.httpVersion === "1.1" : host.includes(",");
    done(bad ? new Problem("invalid_request", "Send the Host header, once.") : undefined);
  });
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The request's headers are too large.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
};

function trackReply(openReplies: WeakMap<Duplex, OpenReplies>, reply: ServerResponse): void {
  const { socket } = reply.req;
  const open = openReplies.get(socket) ?? [];
  open.push(reply);
  openReplies.set(socket, open);
  reply.once("close", () => void open.splice(open.indexOf(reply), 1));
}

/**
 * Requests that were read whole are answered first: on a connection answers are told apart by their order alone, and
 * a 400 that went ahead would be taken for the answer to an order that was placed.
 */
function afterOpenReplies(
  open: Readonly<OpenReplies>,
  { answer, close }: { answer: () => void; close: () => void },
): void {
  const broken = open.find((reply) => !reply.req.complete);
  const finish = broken?.headersSent ? close : answer;
  const ahead = open.filter((reply) => reply.req.complete).at(-1);
  if (ahead) ahead.once("close", finish);
  else finish();
}

/** There is no route and no reply, so the answer goes straight to the connection, which ends with it. */
function endWithProblem(deps: ProblemDeps, socket: Duplex, detail: string): void {
  if (!socket.writable) return;
  const requestId = newId("req");
  const body = JSON.stringify(problemBody(new Problem("invalid_request", detail), deps.baseUrl(), requestId));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${PROBLEM_TYPE}\r\nX-Request-Id: ${requestId}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
