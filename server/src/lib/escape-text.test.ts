import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeJson, escapeText } from "./escape-text.ts";

const HOSTILE = "a\u001b[31mb\u202ec\u0000d\u2028e\u200bf\u009bg\nh\ud800i\u{e0001}";

test("control, format and bidirectional characters and line breaks are escaped; letters of every script are not", () => {
  assert.equal(
    escapeText(HOSTILE),
    "a\\u{1b}[31mb\\u{202e}c\\u{0}d\\u{2028}e\\u{200b}f\\u{9b}g\\u{a}h\\u{d800}i\\u{e0001}",
  );
  assert.equal(escapeText("Müller 漢字 ١٢٣ 🎮"), "Müller 漢字 ١٢٣ 🎮");
});

test("an escaped JSON document parses to the same values and has no unprintable characters", () => {
  const json = escapeJson(JSON.stringify({ hostile: HOSTILE, plain: "漢字" }, null, 2));
  assert.deepEqual(JSON.parse(json), { hostile: HOSTILE, plain: "漢字" });
  assert.doesNotMatch(json.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});
