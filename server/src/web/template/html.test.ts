import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { attrs, type Html, html, renderHtml, trustedHtml } from "./html.ts";
import { href, isLocalPath } from "./safe-url.ts";

const show = (page: Html): string => renderHtml(page);
const HOSTILE = `<script>alert(1)</script>"'&`;

test("text is escaped, markup of our own is not", () => {
  assert.equal(show(html`<p>${HOSTILE}</p>`), "<p>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</p>");
  assert.equal(show(html`<p>${html`<b>${"a<b"}</b>`}</p>`), "<p><b>a&lt;b</b></p>");
});

test("characters that turn the direction of text are shown and not obeyed", () => {
  assert.equal(show(html`<p>${"a\u202eb\u2066"}</p>`), "<p>a\\u{202e}b\\u{2066}</p>");
  assert.equal(show(html`<p title="${"a\u202eb"}"></p>`), '<p title="a\u202eb"></p>');
});

test("lists, numbers and what is absent", () => {
  const rows = [1, 2n].map((value) => html`<li>${value}</li>`);
  assert.equal(
    show(html`<ul>${rows}${undefined}${false}${null}${[["x"]]}</ul>`),
    "<ul><li>1</li><li>2</li>x</ul>",
  );
  assert.equal(show(html`<p>${0}${""}</p>`), "<p>0</p>");
});

test("a string is not markup, for the compiler and at run time", () => {
  // @ts-expect-error: this is what the branded type is for.
  const wrong: Html = "<b>bold</b>";
  assert.equal(show(html`${wrong}`), "&lt;b&gt;bold&lt;/b&gt;");
  // @ts-expect-error: an object that only looks like one is not.
  const forged: Html = JSON.parse('{"MARKUP":"<b>"}') as { markup: string };
  assert.throws(() => show(html`${forged}`), /only html/);
  // @ts-expect-error: true has no text.
  assert.equal(show(html`${true}`), "true");
});

test("values of attributes are escaped and must be quoted", () => {
  assert.equal(show(html`<p title="${HOSTILE}" lang='${"a"}'></p>`).includes("<script>"), false);
  assert.equal(show(html`<p title="a ${'"'} b"></p>`), '<p title="a &quot; b"></p>');
  assert.throws(() => html`<p title=${"x"}></p>`, /must be quoted/);
  assert.throws(() => html`<p title="${html`<b></b>`}"></p>`, /is text/);
});

test("attrs leaves out what is absent and refuses scripts and styles", () => {
  const list = attrs({
    disabled: true,
    hidden: false,
    title: 'a"b',
    "aria-label": undefined,
    href: "javascript:x",
  });
  assert.equal(show(html`<a${list}>x</a>`), '<a disabled title="a&quot;b" href="#">x</a>');
  for (const name of ["onclick", "style", "up-on-loaded", "a b", "x>y"])
    assert.throws(() => attrs({ [name]: "x" }));
  assert.throws(() => html`<a ${"href=x"}>x</a>`, /only attrs/);
});

test("addresses are relative, https or mailto, and nothing else", () => {
  const link = (url: string) => show(html`<a href="${url}">x</a>`);
  for (const fine of [
    "/orders?a=1",
    "orders",
    "#top",
    "?page=2",
    "https://a.example/x",
    "mailto:a@b.example",
  ])
    assert.ok(link(fine).includes(`href="${fine}"`), fine);
  for (const bad of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,x",
    "http://a.example",
    "//evil.example",
    "/\\evil.example",
    "https:evil",
    "vbscript:x",
  ])
    assert.equal(link(bad), '<a href="#">x</a>', JSON.stringify(bad));
});

test("inside an address a value is percent-encoded", () => {
  assert.equal(show(html`<a href="/orders/${"../a?b&c"}">x</a>`), '<a href="/orders/..%2Fa%3Fb%26c">x</a>');
  assert.equal(show(html`<a href="/${"/evil.example"}">x</a>`), '<a href="/%2Fevil.example">x</a>');
  assert.equal(show(html`<a href="/${"\ud800"}">x</a>`), '<a href="/%EF%BF%BD">x</a>');
});

test("a template that cannot be made safe is refused", () => {
  assert.throws(() => html`<script>${"x"}</script>`, /no value may stand in <script>/);
  assert.throws(() => html`<style>${"x"}</style>`, /no value may stand in <style>/);
  assert.throws(() => html`<!-- ${"x"} -->`, /comment/);
  assert.throws(() => html`<p onclick="${"x"}"></p>`, /onclick/);
  assert.throws(() => html`<p style="${"x"}"></p>`, /style/);
  assert.throws(() => html`<p title="`, /must end between tags/);
  assert.throws(() => html`<p `, /must end between tags/);
});

test("a whole page with scripts and comments of our own is fine", () => {
  const page = html`<!doctype html><!-- > --><script type="module" src="${"/a.js"}"></script><input disabled value=1 name="${"n"}" />`;
  assert.ok(show(page).includes('src="/a.js"') && show(page).includes('name="n"'));
  assert.equal(show(html`${trustedHtml("<hr>")}`), "<hr>");
});

test("href leaves out what is empty, and isLocalPath refuses other hosts", () => {
  assert.equal(href("/a", { b: "x y", c: undefined, d: "", e: 2, f: ["1", "2"] }), "/a?b=x+y&e=2&f=1&f=2");
  assert.equal(href("/a?z=1", { b: 1 }), "/a?z=1&b=1");
  for (const path of ["//evil.example", "/\\evil.example", "https://evil.example", "evil", "/a\nb", ""])
    assert.equal(isLocalPath(path), false, path);
  assert.equal(isLocalPath("/dashboard?env=test"), true);
});

test("only constants of ours and the guides pass as markup without a template", () => {
  const root = new URL("../../", import.meta.url);
  const files = globSync("**/*.ts", { cwd: root }).filter(
    (file) =>
      !file.endsWith(".test.ts") && readFileSync(new URL(file, root), "utf8").includes("trustedHtml("),
  );
  assert.deepEqual(files.toSorted(), [
    "web/docs/guide-page.ts",
    "web/docs/html.ts",
    "web/docs/render-guide.ts",
    "web/parts/icon.ts",
  ]);
});
