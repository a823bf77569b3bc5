import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import { JSON_DEPTH_MAX, JsonError, parseStrictJson, parseStrictJsonText, toPointer } from "./strict-json.ts";

const ACCEPTED: readonly (readonly [string, unknown])[] = [
  ["null", null],
  [" \t\r\n true \n", true],
  ["-0", 0],
  ["0", 0],
  ["1.50", 1.5],
  ["1e3", 1000],
  ["1E-2", 0.01],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["-9007199254740991", -Number.MAX_SAFE_INTEGER],
  ['""', ""],
  ['"\\u0061\\n\\/\\ud83d\\ude00"', "a\n/😀"],
  ['"é\u2028\u007f"', "é\u2028\u007f"],
  ["[]", []],
  ["{}", {}],
  ['{"a":{"a":1},"b":[{"a":2}]}', { a: { a: 1 }, b: [{ a: 2 }] }],
];

/** Each text, the place that the error names, and a word of its message. */
const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['{"a":1,"a":2}', "/a", /"a" stands twice/],
  ['{"a":1,"\\u0061":2}', "/a", /stands twice/],
  ['{"x":[0,{"__proto__":1,"__proto__":2}]}', "/x/1/__proto__", /stands twice/],
  ['{"":1,"":2}', "/", /stands twice/],
  ['{"a/b~":{"c":01}}', "/a~1b~0", /not valid JSON/],
  ['"a\\u0000b"', "", /NUL/],
  ['{"\\u0000":1}', "", /NUL/],
  ['{"a":"\\ud800"}', "/a", /surrogate/],
  ['["\\udc00\\ud800"]', "/0", /surrogate/],
  ['"\\ud800x\\udc00"', "", /surrogate/],
  ['"\ud800"', "", /surrogate/],
  ["9007199254740992", "", /2\^53/],
  ['{"n":-9007199254740992}', "/n", /2\^53/],
  ["9007199254740993.0", "", /2\^53/],
  ["1e400", "", /2\^53/],
  ["-1e400", "", /2\^53/],
  ["1e16", "", /2\^53/],
];

const MALFORMED = [
  "",
  " ",
  "\ufeff{}",
  "{",
  "}",
  "[",
  "[1",
  "[1,",
  "[1,]",
  "[,1]",
  "[1 2]",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a" 1}',
  "{a:1}",
  "{'a':1}",
  "{1:1}",
  '{"a":1}}',
  "{}{}",
  "{} x",
  "truefalse",
  "nul",
  "True",
  "undefined",
  "NaN",
  "Infinity",
  "-",
  "+1",
  ".5",
  "1.",
  "1.e1",
  "1e",
  "01",
  "-01",
  "00",
  "0x10",
  "1_000",
  "1n",
  '"',
  '"a',
  '"\\',
  '"\\"',
  '"\\x41"',
  '"\\u12"',
  '"\\u12g4"',
  '"\\U0041"',
  "'a'",
  '"a\nb"',
  '"a\tb"',
  '"\u0000"',
  '"\u001f"',
  "\u00a0{}",
  "\u000b{}",
  "// comment\n{}",
  "/* comment */{}",
] as const;

test("texts that JSON allows mean what they say", () => {
  for (const [text, value] of ACCEPTED) assert.deepEqual(plain(parseStrictJsonText(text)), value, text);
});

test("each trap of JSON is refused, with the place where it stands", () => {
  for (const [text, pointer, message] of REFUSED) {
    const error = refusal(() => parseStrictJsonText(text), text);
    assert.equal(error.pointer, pointer, text);
    assert.match(error.message, message, text);
  }
});

test("what is not JSON is refused, and JSON.parse agrees", () => {
  for (const text of MALFORMED) {
    assert.match(refusal(() => parseStrictJsonText(text), text).message, /not valid JSON/, text);
    assert.throws(() => JSON.parse(text), SyntaxError, text);
  }
});

