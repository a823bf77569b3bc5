import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

export type RawReply = {
  status: number;
  /** A header that was sent more than once has its values on lines of their own. */
  headers: Readonly<Record<string, string>>;
  /** Everything before the body, as it was sent. */
  head: string;
  body: string;
};

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

const DEADLINE_MS = 35_000;
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
  const head = bytes.toString("latin1", 0, headEnd);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const match = /^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(statusLine);
  if (!match) throw new Error(`not HTTP: ${statusLine.slice(0, 200)}`);
  const status = Number(match[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) addHeader(headers, line);
  const bodyStart = headEnd + 4;
  const rest = bytes.subarray(bodyStart);
  if (headers["transfer-encoding"] === "chunked" && method !== "HEAD") {
    const read = readChunks(rest);
    return read && { status, headers, head, body: read.body, length: bodyStart + read.length };
  }
  const length = bodyLength(status, method, headers, rest);
  if (rest.length < length) return undefined;
  return { status, headers, head, body: rest.toString("utf8", 0, length), length: bodyStart + length };
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/;

function addHeader(headers: Record<string, string>, line: string): void {
  const match = HEADER.exec(line);
  if (!match) throw new Error(`not a header: ${line.slice(0, 200)}`);
  const [, given = "", value = ""] = match;
  const name = given.toLowerCase();
  const before = headers[name];
  headers[name] = before === undefined ? value : `${before}\n${value}`;
}

/** Undefined while the last chunk is missing. */
function readChunks(bytes: Buffer): { body: string; length: number } | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  while (true) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (!Number.isSafeInteger(size)) throw new Error("not a chunk");
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks).toString("utf8"), length: start + 2 };
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

function bodyLength(status: number, method: string, headers: Record<string, string>, after: Buffer): number {
  if (status < 200 || status === 204 || status === 304) return 0;
  // A file that is sent as it is made has no length that its HEAD could tell.
  if (method === "HEAD" && headers["content-length"] === undefined && status < 400) return 0;
  const length = Number(headers["content-length"]);
  if (!Number.isSafeInteger(length))
    throw new Error(`a response without a length: ${JSON.stringify(headers)}`);
  // An unreadable HEAD is answered like any unreadable request, with a body.
  if (method === "HEAD" && after.at(0) !== "{".charCodeAt(0)) return 0;
  return length;
}
