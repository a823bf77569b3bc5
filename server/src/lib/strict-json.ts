import { isAscii } from "node:buffer";

/** What a parsed JSON body can contain. Objects have no prototype, so `__proto__` is an ordinary key. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const JSON_DEPTH_MAX = 16;

/** Why and where a text is not acceptable JSON. The message is safe for the caller. */
export class JsonError extends Error {
  readonly pointer: string;
  constructor(message: string, pointer: string) {
    super(message);
    this.name = "JsonError";
    this.pointer = pointer;
  }
}

/**
 * Parses JSON strictly, as money requires (CONTRACT 1). `JSON.parse` keeps the last of two duplicate keys, rounds
 * 2^53+1, and lets NUL and lone surrogates through to the database. Here each of these is an error.
 */
export function parseStrictJson(bytes: Uint8Array): Json {
  return parseStrictJsonText(decode(bytes));
}

/** Most bodies are ASCII, which needs no decoding. */
function decode(bytes: Uint8Array): string {
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonError("The body is not valid UTF-8.", "");
  }
}

/**
 * The same, with every number as the text that was sent: 0.1 stays "0.1" and 1.10 stays "1.10". For answers of others that
 * send amounts as JSON numbers.
 */
export const parseJsonNumbersAsText = (text: string): Json => parseText(text, true);

export const parseStrictJsonText = (text: string): Json => parseText(text, false);

/** Where an error is matters only if there is one, so the path is followed in a second reading. */
function parseText(text: string, numbersAsText: boolean): Json {
  try {
    return parseWhole({ text, position: 0, depth: 0, path: undefined, numbersAsText });
  } catch {
    return parseWhole({ text, position: 0, depth: 0, path: [], numbersAsText });
  }
}

function parseWhole(source: Source): Json {
  const value = parseValue(source);
  skipSpace(source);
  if (source.position < source.text.length) throw syntaxError(source);
  return value;
}

