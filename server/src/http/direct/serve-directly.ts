import type { Server } from "node:http";
import type { Clock } from "../../lib/clock.ts";
import { type Ids, idsOf } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { ProblemDeps } from "../send-problem.ts";
import type { Unroutable } from "../unroutable.ts";
import { answerDirectly } from "./answer-directly.ts";
import { createReply } from "./direct-reply.ts";
import { createRequest } from "./direct-request.ts";
import type { DirectRoutes, Found } from "./direct-routes.ts";
import { type Connection, type Connections, keepConnections } from "./keep-connections.ts";
import { type Head, readHead } from "./read-head.ts";

export type DirectDeps = {
  routes: DirectRoutes;
  problems: ProblemDeps;
  unroutable: Unroutable;
  clock: Clock;
  log: Log;
};

type Serving = DirectDeps & {
  ids: Ids;
  connections: Connections;
};

/** Requests that a caller may send ahead. Then it has to wait for replies. */
const AHEAD_MAX_BYTES = 64 * 1024;

/**
 * Answers plain requests of direct routes on the connections themselves, because the objects that Node.js and Fastify make for
 * a request cost more than an order does. A connection stays here while each of its requests is plain and for a direct route.
 * With the first one that is not, it is handed over to Node.js for good, with everything that has arrived.
 */
export function serveDirectly(server: Server, deps: DirectDeps): void {
  const connections = keepConnections(server, (socket) => {
    const brokenOff = Object.assign(new Error("no whole request arrived"), { code: "HPE_INVALID_EOF_STATE" });
    deps.unroutable.answerUnreadable(brokenOff, socket);
  });
  const serving: Serving = { ...deps, ids: idsOf(deps.clock), connections };
  connections.onData((connection, chunk) => {
    connection.rest = connection.rest === undefined ? chunk : Buffer.concat([connection.rest, chunk]);
    if (connection.state !== "busy") takeNext(serving, connection);
    if (connection.state === "busy" && !isReadFrom(connection)) connection.socket.pause();
  });
}

/** Answers the first request that has arrived, if it can be answered here. */
function takeNext(serving: Serving, connection: Connection): void {
  const { rest } = connection;
  if (rest === undefined) return;
  const head = readHead(rest);
  const found = head && serving.routes.find(head);
  if (found && rest.length >= head.bodyEnd) {
    connection.state = "busy";
    connection.rest = rest.length === head.bodyEnd ? undefined : rest.subarray(head.bodyEnd);
    answer(serving, connection, { head, found, body: bodyOf(rest, head) }).catch((err: unknown) => {
      serving.log.error({ err }, "a request was not answered");
      connection.socket.destroy();
    });
  } else if (connection.hasEnded) {
    if (found) serving.connections.breakOff(connection);
    else connection.socket.destroySoon();
  } else if (found && connection.state !== "body") {
    // Many clients send a body right behind its head. One that sends it bit by bit is Node.js's to wait for.
    connection.state = "body";
    connection.sinceMs = performance.now();
  } else serving.connections.handOver(connection);
}

const bodyOf = (bytes: Buffer, { bodyStart, bodyEnd }: Head): Buffer | undefined =>
  bodyEnd === bodyStart ? undefined : bytes.subarray(bodyStart, bodyEnd);

async function answer(
  serving: Serving,
  connection: Connection,
  { head, found, body }: { head: Head; found: Found; body: Buffer | undefined },
): Promise<void> {
  const { socket } = connection;
  const id = serving.ids("req");
  const request = createRequest(id, head, found, socket, serving.log);
  const reply = createReply(connection, found.route, id);
  await answerDirectly(serving.problems, found.route, request, reply, body);
  // The caller is gone, or the reply could not be written: an error that is told in a moment closes the connection.
  if (!socket.writable) return;
  if (socket.writableNeedDrain && !connection.isLast()) socket.once("drain", () => goOn(serving, connection));
  else goOn(serving, connection);
}

function goOn(serving: Serving, connection: Connection): void {
  const { socket } = connection;
  connection.state = "idle";
  connection.sinceMs = performance.now();
  if (connection.isLast()) {
    socket.destroySoon();
    return;
  }
  takeNext(serving, connection);
  if (socket.isPaused() && isReadFrom(connection)) socket.resume();
}

/** A caller that does not wait for replies is not read from. One that was handed over is not ours to read from. */
const isReadFrom = ({ state, rest }: Connection): boolean =>
  state !== "gone" && (state !== "busy" || rest === undefined || rest.length <= AHEAD_MAX_BYTES);
