import assert from "node:assert/strict";
import { test } from "node:test";
import { highlightCode } from "./highlight-code.ts";
import { createGuideRenderer } from "./render-guide.ts";

const toHtml = await createGuideRenderer();

test("HTML in a guide is escaped", () => {
  const html = toHtml(
    'A <script>alert(1)</script>\n\n<img src="x" onerror="alert(1)">\n\n`<b>`\n\n```text\n</code><b>\n```\n',
  );
  assert.doesNotMatch(html, /<(script|img|b)\b/);
});

test("a link to another guide's file becomes a link to its page, and other links stay unchanged", () => {
  assert.match(toHtml("[a](orders.md)"), /href="\/docs\/guides\/orders"/);
  assert.match(toHtml("[a](going-live.md#money)"), /href="\/docs\/guides\/going-live#money"/);
  assert.match(toHtml("[a](/errors)"), /href="\/errors"/);
  assert.match(toHtml("[a](#here)"), /href="#here"/);
});

test("a heading is its own anchor", () => {
  assert.equal(
    toHtml("## 2. The `SDK`, now"),
    '<h2 id="2-the-sdk-now"><a href="#2-the-sdk-now">2. The <code>SDK</code>, now</a></h2>\n',
  );
});

test("a block shows its file name, its terminal, or that it is output", () => {
  assert.match(toHtml("```js file=a.mjs\n1\n```"), /<figcaption>a\.mjs<\/figcaption>/);
  assert.match(toHtml("```sh terminal=x\n1\n```"), /<figcaption>in a separate terminal<\/figcaption>/);
  assert.match(toHtml("```text output=x\n1\n```"), /<figure class="answer"><figcaption>prints<\/figcaption>/);
});

test("highlighting does not change the code itself", () => {
  const samples: [language: string, code: string][] = [
    ["sh", 'curl -s "$BASE/v1" -d \'{"a": 1}\' # a <comment>\nexport KEY=x'],
    ["js", 'import { a } from "b"; // c\nconst d = `e<f>`; /* g */'],
    ["json", '{ "a": "b\\"c", "d": [1, true, null] }'],
    ["text", "a & b < c"],
  ];
  for (const [language, code] of samples) {
    const plain = highlightCode(language, code)
      .replaceAll(/<\/?span[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
    assert.equal(plain, code);
  }
  assert.equal(
    highlightCode("json", '{"a": 1}'),
    '{<span class="word">&quot;a&quot;</span>: <span class="number">1</span>}',
  );
});
