import type { IncomingHttpHeaders } from "node:http";
import { BODY_MAX_BYTES } from "../read-body.ts";

/** The head of a plain request, and where its body is. */
export type Head = {
  method: "GET" | "POST";
  url: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  bodyStart: number;
  bodyEnd: number;
};

const HEAD_MAX_BYTES = 8 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const REQUEST_LINE = /(GET|POST) ((\/v1\/[\w.~:/-]+)(?:\?([\w.~:=&-]*))?) HTTP\/1\.1\r\n/y;
const HEADER = /([A-Za-z0-9-]+): ?([\x20-\x7e]*)\r\n/y;
const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "application/json; charset=utf-8"]);
const LENGTH = /^\d{1,5}$/;

/** These change how a message is read, or what the server has to say before it has read it. */
const UNUSUAL: ReadonlySet<string> = new Set([
  "transfer-encoding",
  "content-encoding",
  "expect",
  "upgrade",
  "trailer",
  "te",
  "http2-settings",
  "proxy-connection",
]);

/**
 * Reads the head of a request that is as plain as can be: one line for each header, no header twice, visible ASCII, a body
 * of JSON with its length. Undefined for everything else, incomplete heads included: such a request may be fine, and Node.js
 * judges it. Whatever is read here, Node.js would read in the same way.
 */
export function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1 || end > HEAD_MAX_BYTES) return undefined;
  const text = bytes.toString("latin1", 0, end + 2);
  REQUEST_LINE.lastIndex = 0;
  const line = REQUEST_LINE.exec(text);
  if (line === null) return undefined;
  const headers = readHeaders(text, REQUEST_LINE.lastIndex);
  if (headers === undefined) return undefined;
  const method = line[1] as Head["method"];
  const bodyBytes = method === "POST" ? postedBytes(headers) : unaskedBytes(headers);
  if (bodyBytes === undefined) return undefined;
  const bodyStart = end + HEAD_END.length;
  return {
    method,
    url: line[2] as string,
    path: line[3] as string,
    query: line[4] ?? "",
    headers,
    bodyStart,
    bodyEnd: bodyStart + bodyBytes,
  };
}

/** All headers up to the end of the text, or undefined if one of them is unusual. */
function readHeaders(text: string, from: number): IncomingHttpHeaders | undefined {
  // An ordinary object, as Node.js makes: one without a prototype is several times slower.
  const headers: IncomingHttpHeaders = {};
  HEADER.lastIndex = from;
  let at = from;
  while (at < text.length) {
    const match = HEADER.exec(text);
    if (match === null) return undefined;
    at = HEADER.lastIndex;
    const name = (match[1] as string).toLowerCase();
    const value = match[2] as string;
    if (Object.hasOwn(headers, name) || UNUSUAL.has(name) || isPadded(value)) return undefined;
    headers[name] = value;
  }
  const { host, connection } = headers;
  if (host === undefined || host.includes(",")) return undefined;
  return connection === undefined || connection.toLowerCase() === "keep-alive" ? headers : undefined;
}

const SPACE = 0x20;

const isPadded = (value: string): boolean =>
  value.charCodeAt(0) === SPACE || value.charCodeAt(value.length - 1) === SPACE;

/** The length of a body of JSON. */
function postedBytes(headers: IncomingHttpHeaders): number | undefined {
  const type = headers["content-type"];
  const length = headers["content-length"];
  if (type === undefined || length === undefined) return undefined;
  if (!JSON_TYPES.has(type.toLowerCase()) || !LENGTH.test(length)) return undefined;
  const bytes = Number(length);
  return bytes > 0 && bytes <= BODY_MAX_BYTES ? bytes : undefined;
}

/** A request that only reads has no body. */
const unaskedBytes = (headers: IncomingHttpHeaders): number | undefined =>
  headers["content-length"] === undefined ? 0 : undefined;
