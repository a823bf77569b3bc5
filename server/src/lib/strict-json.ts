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
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new JsonError("The body is not valid UTF-8.", "");
  }
  return parseStrictJsonText(text);
}

/**
 * The same, with every number as the text that was sent: 0.1 stays "0.1" and 1.10 stays "1.10". For answers of others that
 * send amounts as JSON numbers.
 */
export const parseJsonNumbersAsText = (text: string): Json => parseText(text, true);

export const parseStrictJsonText = (text: string): Json => parseText(text, false);

function parseText(text: string, numbersAsText: boolean): Json {
  const source: Source = { text, position: 0, path: [], numbersAsText };
  const value = parseValue(source);
  skipSpace(source);
  if (source.position < text.length) throw syntaxError(source);
  return value;
}

type Source = {
  readonly text: string;
  position: number;
  readonly path: (string | number)[];
  readonly numbersAsText: boolean;
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y;
const LITERALS: ReadonlyArray<readonly [string, Json]> = [
  ["true", true],
  ["false", false],
  ["null", null],
];

function parseValue(source: Source): Json {
  skipSpace(source);
  switch (source.text.charAt(source.position)) {
    case "{":
      return nested(source, () => parseObject(source));
    case "[":
      return nested(source, () => parseArray(source));
    case '"':
      return parseString(source);
    default:
      return parseNumberOrLiteral(source);
  }
}

function nested<T>(source: Source, parse: () => T): T {
  if (source.path.length >= JSON_DEPTH_MAX)
    throw jsonError(source, `The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  source.position += 1;
  return parse();
}

function parseObject(source: Source): Json {
  const object: { [key: string]: Json } = Object.create(null);
  if (skipTo(source, "}")) return object;
  do {
    skipSpace(source);
    if (source.text.charCodeAt(source.position) !== QUOTE) throw syntaxError(source);
    const key = parseString(source);
    source.path.push(key);
    if (key in object) throw jsonError(source, `Duplicate key "${key}".`);
    if (!skipTo(source, ":")) throw syntaxError(source);
    object[key] = parseValue(source);
    source.path.pop();
  } while (skipTo(source, ","));
  if (!skipTo(source, "}")) throw syntaxError(source);
  return object;
}

function parseArray(source: Source): Json {
  const array: Json[] = [];
  if (skipTo(source, "]")) return array;
  do {
    source.path.push(array.length);
    array.push(parseValue(source));
    source.path.pop();
  } while (skipTo(source, ","));
  if (!skipTo(source, "]")) throw syntaxError(source);
  return array;
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
  if (value.includes("\0")) throw jsonError(source, "A string contains the NUL character.");
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

function skipTo(source: Source, character: string): boolean {
  skipSpace(source);
  if (source.text.charAt(source.position) !== character) return false;
  source.position += 1;
  return true;
}

function syntaxError(source: Source, at: number = source.position): JsonError {
  const where =
    at >= source.text.length ? "unexpected end of input" : `unexpected token at position ${at + 1}`;
  return jsonError(source, `The body is not valid JSON: ${where}.`);
}

function jsonError(source: Source, message: string): JsonError {
  return new JsonError(message, toPointer(source.path));
}

/** ["lines", 0, "a/b"] → "/lines/0/a~1b" (RFC 6901). */
export const toPointer = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