type Source = {
  readonly text: string;
  position: number;
  depth: number;
  /** Undefined while no error is known. */
  readonly path: (string | number)[] | undefined;
  readonly numbersAsText: boolean;
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY_START = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const BACKSLASH = 0x5c;
const NUMBER = /-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;
const LITERALS: ReadonlyArray<readonly [string, Json]> = [
  ["true", true],
  ["false", false],
  ["null", null],
];

function parseValue(source: Source): Json {
  skipSpace(source);
  switch (source.text.charCodeAt(source.position)) {
    case OBJECT_START:
      return parseObject(source);
    case ARRAY_START:
      return parseArray(source);
    case QUOTE:
      return parseString(source);
    default:
      return parseNumberOrLiteral(source);
  }
}

function enter(source: Source): void {
  if (source.depth >= JSON_DEPTH_MAX)
    throw jsonError(source, `The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  source.depth += 1;
  source.position += 1;
}

function parseObject(source: Source): Json {
  enter(source);
  const object: { [key: string]: Json } = Object.create(null);
  if (skipTo(source, OBJECT_END)) return leave(source, object);
  do {
    skipSpace(source);
    if (source.text.charCodeAt(source.position) !== QUOTE) throw syntaxError(source);
    const key = parseString(source);
    source.path?.push(key);
    if (key in object) throw jsonError(source, `Duplicate key "${key}".`);
    if (!skipTo(source, COLON)) throw syntaxError(source);
    object[key] = parseValue(source);
    source.path?.pop();
  } while (skipTo(source, COMMA));
  if (!skipTo(source, OBJECT_END)) throw syntaxError(source);
  return leave(source, object);
}

function leave(source: Source, value: Json): Json {
  source.depth -= 1;
  return value;
}

function parseArray(source: Source): Json {
  enter(source);
  const array: Json[] = [];
  if (skipTo(source, ARRAY_END)) return leave(source, array);
  do {
    source.path?.push(array.length);
    array.push(parseValue(source));
    source.path?.pop();
  } while (skipTo(source, COMMA));
  if (!skipTo(source, ARRAY_END)) throw syntaxError(source);
  return leave(source, array);
}

function parseString(source: Source): string {
  const start = source.position;
  let index = start + 1;
  let escaped = false;
  for (; ; index += 1) {
    const code = source.text.charCodeAt(index);
    if (code === QUOTE) break;
    if (Number.isNaN(code) || code < 0x20) throw syntaxError(source, index);
    if (code === BACKSLASH) {
      escaped = true;
      index += 1;
    }
  }
  source.position = index + 1;
  const value = escaped ? readEscaped(source, start) : source.text.slice(start + 1, index);
  if (escaped && value.includes("\0")) throw jsonError(source, "A string contains the NUL character.");
  if (!value.isWellFormed()) throw jsonError(source, "A string contains a lone surrogate.");
  return value;
}

/** Escapes are rare, so JSON.parse unescapes the strings that have them. */
function readEscaped(source: Source, start: number): string {
  try {
    return JSON.parse(source.text.slice(start, source.position)) as string;
  } catch {
    throw syntaxError(source, start);
  }
}

function parseNumberOrLiteral(source: Source): Json {
  if (!source.numbersAsText) {
    const short = parseShortNumber(source);
    if (short !== undefined) return short;
  }
  for (const [word, value] of LITERALS) {
    if (source.text.startsWith(word, source.position)) {
      source.position += word.length;
      return value;
    }
  }
  NUMBER.lastIndex = source.position;
  const match = NUMBER.exec(source.text);
  if (!match) throw syntaxError(source);
  if (source.numbersAsText) {
    source.position = NUMBER.lastIndex;
    return match[0];
  }
  const value = Number(match[0]);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw jsonError(source, "A number is outside ±(2^53−1).");
  }
  if (Number.isInteger(value) && !isWhole(match)) {
    throw jsonError(source, "A number has too many digits.");
  }
  source.position = NUMBER.lastIndex;
  return value === 0 ? 0 : value;
}

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
/** So many digits are always a safe integer. */
const SHORT_DIGITS = 15;

/** A whole number without sign, point and exponent, as most are. Undefined for everything else. */
function parseShortNumber(source: Source): number | undefined {
  const { text, position: start } = source;
  let value = 0;
  let index = start;
  for (; index - start <= SHORT_DIGITS; index += 1) {
    const code = text.charCodeAt(index);
    if (!(code >= ZERO && code <= NINE)) break;
    value = value * 10 + code - ZERO;
  }
  const digits = index - start;
  const next = text.charCodeAt(index) | 0x20;
  const isWhole = digits > 0 && digits <= SHORT_DIGITS && (digits === 1 || text.charCodeAt(start) !== ZERO);
  if (!isWhole || text.charCodeAt(index) === DOT || next === SMALL_E) return undefined;
  source.position = index;
  return value;
}

const SMALL_E = 0x65;

/** Whether the text is a whole number. 1.5e1 is; 1.00000000000000000001, which would be read as 1, is not. */
function isWhole([, whole = "", fraction = "", exponent = "0"]: RegExpExecArray): boolean {
  const point = whole.length + Number(exponent);
  return /^0*$/.test((whole + fraction).slice(Math.max(point, 0)));
}

function skipSpace(source: Source): void {
  for (;;) {
    const code = source.text.charCodeAt(source.position);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    source.position += 1;
  }
}

function skipTo(source: Source, code: number): boolean {
  skipSpace(source);
  if (source.text.charCodeAt(source.position) !== code) return false;
  source.position += 1;
  return true;
}

function syntaxError(source: Source, at: number = source.position): JsonError {
  const where =
    at >= source.text.length ? "unexpected end of input" : `unexpected token at position ${at + 1}`;
  return jsonError(source, `The body is not valid JSON: ${where}.`);
}

function jsonError(source: Source, message: string): JsonError {
  return new JsonError(message, toPointer(source.path ?? []));
}

/** ["lines", 0, "a/b"] → "/lines/0/a~1b" (RFC 6901). */
export const toPointer = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
