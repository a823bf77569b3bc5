import { type HostileOptions, type HostileRequest, hostileRequest } from "../fuzz/hostile-requests.ts";
import { createRandom, type Random } from "../seed.ts";

/** The bytes sent over the wire. */
export type WireRequest = { faults: string[]; bytes: Buffer; methods: string[]; halfClose: boolean };

/** A hostile request as bytes, half of the time with faulty bytes. */
export function wireRequest(seed: number, options: HostileOptions): WireRequest {
  const request = hostileRequest(seed, options);
  const random = createRandom(seed ^ 0x5f5f5f5f);
  const wire: WireRequest = {
    faults: [...request.faults],
    bytes: toBytes(request),
    methods: [request.method],
    halfClose: request.cut,
  };
  if (random.chance(0.5)) breakWire(wire, random);
  return wire;
}

/** Adds a fault to the bytes. */
export function breakWire(wire: WireRequest, random: Random): void {
  const name = random.pick(WIRE_FAULT_NAMES);
  wire.faults.push(name);
  WIRE_FAULTS[name](wire, random);
}

export function toBytes({ method, target, headers, body, framing, cut }: HostileRequest): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (body && framing === "length") lines.push(`Content-Length: ${body.length + (cut ? 10 : 0)}`);
  if (body && framing === "chunked") lines.push("Transfer-Encoding: chunked");
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (!body) return head;
  return Buffer.concat([head, framing === "length" ? body : toChunks(body, cut)]);
}

function toChunks(body: Buffer, cut: boolean): Buffer {
  if (body.length === 0) return Buffer.from("0\r\n\r\n");
  const middle = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, middle), body.subarray(middle)]
    .filter((chunk) => chunk.length > 0)
    .flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
  return Buffer.concat(cut ? chunks : [...chunks, Buffer.from("0\r\n\r\n")]);
}

/** The request must be refused and the connection closed, so that the hidden request is never answered. */
export const HIDDEN_REQUEST = "a hidden request";
const HIDDEN = "GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";

type WireFault = (wire: WireRequest, random: Random) => void;

const WIRE_FAULTS = {
  "line feeds alone": (wire) => replace(wire, /\r\n/g, "\n"),
  "empty lines first": (wire) => replace(wire, /^/, "\r\n\r\n"),
  "no host": (wire) => replace(wire, /\r\nHost: [^\r]*/gi, ""),
  "no version": (wire) => replace(wire, / HTTP\/1\.1/, ""),
  "another version": (wire, random) =>
    replace(wire, /HTTP\/1\.1/, random.pick(["HTTP/9.9", "HTTP/1.0", "HTTP/2.0", "http/1.1", "ICAP/1.0"])),
  "a junk method": (wire, random) =>
    replace(wire, /^\S+/, random.pick(["JUNK", "get", "G\0T", "(", "A".repeat(9_000)])),
  "an odd line": (wire, random) => {
    const line = random.pick(ODD_LINES);
    replace(wire, /\r\n/, `\r\n${line}\r\n`);
    // It may announce a body that does not follow.
    wire.halfClose ||= /^(Content-Length|Transfer-Encoding)/.test(line);
  },
  "a bad chunk": (wire, random) => {
    replaceBody(wire, "Transfer-Encoding: chunked", random.pick(ODD_CHUNKS));
    wire.halfClose = true;
  },
  // A proxy in front may see one request where we see two, or the reverse.
  [HIDDEN_REQUEST]: (wire, random) => {
    replaceBody(
      wire,
      random.pick(TWO_LENGTHS),
      random.pick(["0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"]) + HIDDEN,
    );
    wire.halfClose = true;
  },
  "a flipped byte": (wire, random) => {
    wire.bytes[random.below(Math.min(wire.bytes.length, 300))] = random.below(256);
  },
  "an early end": (wire, random) => {
    wire.bytes = wire.bytes.subarray(0, 1 + random.below(wire.bytes.length - 1));
    wire.halfClose = true;
  },
  "no HTTP at all": (wire, random) => {
    wire.bytes = Buffer.from(random.pick(NOT_HTTP), "latin1");
    wire.methods = ["GET"];
    wire.halfClose = random.chance(0.5);
  },
  noise: (wire, random) => {
    wire.bytes = Buffer.from(Array.from({ length: 1 + random.below(2_000) }, () => random.below(256)));
    wire.methods = ["GET"];
  },
} satisfies Record<string, WireFault>;

