import type { ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { askProxy, type EgressProxy } from "./ask-proxy.ts";

/** How an agent asks for a connection. */
export type CreateConnection = (
  options: ClientRequestArgs,
  callback?: (error: Error | null, stream: Duplex) => void,
) => undefined;

const CONNECT_TIMEOUT_MS = 5_000;
const HTTPS_PORT = 443;

/**
 * An agent's connections through a proxy: to an address that was just checked, with TLS inside, and a certificate that is
 * verified for the name. All of this happens within one timeout, before the connection is handed over.
 */
export function connectThroughProxy(
  proxy: EgressProxy,
  listJudged: (hostname: string) => Promise<readonly string[]>,
  timeoutMs: number = CONNECT_TIMEOUT_MS,
): CreateConnection {
  return (options, callback) => {
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(new ConnectTimedOut()), timeoutMs);
    const connected = async () => {
      const addresses = await listJudged(options.host ?? "");
      const socket = await askForFirst(proxy, addresses, Number(options.port ?? HTTPS_PORT), aborter.signal);
      return startTls(options as ConnectionOptions, socket, aborter.signal);
    };
    connected()
      .finally(() => clearTimeout(timer))
      .then(
        (stream) => callback?.(null, stream),
        // With an error, an agent takes no stream.
        (error) => (callback as ((error: Error) => void) | undefined)?.(error),
      );
    return undefined;
  };
}

class ConnectTimedOut extends Error {
  readonly code = "ETIMEDOUT";
  constructor() {
    super("timed out while connecting");
    this.name = "ConnectTimedOut";
  }
}

/** Tries one after another while there is time. Throws the last error. */
async function askForFirst(
  proxy: EgressProxy,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      return await askProxy(proxy, { address, port }, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function startTls(options: ConnectionOptions, socket: Socket, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // The agent's options hold the name to verify. The socket decides where to connect.
    const tls = connect({ ...options, socket, rejectUnauthorized: true });
    const giveUp = () => tls.destroy(signal.reason);
    const end = () => {
      signal.removeEventListener("abort", giveUp);
      tls.off("error", fail);
      tls.off("close", closed);
    };
    const fail = (error: Error) => {
      end();
      socket.destroy();
      reject(error);
    };
    const closed = () => fail(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    tls.once("error", fail);
    tls.once("close", closed);
    tls.once("secureConnect", () => {
      end();
      resolve(tls);
    });
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}
