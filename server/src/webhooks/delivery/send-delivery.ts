import type { ClientRequest, IncomingMessage } from "node:http";
import { type Agent, request } from "node:https";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { TLSSocket } from "node:tls";
import type { IpRange } from "../../lib/ip.ts";
import { AddressRefused, mayReach, refuseUnchecked } from "../addresses/checked-agent.ts";
import { parseWebhookUrl } from "../addresses/webhook-url.ts";
import { keepAnswerHeaders } from "./answer-headers.ts";
import { parseRetryAfter } from "./retry-schedule.ts";

export type Sending = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export type SendDeps = {
  agent: Agent;
  allowNetworks: readonly IpRange[];
  limits?: Partial<SendLimits>;
};

/** How an attempt went. Our own faults do not count against an endpoint. */
export type SendOutcome = {
  kind: "delivered" | "failed" | "own-fault";
  responseStatus: number | null;
  error: string | null;
  responseHeaders: string | null;
  responseBody: string | null;
  latencyMs: number;
  retryAfterMs: number | undefined;
};

export type SendLimits = { connectMs: number; wallMs: number; readMaxBytes: number; keptMaxBytes: number };

const SEND_LIMITS: SendLimits = {
  connectMs: 5_000,
  wallMs: 15_000,
  readMaxBytes: 16 * 1024,
  keptMaxBytes: 4 * 1024,
};

/** One attempt. It ends within its time limit whatever the receiver does, and reads at most so much of the answer. */
export async function sendDelivery(deps: SendDeps, sending: Sending): Promise<SendOutcome> {
  const limits = { ...SEND_LIMITS, ...deps.limits };
  const beganMs = performance.now();
  const finish = (outcome: Partial<SendOutcome>): SendOutcome => ({
    kind: "failed",
    responseStatus: null,
    error: null,
    responseHeaders: null,
    responseBody: null,
    retryAfterMs: undefined,
    ...outcome,
    latencyMs: Math.round(performance.now() - beganMs),
  });
  const parsed = parseWebhookUrl(sending.url, deps.allowNetworks);
  if (!parsed.ok) return finish({ error: "url_not_allowed" });
  if (isIP(parsed.hostname) && !mayReach(parsed.hostname, deps.allowNetworks))
    return finish({ error: "address_refused" });
  try {
    return finish(await exchangeAfresh(deps, sending, limits));
  } catch (error) {
    return finish(describe(error));
  }
}

/** The receiver can close a kept connection while it is idle. That is not a failure: a new connection is tried. */
async function exchangeAfresh(
  deps: SendDeps,
  sending: Sending,
  limits: SendLimits,
): Promise<Partial<SendOutcome>> {
  const connection = { wasReused: false };
  const beganMs = performance.now();
  try {
    return await exchange(deps, sending, limits, connection);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (!connection.wasReused || (code !== "ECONNRESET" && code !== "EPIPE")) throw error;
    const leftMs = Math.max(1, limits.wallMs - (performance.now() - beganMs));
    return exchange(deps, sending, { ...limits, wallMs: leftMs }, connection);
  }
}

class TimedOut extends Error {
  readonly code: string;
  constructor(code: "connect_timeout" | "timeout") {
    super(code);
    this.code = code;
  }
}

