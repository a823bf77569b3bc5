import type { Server } from "node:http";
import type { Socket } from "node:net";
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS } from "../server/limits.ts";

/** A connection that is not Node.js's yet. */
export type Connection = {
  readonly socket: Socket;
  /** What has arrived behind the requests that were answered or are being answered. */
  rest: Buffer | undefined;
  /** `new`: nothing has arrived yet. `body`: the head of a request is there, and not all of its body. `gone`: not kept here. */
  state: "new" | "idle" | "body" | "busy" | "gone";
  /** Since when it is in this state. A busy one is not watched. */
  sinceMs: number;
  /** The caller will send nothing more. */
  hasEnded: boolean;
  /** Whether the connection ends with the reply that is sent now. */
  readonly isLast: () => boolean;
};

export type Connections = {
  onData(listen: (connection: Connection, chunk: Buffer) => void): void;
  /** Gives the connection to Node.js, with what has arrived and was not answered. */
  handOver(connection: Connection): void;
  /** Ends a connection whose caller has left in the middle of a request. */
  breakOff(connection: Connection): void;
};

const SWEEP_EVERY_MS = 1_000;
/** How long the rest of a body is waited for before Node.js waits for it. */
const BODY_PATIENCE_MS = 1_000;
/** How long a new connection may take to send something once the server is closing. */
const LAST_PATIENCE_MS = 1_000;

/**
 * Takes the connections of a server before Node.js does, and keeps its limits: a new connection has to send something, an idle one is
 * closed after a while, and a server that closes waits only for requests in progress or on their way.
 */
export function keepConnections(server: Server, onBrokenOff: (socket: Socket) => void): Connections {
  const [giveToNode] = server.listeners("connection") as ((this: Server, socket: Socket) => void)[];
  if (!giveToNode) throw new Error("the server does not listen for connections");
  const kept = new Map<Connection, Listeners>();
  let listen: (connection: Connection, chunk: Buffer) => void = () => {};

  const release = (connection: Connection): void => {
    const listeners = kept.get(connection);
    connection.state = "gone";
    kept.delete(connection);
    if (!listeners) return;
    for (const [name, listener] of Object.entries(listeners)) connection.socket.off(name, listener);
  };

  const breakOff = (connection: Connection): void => {
    release(connection);
    onBrokenOff(connection.socket);
  };

  const handOver = (connection: Connection): void => {
    const { socket, rest } = connection;
    // Node.js would wait for the end of a connection that has ended.
    if (socket.destroyed) return;
    release(connection);
    socket.pause();
    if (rest !== undefined) socket.unshift(rest);
    giveToNode.call(server, socket);
    socket.resume();
  };

  server.removeListener("connection", giveToNode);
  server.on("connection", (socket) => {
    const connection: Connection = {
      socket,
      rest: undefined,
      state: "new",
      sinceMs: performance.now(),
      hasEnded: false,
      // A server that is closing closes each connection with its next reply.
      isLast: () => !server.listening || (connection.hasEnded && connection.rest === undefined),
    };
    const listeners: Listeners = {
      data: (chunk) => listen(connection, chunk),
      end: () => {
        connection.hasEnded = true;
        if (connection.state === "body") breakOff(connection);
        // It stays here until it is closed: what was written to it may not have gone out yet, and can still fail.
        else if (connection.state !== "busy") socket.end();
      },
      error: () => socket.destroy(),
      close: () => kept.delete(connection),
    };
    kept.set(connection, listeners);
    for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
  });

  const patienceMs = (): number => (server.listening ? HEADERS_TIMEOUT_MS : LAST_PATIENCE_MS);
  const sweep = (): void => {
    const nowMs = performance.now();
    for (const connection of kept.keys()) {
      const waitedMs = nowMs - connection.sinceMs;
      if (connection.state === "body" && waitedMs >= BODY_PATIENCE_MS) handOver(connection);
      else if (connection.state === "idle" && waitedMs >= KEEP_ALIVE_TIMEOUT_MS) connection.socket.destroy();
      // There is nothing to respond to. A response could be taken for that to a request which is just being sent.
      else if (connection.state === "new" && waitedMs >= patienceMs()) connection.socket.destroy();
    }
  };
  // After what has arrived meanwhile was read.
  const sweeping = setInterval(() => setImmediate(sweep), SWEEP_EVERY_MS).unref();
  server.once("close", () => clearInterval(sweeping));
  closeWith(server, kept);
  return {
    onData(listener) {
      listen = listener;
    },
    handOver,
    breakOff,
  };
}

type Listeners = {
  data: (chunk: Buffer) => void;
  end: () => void;
  error: () => void;
  close: () => void;
};

/** The server counts these connections but does not know them, so it cannot close them. */
function closeWith(server: Server, kept: ReadonlyMap<Connection, Listeners>): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const { state, socket } of kept.keys()) if (state === "idle") socket.destroy();
  };
  server.closeAllConnections = () => {
    closeAll();
    for (const { socket } of kept.keys()) socket.destroy();
  };
}
