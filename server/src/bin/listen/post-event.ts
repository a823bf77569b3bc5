import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

export type Posting = { url: string; headers: Readonly<Record<string, string>>; body: string };

/** The status of the response, or why there was none. */
export type PostOutcome = { status: number | undefined; error: string | undefined; latencyMs: number };

export type PostLimits = { connectMs: number; wallMs: number; readMaxBytes: number };

/** As for real deliveries (CONTRACT 6). */
const POST_LIMITS: PostLimits = { connectMs: 5_000, wallMs: 15_000, readMaxBytes: 16 * 1024 };

/**
 * One attempt, to any address. It never throws and ends within its time limit. Each attempt opens a new connection, because a
 * developer's server restarts often and would break kept connections.
 */
export async function postEvent(
  posting: Posting,
  signal: AbortSignal,
  limits: PostLimits = POST_LIMITS,
): Promise<PostOutcome> {
  const beganMs = performance.now();
  const outcome = await exchange(posting, signal, limits).then(
    (status) => ({ status, error: undefined }),
    (error) => ({ status: undefined, error: nameOf(error) }),
  );
  return { ...outcome, latencyMs: Math.round(performance.now() - beganMs) };
}

class TimedOut extends Error {
  readonly code: string;
  constructor(code: "connect_timeout" | "timeout") {
    super(code);
    this.code = code;
  }
}

function exchange({ url, headers, body }: Posting, signal: AbortSignal, limits: PostLimits): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? httpsRequest : httpRequest;
    const sent = request(url, {
      method: "POST",
      agent: false,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      signal,
    });
    const wall = setTimeout(() => {
      // Before the reader of the response sees that it was cut.
      reject(new TimedOut("timeout"));
      sent.destroy();
    }, limits.wallMs);
    watchConnection(sent, limits.connectMs);
    sent.on("error", reject);
    // Also after a response, when it changes nothing; and after a protocol switch, which is not a response.
    sent.on("close", () => {
      clearTimeout(wall);
      reject(Object.assign(new Error("closed without a response"), { code: "ECONNRESET" }));
    });
    sent.on("response", (response) => {
      readToEnd(response, limits.readMaxBytes).then(() => resolve(response.statusCode ?? 0), reject);
    });
    sent.end(body);
  });
}

function watchConnection(sent: ClientRequest, connectMs: number): void {
  sent.on("socket", (socket) => {
    const timer = setTimeout(() => sent.destroy(new TimedOut("connect_timeout")), connectMs);
    const isTls = "encrypted" in socket;
    socket.once(isTls ? "secureConnect" : "connect", () => clearTimeout(timer));
    socket.once("close", () => clearTimeout(timer));
  });
}

async function readToEnd(response: IncomingMessage, readMaxBytes: number): Promise<void> {
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The response is complete enough; leaving the loop ends the connection.
    if (size > readMaxBytes) return;
  }
}

const KNOWN_ERRORS: Readonly<Record<string, string>> = {
  connect_timeout: "connect_timeout",
  timeout: "timeout",
  ABORT_ERR: "stopped",
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  ETIMEDOUT: "connect_timeout",
  ENOTFOUND: "name_not_found",
  EAI_AGAIN: "name_not_found",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
};

/** An error class, as for real deliveries. The message can quote the address, so it is not used. */
function nameOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = KNOWN_ERRORS[code];
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "bad_response";
  return /^ERR_(?:TLS|SSL)|CERT|ISSUER|SIGNATURE|CHAIN/.test(code) ? "tls_error" : "connection_failed";
}