const WIRE_FAULT_NAMES = Object.keys(WIRE_FAULTS) as (keyof typeof WIRE_FAULTS)[];

function replace(wire: WireRequest, pattern: RegExp, text: string): void {
  const headEnd = wire.bytes.indexOf("\r\n\r\n") + 4;
  const head = wire.bytes.toString("latin1", 0, headEnd).replace(pattern, () => text);
  wire.bytes = Buffer.concat([Buffer.from(head, "latin1"), wire.bytes.subarray(headEnd)]);
}

/** The same head with another length and another body. */
function replaceBody(wire: WireRequest, lengthLines: string, body: string): void {
  replace(wire, /\r\n(Content-Length|Transfer-Encoding|Connection|Expect): [^\r]*/gi, "");
  replace(wire, /\r\n/, `\r\n${lengthLines}\r\n`);
  const headEnd = wire.bytes.indexOf("\r\n\r\n") + 4;
  wire.bytes = Buffer.concat([wire.bytes.subarray(0, headEnd), Buffer.from(body, "latin1")]);
}

const TWO_LENGTHS = [
  "Content-Length: 5\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nContent-Length: 5",
  "Content-Length: 5\r\nContent-Length: 50",
  "Content-Length: 0\r\nContent-Length: 5",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "Transfer-Encoding: identity, chunked, identity",
  "Content-Length: 5 5",
] as const;

const ODD_CHUNKS = [
  "zz\r\nhello\r\n0\r\n\r\n",
  "-5\r\nhello\r\n0\r\n\r\n",
  "0x5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
  "fffffff\r\nhello",
  "5\r\nhello0\r\n\r\n",
  "5\r\nhello world\r\n0\r\n\r\n",
  "5\nhello\n0\n\n",
  "5;a=b;c\r\nhello\r\n0\r\n\r\n",
  `5;${"a".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  "5 \r\nhello\r\n0\r\n\r\n",
  "\r\n\r\n",
  "0\r\nX-API-Key: trailer\r\nContent-Length: 5\r\n\r\n",
  `0\r\n${"X-Trailer: 1\r\n".repeat(3_000)}\r\n`,
  "1\r\n{\r\n".repeat(2_000),
] as const;

const ODD_LINES = [
  "NoColon",
  ": no name",
  "Space : before",
  " folded",
  "\tfolded",
  "Nul: a\0b",
  "Bell: a\x07b",
  "Name\x80: 1",
  "Content-Length: 5\r\nContent-Length: 6",
  "Content-Length: -1",
  "Content-Length: 1e3",
  "Content-Length: 0x10",
  "Content-Length: +5",
  "Content-Length: 99999999999999999999999",
  "Content-Length: 5, 5",
  "Transfer-Encoding: chunked\r\nContent-Length: 5",
  "Transfer-Encoding: gzip",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: identity",
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
  "Connection: keep-alive, close",
  "Host: again",
  "Host:",
  `X-Long-Name-${"a".repeat(5_000)}: 1`,
  `X-Huge: ${"a".repeat(17_000)}`,
] as const;

const NOT_HTTP = [
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "SSH-2.0-OpenSSH_9.6\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "EHLO localhost\r\n",
  "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\nGET / HTTP/1.1\r\n\r\n",
  "\0\0\0\0",
  "{}",
  "GET",
  "GET / HTTP/1.1",
  "GET / HTTP/1.1\r\nHost",
  "a".repeat(100_000),
] as const;