test("bytes that are not UTF-8 are refused, and a byte order mark is not JSON", () => {
  const sequences = ["ff", "c328", "c0af", "e28228", "eda080", "f8888080", "f4908080", "c3"];
  for (const hex of sequences) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, "hex"), Buffer.from('"}')]);
    assert.match(refusal(() => parseStrictJson(body), hex).message, /not valid UTF-8/, hex);
  }
  refusal(() => parseStrictJson(Buffer.from("efbbbf7b7d", "hex")), "a byte order mark");
  assert.deepEqual(plain(parseStrictJson(Buffer.from('{"é":"😀"}'))), { é: "😀" });
});

test("a body may nest 16 levels and not 17", () => {
  const nest = (open: string, close: string, levels: number) =>
    parseStrictJsonText(`${open.repeat(levels)}1${close.repeat(levels)}`);
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"a":', "}]"],
  ] as const) {
    const each = open.startsWith("[{") ? 2 : 1;
    nest(open, close, JSON_DEPTH_MAX / each);
    const error = refusal(() => nest(open, close, JSON_DEPTH_MAX / each + 1), open);
    assert.match(error.message, /deeper than 16/);
  }
  // Far deeper than any stack: refused before it is walked.
  refusal(() => parseStrictJsonText("[".repeat(1_000_000)), "a million brackets");
});

test("__proto__ and its like are keys as any other, and no object has a prototype", () => {
  const parsed = parseStrictJsonText('{"__proto__":{"admin":true},"constructor":1,"toString":2}');
  assert.equal(Object.getPrototypeOf(parsed), null);
  assert.deepEqual(Object.keys(parsed as object), ["__proto__", "constructor", "toString"]);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});

test("any document of JSON.stringify is read as JSON.parse reads it, however it is spaced", () => {
  const value = fc.jsonValue({ maxDepth: 6, stringUnit: "grapheme" }).filter(isCarried);
  const indent = fc.constantFrom(0, 1, 4, "\t", "\r\n");
  fc.assert(
    fc.property(value, indent, (document, space) => {
      const text = JSON.stringify(document, null, space);
      assert.deepEqual(plain(parseStrictJsonText(text)), plain(JSON.parse(text)));
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("any text is JSON here exactly when it is JSON to JSON.parse, but for the traps, and means the same", () => {
  const alphabet = fc.constantFrom(...'{}[]:,"\\ue0019.-+ntrfals', "true", '"a"', "\\u0061", "null", " ");
  const text = fc.array(alphabet, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (candidate) => {
      const ours = attempt(() => plain(parseStrictJsonText(candidate)));
      const theirs = attempt(() => plain(JSON.parse(candidate)));
      if (ours.ok) assert.deepEqual(ours, theirs);
      else if (theirs.ok) assert.doesNotMatch((ours.error as JsonError).message, /not valid JSON/);
    }),
    { seed: SEED, numRuns: 5_000 },
  );
});

test("pointers escape what RFC 6901 escapes", () => {
  assert.equal(toPointer(["lines", 0, "a/b", "m~n", ""]), "/lines/0/a~1b/m~0n/");
  assert.equal(toPointer([]), "");
});

/** Plain objects and no negative zero, for comparison: ours have no prototype. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Whether a value holds none of the things that are refused on purpose. */
function isCarried(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).flat().every(isCarried);
}

function refusal(parse: () => unknown, what: string): JsonError {
  const result = attempt(parse);
  assert.ok(!result.ok, `${what} was accepted`);
  assert.ok(result.error instanceof JsonError, `${what}: ${String(result.error)}`);
  return result.error;
}

function attempt<T>(run: () => T): { ok: true; value: T } | { ok: false; error: unknown } {
  try {
    return { ok: true, value: run() };
  } catch (error) {
    return { ok: false, error };
  }
}

test("a number that would be read as another whole number is refused, and whole ones in any spelling are taken", () => {
  for (const text of ["1.00000000000000000001", "0.99999999999999999999", "12345e-10000000000", "1e-400"]) {
    assert.throws(() => parseStrictJsonText(text), JsonError, text);
  }
  assert.deepEqual(
    ["1.0", "1.50e1", "100e-2", "0e5", "-0.0", "0.5"].map((text) => parseStrictJsonText(text)),
    [1, 15, 1, 0, 0, 0.5],
  );
});
