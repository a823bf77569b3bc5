import assert from "node:assert/strict";
import { test } from "node:test";
import { assertPlainText, isPlainText } from "./plain-text.ts";

const HIDDEN = [
  "\n",
  "\t",
  "\u001b[2J",
  "\u0085",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u200b",
  "\u2028",
  "\ufeff",
  "\u{e0041}",
];
const PLAIN = ["invoice-1001", "Müller & Söhne", "日本語", "سلام", "naïve 🎮", "a b"];

test("characters that hide or reorder text are detected, and letters of every script are allowed", () => {
  for (const text of HIDDEN) {
    assert.equal(isPlainText(`a${text}b`), false, JSON.stringify(text));
  }
  for (const text of PLAIN) {
    assert.equal(isPlainText(text), true, text);
  }
});

test("the error names the text and the character without quoting the text", () => {
  assert.throws(() => assertPlainText("a note", "paid \u202e1000"), {
    name: "RangeError",
    message:
      "a note must not contain line breaks, control characters or invisible format characters (U+202E)",
  });
});
