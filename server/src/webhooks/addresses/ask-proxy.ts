import { request } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Secret } from "../../lib/secret.ts";

export type EgressProxy = {
  url: Secret<string>;
  /** Which of this machine's addresses the connection to the proxy leaves from. */
  localAddress?: string | undefined;
};

/**
 * The proxy cannot be reached or refuses us. That is our own fault and not the endpoint's, so the error has the code of a
 * network that is down.
 */
export class ProxyUnavailable extends Error {
  readonly code = "ENETDOWN";
  constructor(reason: string, cause?: unknown) {
    super(`the webhook proxy ${reason}`, { cause });
    this.name = "ProxyUnavailable";
  }
}

/** The proxy could not reach the address. */
export class ProxyUnreached extends Error {
  readonly code = "EHOSTUNREACH";
  constructor(status: number) {
    super(`the webhook proxy answered ${status}`);
    this.name = "ProxyUnreached";
  }
}

/** What proxies answer when the other side failed. */
const UNREACHED_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** A connection through the proxy to one address that was checked before. The proxy never sees a name. */
export function askProxy(
  { url, localAddress }: EgressProxy,
  { address, port }: { address: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  if (isIP(address) === 0) throw new RangeError("a proxy can only be asked for IP addresses");
  const { hostname, port: proxyPort, username, password } = new URL(url.reveal());
  const target = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      method: "CONNECT",
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: proxyPort === "" ? 80 : Number(proxyPort),
      path: target,
      headers: {
        host: target,
        ...(username === ""
          ? {}
          : { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` }),
      },
      agent: false,
      signal,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    asked.on("connect", ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) {
        resolve(socket as Socket);
        return;
      }
      socket.destroy();
      reject(
        UNREACHED_STATUSES.has(statusCode)
          ? new ProxyUnreached(statusCode)
          : new ProxyUnavailable(`refused with ${statusCode}`),
      );
    });
    asked.on("response", (response) => {
      response.destroy();
      reject(new ProxyUnavailable("does not support CONNECT"));
    });
    let isAsked = false;
    asked.on("finish", () => {
      isAsked = true;
    });
    // A proxy that was asked and is silent is waiting for the other side.
    asked.on("error", (error) =>
      reject(signal.aborted && isAsked ? signal.reason : new ProxyUnavailable("cannot be reached", error)),
    );
    asked.end();
  });
}
