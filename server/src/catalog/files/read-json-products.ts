import { type Json, JsonError, parseStrictJson } from "../../lib/strict-json.ts";

/** One product of a catalog file, or a fault in its text, with its starting line. */
export type ReadRow = { line: number; value: Json } | { line: number; fault: string };

/** The maximum size of one product's text. It bounds the memory that a file can use. */
export const PRODUCT_BYTES_MAX = 1_048_576;

/**
 * Reads `{"products": [...]}` and yields one product at a time without holding the file: it finds the boundaries of
 * each product and passes only that text to the strict parser. After a syntax error nothing that follows can be
 * trusted, so its fault is the last row.
 */
export async function* readJsonProducts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRow> {
  const source: Source = { chunks: bytes[Symbol.asyncIterator](), chunk: new Uint8Array(), at: 0, line: 1 };
  try {
    await openProducts(source);
    for (let index = 0; ; index += 1) {
      const token = await takeToken(source);
      if (token.size > 0) yield toRow(token);
      else if (index > 0 || token.end !== "]") throw unexpected(token.line, token.end);
      if (token.end === "]") break;
      if (token.end !== ",") throw unexpected(source.line, token.end);
    }
    await closeProducts(source);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    yield { line: error.line, fault: error.message };
  } finally {
    await source.chunks.return?.();
  }
}

type Source = { chunks: AsyncIterator<Uint8Array>; chunk: Uint8Array; at: number; line: number };

/** The text of a key or a product, up to the character that ends it. An oversized text is not kept. */
type Token = { pieces: Uint8Array[]; size: number; line: number; end: string };

/** Stops the reading. The message is the fault's reason. */
class BrokenFile extends Error {
  readonly line: number;
  constructor(line: number, reason: string) {
    super(reason);
    this.name = "BrokenFile";
    this.line = line;
  }
}

const ENVELOPE = 'a catalog file is {"products": [...]}';

async function openProducts(source: Source): Promise<void> {
  await skipByteOrderMark(source);
  const first = await takeCharacter(source);
  if (first === "") throw new BrokenFile(source.line, `the file is empty; ${ENVELOPE}`);
  if (first === "[") throw new BrokenFile(source.line, 'wrap the array: {"products": [...]}');
  if (first !== "{") throw unexpected(source.line, first);
  const key = await takeToken(source);
  if (key.size === 0 && key.end === "}")
    throw new BrokenFile(key.line, `the key "products" is missing; ${ENVELOPE}`);
  const name = readKey(key);
  if (name !== "products") throw new BrokenFile(key.line, `unknown key "${name}"; ${ENVELOPE}`);
  const opening = await takeCharacter(source);
  if (opening !== "[") throw new BrokenFile(source.line, `"products" must be an array; ${ENVELOPE}`);
}

async function closeProducts(source: Source): Promise<void> {
  const closing = await takeCharacter(source);
  if (closing === ",") {
    const key = await takeToken(source);
    throw new BrokenFile(key.line, `unexpected key "${readKey(key)}"; ${ENVELOPE}`);
  }
  if (closing !== "}") throw unexpected(source.line, closing);
  const rest = await takeCharacter(source);
  if (rest !== "") throw unexpected(source.line, rest);
}

/** A key is a string, and a colon follows it. */
function readKey(token: Token): string {
  if (token.end !== ":") throw unexpected(token.line, token.end);
  const row = toRow(token);
  if ("value" in row && typeof row.value === "string") return row.value;
  throw new BrokenFile(token.line, "a key must be text in quotes");
}

/**
 * Invalid JSON stops the reading. A violation of our own rules, such as a duplicate key, is a fault of this product
 * only.
 */
function toRow(token: Token): ReadRow {
  const { line } = token;
  if (token.size > PRODUCT_BYTES_MAX) return { line, fault: `is longer than ${PRODUCT_BYTES_MAX} bytes` };
  const text = Buffer.concat(token.pieces);
  try {
    return { line, value: parseStrictJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const near = error.pointer === "" ? "" : ` Look near ${error.pointer}.`;
    const fault = `${error.message.replace(/^The body/, "The product")}${near}`;
    if (isJson(text)) return { line, fault };
    throw new BrokenFile(line, fault);
  }
}

function isJson(text: Buffer): boolean {
  try {
    JSON.parse(text.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const SPACE = 0x20;

/**
 * Reads up to a comma, colon or closing bracket outside strings and nested brackets. These are ASCII, so it works on
 * bytes, and a character split across chunks does no harm.
 */
async function takeToken(source: Source): Promise<Token> {
  await skipSpace(source);
  const token: Token = { pieces: [], size: 0, line: source.line, end: "" };
  const state: TokenState = { depth: 0, inString: false, escaped: false };
  while (await hasMore(source)) {
    const from = source.at;
    const end = scanToken(source, state);
    token.size += source.at - from;
    if (token.size > PRODUCT_BYTES_MAX) token.pieces = [];
    else token.pieces.push(source.chunk.subarray(from, source.at));
    if (end === undefined) continue;
    if (state.inString) throw new BrokenFile(source.line, "unclosed string on this line");
    source.at += 1;
    token.end = String.fromCharCode(end);
    return token;
  }
  throw new BrokenFile(token.line, "unexpected end of file inside the value that starts here");
}

type TokenState = { depth: number; inString: boolean; escaped: boolean };

/**
 * Scans the chunk for the byte that ends the token, or returns undefined if the chunk ends first. A control
 * character inside a string ends it too, because JSON does not allow one: a missing quote is then reported with its
 * line instead of turning the rest of the file into one long product.
 */
function scanToken(source: Source, state: TokenState): number | undefined {
  const { chunk } = source;
  let { depth, inString, escaped } = state;
  let end: number | undefined;
  let at = source.at;
  for (; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (inString) {
      if (byte < SPACE) end = byte;
      else if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === NEWLINE) source.line += 1;
    else if (isOpening(byte)) depth += 1;
    else if (depth === 0 && (byte === 0x2c || byte === 0x3a || isClosing(byte))) end = byte;
    else if (isClosing(byte)) depth -= 1;
    if (end !== undefined) break;
  }
  source.at = at;
  Object.assign(state, { depth, inString, escaped });
  return end;
}

const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/** The next character that is not whitespace, or "" at the end of the file. */
async function takeCharacter(source: Source): Promise<string> {
  await skipSpace(source);
  if (!(await hasMore(source))) return "";
  const byte = source.chunk[source.at] ?? 0;
  source.at += 1;
  return String.fromCharCode(byte);
}

async function skipSpace(source: Source): Promise<void> {
  while (await hasMore(source)) {
    const byte = source.chunk[source.at] ?? 0;
    if (byte !== SPACE && byte !== NEWLINE && byte !== 0x0d && byte !== 0x09) return;
    if (byte === NEWLINE) source.line += 1;
    source.at += 1;
  }
}

/** Some Windows programs write these three bytes before UTF-8 text. */
async function skipByteOrderMark(source: Source): Promise<void> {
  for (const byte of [0xef, 0xbb, 0xbf]) {
    if (!(await hasMore(source)) || source.chunk[source.at] !== byte) return;
    source.at += 1;
  }
}

async function hasMore(source: Source): Promise<boolean> {
  while (source.at >= source.chunk.length) {
    const next = await source.chunks.next();
    if (next.done) return false;
    source.chunk = next.value;
    source.at = 0;
  }
  return true;
}

function unexpected(line: number, character: string): BrokenFile {
  const what = character === "" ? "end of file" : `"${character}"`;
  return new BrokenFile(line, `the file is not valid JSON: unexpected ${what}; ${ENVELOPE}`);
}
