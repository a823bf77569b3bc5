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

/** Each text, the pointer in the error, and a pattern for its message. */
const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['{"a":1,"a":2}', "/a", /Duplicate key "a"/],
  ['{"a":1,"\\u0061":2}', "/a", /Duplicate key/],
  ['{"x":[0,{"__proto__":1,"__proto__":2}]}', "/x/1/__proto__", /Duplicate key/],
  ['{"":1,"":2}', "/", /Duplicate key/],
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

test("valid JSON parses to its value", () => {
  for (const [text, value] of ACCEPTED) assert.deepEqual(plain(parseStrictJsonText(text)), value, text);
});

test("each JSON trap is refused with its location", () => {
  for (const [text, pointer, message] of REFUSED) {
    const error = refusal(() => parseStrictJsonText(text), text);
    assert.equal(error.pointer, pointer, text);
    assert.match(error.message, message, text);
  }
});

test("invalid JSON is refused, in agreement with JSON.parse", () => {
  for (const text of MALFORMED) {
    assert.match(refusal(() => parseStrictJsonText(text), text).message, /not valid JSON/, text);
    assert.throws(() => JSON.parse(text), SyntaxError, text);
  }
});

test("invalid UTF-8 is refused, and so is a byte order mark", () => {
  const sequences = ["ff", "c328", "c0af", "e28228", "eda080", "f8888080", "f4908080", "c3"];
  for (const hex of sequences) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, "hex"), Buffer.from('"}')]);
    assert.match(refusal(() => parseStrictJson(body), hex).message, /not valid UTF-8/, hex);
  }
  refusal(() => parseStrictJson(Buffer.from("efbbbf7b7d", "hex")), "a byte order mark");
  assert.deepEqual(plain(parseStrictJson(Buffer.from('{"é":"😀"}'))), { é: "😀" });
});

test("a body can nest 16 levels but not 17", () => {
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
  // Far deeper than any stack. Refused before it is walked.
  refusal(() => parseStrictJsonText("[".repeat(1_000_000)), "a million brackets");
});

test("__proto__ and similar names are ordinary keys, and no object has a prototype", () => {
  const parsed = parseStrictJsonText('{"__proto__":{"admin":true},"constructor":1,"toString":2}');
  assert.equal(Object.getPrototypeOf(parsed), null);
  assert.deepEqual(Object.keys(parsed as object), ["__proto__", "constructor", "toString"]);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});

test("any output of JSON.stringify parses as JSON.parse parses it, with any whitespace", () => {
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

test("apart from the traps, any text is accepted exactly when JSON.parse accepts it, with the same value", () => {
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

test("pointers escape the characters that RFC 6901 escapes", () => {
  assert.equal(toPointer(["lines", 0, "a/b", "m~n", ""]), "/lines/0/a~1b/m~0n/");
  assert.equal(toPointer([]), "");
});

/** Plain objects without negative zero, for comparison. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Whether a value contains nothing that is refused on purpose. */
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

test("a number that would lose precision is refused, and whole numbers in any notation are accepted", () => {
  for (const text of ["1.00000000000000000001", "0.99999999999999999999", "12345e-10000000000", "1e-400"]) {
    assert.throws(() => parseStrictJsonText(text), JsonError, text);
  }
  assert.deepEqual(
    ["1.0", "1.50e1", "100e-2", "0e5", "-0.0", "0.5"].map((text) => parseStrictJsonText(text)),
    [1, 15, 1, 0, 0, 0.5],
  );
});