function exchange(
  deps: SendDeps,
  sending: Sending,
  limits: SendLimits,
  connection: { wasReused: boolean },
): Promise<Partial<SendOutcome>> {
  return new Promise((resolve, reject) => {
    const sent = request(sending.url, {
      method: "POST",
      agent: deps.agent,
      headers: { ...sending.headers, "content-length": Buffer.byteLength(sending.body) },
      rejectUnauthorized: true,
    });
    let isAnswered = false;
    // A request that is already destroyed emits nothing, so the time limit does not rely on it.
    const wall = setTimeout(() => {
      const late = new TimedOut("timeout");
      sent.destroy(late);
      reject(late);
    }, limits.wallMs);
    const end = () => clearTimeout(wall);
    watchConnection(sent, deps, limits);
    sent.on("socket", () => {
      connection.wasReused = sent.reusedSocket;
    });
    sent.on("error", (error) => {
      end();
      reject(error);
    });
    // A switch to another protocol ends the connection without an answer and without an error.
    sent.on("close", () => {
      if (isAnswered) return;
      end();
      reject(Object.assign(new Error("closed without an answer"), { code: "ECONNRESET" }));
    });
    // Interim answers are ignored, and a flood of them ends at the time limit.
    sent.on("response", (response) => {
      isAnswered = true;
      readAnswer(response, limits).then(
        (answer) => {
          end();
          resolve(answer);
        },
        (error) => {
          end();
          sent.destroy();
          reject(error);
        },
      );
    });
    sent.end(sending.body);
  });
}

/** A new connection has its own, shorter limit. Its address is checked before anything is written. */
function watchConnection(sent: ClientRequest, { allowNetworks }: SendDeps, { connectMs }: SendLimits): void {
  sent.on("socket", (socket) => {
    const tls = socket as TLSSocket;
    if (!tls.connecting && tls.encrypted && tls.authorized) return;
    const timer = setTimeout(() => sent.destroy(new TimedOut("connect_timeout")), connectMs);
    tls.once("connect", () => refuseUnchecked(tls, allowNetworks));
    tls.once("secureConnect", () => clearTimeout(timer));
    tls.once("close", () => clearTimeout(timer));
  });
}

async function readAnswer(response: IncomingMessage, limits: SendLimits): Promise<Partial<SendOutcome>> {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, Math.max(0, limits.keptMaxBytes - size)));
    size += chunk.length;
    if (size > limits.readMaxBytes) {
      // The answer is complete enough. The connection is not used again.
      response.destroy();
      break;
    }
  }
  const text = Buffer.concat(chunks).subarray(0, limits.keptMaxBytes).toString("utf8").replaceAll("\0", "");
  const isSuccess = status >= 200 && status < 300;
  return {
    kind: isSuccess ? "delivered" : "failed",
    responseStatus: status,
    responseHeaders: keepAnswerHeaders(response.rawHeaders),
    responseBody: text === "" ? null : text.slice(0, limits.keptMaxBytes),
    retryAfterMs: isSuccess ? undefined : parseRetryAfter(response.headers["retry-after"], new Date()),
  };
}

/** Codes of this machine's own faults. They do not count against an endpoint. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  "ENETDOWN",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
]);

const KNOWN_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  ETIMEDOUT: "connect_timeout",
  EHOSTUNREACH: "unreachable",
  HPE_HEADER_OVERFLOW: "bad_response",
};

function describe(error: unknown): Partial<SendOutcome> {
  // If several addresses were tried, it is our own fault only if each of them failed that way.
  if (error instanceof AggregateError) {
    const [first, ...others] = error.errors.map(describe);
    return [first, ...others].find((one) => one?.kind !== "own-fault") ?? first ?? {};
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENETUNREACH" && wantsMissingIpv6(error)) return { error: "unreachable" };
  if (OWN_FAULTS.has(code)) return { kind: "own-fault", error: "own_fault" };
  if (error instanceof AddressRefused || error instanceof TimedOut) return { error: code };
  const known = KNOWN_ERRORS[code];
  if (known !== undefined) return { error: known };
  if (code.startsWith("HPE_")) return { error: "bad_response" };
  const isTls =
    code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || /CERT|ISSUER|SIGNATURE|CHAIN/.test(code);
  return { error: isTls ? "tls_error" : "connection_failed" };
}

/** A machine without IPv6 can never reach an endpoint that has only IPv6 addresses. */
function wantsMissingIpv6(error: unknown): boolean {
  const address = error instanceof Error && "address" in error ? String(error.address) : "";
  if (!address.includes(":")) return false;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return !own.some((one) => one.family === "IPv6" && !one.internal && !one.address.startsWith("fe80"));
}
