import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export type RawReply = { status: number; headers: Readonly<Record<string, string>>; body: string };

export type Exchange = {
  replies: RawReply[];
  /** The bytes were an incomplete request, so we had to signal the end of input. */
  gaveUp: boolean;
};

export type ExchangeOptions = {
  /** One for each request in the bytes, because the response to HEAD has no body. */
  methods: readonly string[];
  /** Signals the end of input, as a client that breaks off does. */
  halfClose?: boolean;
  /** Closes the connection after sending, without reading the response. */
  leave?: boolean;
  /** Into how many pieces the bytes are split. */
  pieces?: number;
  /** How long to wait before signaling the end of input. */
  quietMs?: number;
};

const DEADLINE_MS = 15_000;
/** An incomplete request gets no response until its input ends. */
const QUIET_MS = 2_000;

/** Sends raw bytes and reads the response, which must be HTTP. Rejects if the server does not respond. */
export function exchange(port: number, bytes: Uint8Array, options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = Buffer.alloc(0);
    let gaveUp = false;
    const settle = () => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      socket.destroy();
      try {
        resolve({ replies: parseReplies(received, options.methods, true).replies, gaveUp });
      } catch (error) {
        reject(error);
      }
    };
    const deadline = setTimeout(() => {
      reject(new Error("the server did not respond"));
      settle();
    }, DEADLINE_MS);
    const quiet = setTimeout(() => {
      gaveUp = true;
      socket.end();
    }, options.quietMs ?? QUIET_MS);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (isAnswered(received, options.methods)) settle();
    });
    // A reset counts as an end: only what arrived before it matters.
    socket.on("error", settle);
    socket.on("close", settle);
    void writeInPieces(socket, bytes, options.pieces ?? 1).then(() => {
      if (options.leave) socket.resetAndDestroy();
      else if (options.halfClose) socket.end();
    });
  });
}

const PIECE_EVERY_MS = 5;

async function writeInPieces(socket: Socket, bytes: Uint8Array, pieces: number): Promise<void> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let start = 0; start < bytes.length; start += size) {
    if (start > 0) await wait(PIECE_EVERY_MS);
    if (socket.destroyed) return;
    await new Promise((resolve) => socket.write(bytes.subarray(start, start + size), resolve));
  }
}

/** Whether each request has its response. Invalid HTTP is reported when the connection has ended. */
function isAnswered(received: Buffer, methods: readonly string[]): boolean {
  try {
    const { replies, rest } = parseReplies(received, methods, false);
    return replies.length >= methods.length && rest === 0;
  } catch {
    return true;
  }
}

/** The complete responses, without interim ones. At the end of the connection nothing must be left over. */
export function parseReplies(
  received: Buffer,
  methods: readonly string[],
  atEnd: boolean,
): { replies: RawReply[]; rest: number } {
  const replies: RawReply[] = [];
  let rest = received;
  while (rest.length > 0) {
    const reply = parseReply(rest, methods[replies.length] ?? "GET");
    if (!reply) break;
    rest = rest.subarray(reply.length);
    if (reply.status >= 200) replies.push(reply);
  }
  if (atEnd && rest.length > 0) throw new Error(`not HTTP: ${rest.toString("latin1").slice(0, 200)}`);
  return { replies, rest: rest.length };
}

function parseReply(bytes: Buffer, method: string): (RawReply & { length: number }) | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const match = /^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(statusLine);
  if (!match) throw new Error(`not HTTP: ${statusLine.slice(0, 200)}`);
  const status = Number(match[1]);
  const headers = Object.fromEntries(lines.map(parseHeader));
  const bodyStart = headEnd + 4;
  const length = bodyLength(status, method, headers, bytes.subarray(bodyStart));
  if (bytes.length < bodyStart + length) return undefined;
  return {
    status,
    headers,
    body: bytes.toString("utf8", bodyStart, bodyStart + length),
    length: bodyStart + length,
  };
}

function parseHeader(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/.exec(line);
  if (!match) throw new Error(`not a header: ${line.slice(0, 200)}`);
  return [(match[1] ?? "").toLowerCase(), match[2] ?? ""];
}

function bodyLength(status: number, method: string, headers: Record<string, string>, after: Buffer): number {
  if (status < 200 || status === 204 || status === 304) return 0;
  const length = Number(headers["content-length"]);
  if (!Number.isSafeInteger(length))
    throw new Error(`a response without a length: ${JSON.stringify(headers)}`);
  // An unreadable HEAD is answered like any unreadable request, with a body.
  if (method === "HEAD" && after.at(0) !== "{".charCodeAt(0)) return 0;
  return length;
}
