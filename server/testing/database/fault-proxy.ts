import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createStatementReader } from "./statement-reader.ts";

/**
 * `cut-before`: the connection is reset before the server gets the statement. `lose-answer`: the server runs the
 * statement, but its response is lost. `stall`: the statement is held until it is released. `stall-answer`: the
 * server runs the statement, and then nothing comes back.
 */
export type FaultKind = "cut-before" | "lose-answer" | "stall" | "stall-answer";

export type ArmedFault = {
  /** Settles when the fault has occurred. */
  struck: Promise<void>;
  /** Releases a stalled statement. */
  release(): void;
  /** It does not occur any more, unless it has. */
  disarm(): void;
};

export type FaultProxy = {
  /** The connection string to the same database through the proxy. */
  connectionString: string;
  /** Takes effect once, on the next matching statement on any connection. */
  arm(at: RegExp, kind: FaultKind): ArmedFault;
  /** Cuts every connection and refuses new ones, as during an outage. */
  goAway(): void;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

type Trap = {
  at: RegExp;
  kind: FaultKind;
  strike: () => void;
  released: Promise<void>;
};

/** A proxy between an app and PostgreSQL that injects a fault at a chosen statement. */
export async function startFaultProxy(connectionString: string): Promise<FaultProxy> {
  const url = new URL(connectionString);
  const target = { host: url.hostname, port: Number(url.port), noDelay: true };
  const traps: Trap[] = [];
  const open = new Set<Socket>();
  const findTrap = (statement: string): Trap | undefined => {
    const index = traps.findIndex(({ at }) => at.test(statement));
    return index === -1 ? undefined : traps.splice(index, 1)[0];
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    }
    join(client, upstream, findTrap);
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const goAway = () => {
    server.close();
    for (const socket of open) socket.resetAndDestroy();
  };

  await listen(0);
  const { port } = server.address() as AddressInfo;
  url.host = `127.0.0.1:${port}`;
  return {
    connectionString: url.href,
    arm(at, kind) {
      const struck = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const trap: Trap = { at, kind, strike: struck.resolve, released: released.promise };
      traps.push(trap);
      const disarm = (): void => {
        const index = traps.indexOf(trap);
        if (index !== -1) traps.splice(index, 1);
      };
      return { struck: struck.promise, release: released.resolve, disarm };
    },
    goAway,
    comeBack: () => listen(port),
    async close() {
      const closed = server.listening ? once(server, "close") : undefined;
      goAway();
      await closed;
    },
  };
}

/** Forwards bytes in both directions, message by message towards the server, until a trap applies. */
function join(client: Socket, upstream: Socket, findTrap: (statement: string) => Trap | undefined): void {
  const readMessages = createStatementReader();
  const held: Buffer[] = [];
  let onAnswer = (answer: Buffer): void => void client.write(answer);
  let isHeld = false;
  let isSilent = false;
  const cut = (): void => {
    client.resetAndDestroy();
    upstream.destroy();
  };
  const pass = (bytes: Buffer): void => void (isHeld ? held.push(bytes) : upstream.write(bytes));
  const flow = (): void => {
    isHeld = isSilent = false;
    for (const bytes of held.splice(0)) upstream.write(bytes);
  };
  const spring = (trap: Trap, bytes: Buffer): void => {
    if (trap.kind === "cut-before") {
      cut();
      trap.strike();
      return;
    }
    isSilent = trap.kind !== "lose-answer";
    if (trap.kind === "stall") {
      isHeld = true;
      void trap.released.then(flow);
      trap.strike();
    } else {
      onAnswer = () => {
        if (trap.kind === "lose-answer") cut();
        trap.strike();
      };
    }
    pass(bytes);
  };

  client.on("data", (chunk) => {
    for (const { bytes, statement } of readMessages(chunk)) {
      if (client.destroyed) return;
      const trap = statement === undefined ? undefined : findTrap(statement);
      if (trap) spring(trap, bytes);
      else pass(bytes);
    }
  });
  upstream.on("data", (chunk) => onAnswer(chunk));
  for (const socket of [client, upstream]) socket.on("error", () => {});
  // On a silent connection, neither side learns that the other has gone.
  upstream.on("close", () => void (isSilent || client.destroy()));
  client.on("close", () => void (isSilent || upstream.destroy()));
}
