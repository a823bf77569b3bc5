import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { openWatchedPage, type WatchedPage } from "../../../testing/browser/watch-page.ts";
import { GUIDE_NAMES } from "./read-guides.ts";

const PHONE = { width: 360, height: 740 };

let scrip: TestApp;
let address: string;
let chromium: TestBrowser;
let watched: WatchedPage;
let page: Page;
/** What the browser shows of each guide; each is opened once. */
const shown = new Map<string, Shown>();

before(async () => {
  chromium = await openBrowser();
  scrip = await createTestApp();
  address = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  watched = await openWatchedPage(chromium.browser);
  page = watched.page;
  for (const name of GUIDE_NAMES) {
    await page.goto(`${address}/docs/guides/${name}`);
    shown.set(name, await readPage());
  }
});

after(async () => {
  await chromium?.close();
  await scrip?.close();
});

type Shown = Awaited<ReturnType<typeof readPage>>;

async function readPage() {
  const wide = page.viewportSize();
  const read = {
    guides: await hrefsIn("nav.guides > ul > li >"),
    site: await hrefsIn('nav[aria-label="Scrip"]'),
    ids: await page.locator("[id]").evaluateAll((all) => all.map((element) => element.id)),
    links: await page.locator("main a").evaluateAll((all) => all.map((link) => `${link}`)),
    titles: await page.getByRole("heading", { level: 1 }).count(),
  };
  await page.setViewportSize(PHONE);
  const widthOnPhone = await page.evaluate("document.documentElement.scrollWidth");
  if (wide) await page.setViewportSize(wide);
  return { ...read, widthOnPhone };
}

test("/docs/guides links to every guide, and every guide links to the others, the reference and the errors", async () => {
  await page.goto(`${address}/docs/guides`);
  assert.equal(page.url(), `${address}/docs/guides/`);
  const listed = await hrefsIn("article dl");
  assert.deepEqual(
    listed,
    GUIDE_NAMES.map((name) => `/docs/guides/${name}`),
  );
  for (const [name, { guides, ids, site, titles }] of shown) {
    assert.deepEqual(guides, listed);
    assert.equal(new Set(ids).size, ids.length, `${name}: two sections have the same name`);
    assert.deepEqual(site, ["/", "/docs/guides/", "/docs/", "/errors"]);
    assert.equal(titles, 1);
  }
  assert.deepEqual(elsewhere(), []);
  assert.deepEqual(watched.complaints, []);
});

test("every link in every guide resolves, including its section", async () => {
  const links = new Set([...shown.values()].flatMap((guide) => guide.links));
  assert.ok(links.size > 50, `${links.size} links`);
  for (const link of links) {
    const { pathname, hash, origin } = new URL(link);
    assert.equal(origin, address);
    const { statusCode, body } = await scrip.app.inject(pathname);
    assert.equal(statusCode, 200, link);
    if (hash !== "") assert.ok(body.includes(`id="${hash.slice(1)}"`), `${link} has no such section`);
  }
});

test("a guide shows this server's URL in its commands, in HTML and in Markdown", async () => {
  const { body: html } = await scrip.app.inject("/docs/guides/quickstart");
  const { headers, body: markdown } = await scrip.app.inject("/docs/guides/quickstart.md");
  assert.equal(headers["content-type"], "text/markdown; charset=utf-8");
  assert.match(markdown, /^# Quickstart\n/);
  for (const body of [html, markdown]) {
    assert.ok(
      body.includes("BASE</span>=https://api.scrip.example") ||
        body.includes("BASE=https://api.scrip.example"),
    );
    assert.ok(!body.includes("localhost:8080"));
  }
});

test("a guide can load only its own styles", async () => {
  for (const path of ["/docs/guides/", "/docs/guides/quickstart"]) {
    const { headers } = await scrip.app.inject(path);
    assert.match(
      String(headers["content-security-policy"]),
      /^default-src 'none'; style-src 'unsafe-inline';/,
    );
  }
});

test("a guide fits a phone screen: only code blocks and tables scroll sideways", () => {
  assert.equal(shown.size, GUIDE_NAMES.length);
  for (const [name, { widthOnPhone }] of shown) assert.equal(widthOnPhone, PHONE.width, name);
});

test("a heading links to itself, and code is escaped", async () => {
  await page.goto(`${address}/docs/guides/orders`);
  await page.getByRole("heading", { name: "One key, one order" }).getByRole("link").click();
  assert.equal(new URL(page.url()).hash, "#one-key-one-order");
  const code = await page.locator("pre code").first().textContent();
  assert.equal(code, "export BASE=https://api.scrip.example\nexport KEY=sc_test_…");
});

test("/docs/guides/{name} with an unknown name returns 404, and no name leaves the folder", async () => {
  for (const name of ["no-such-guide", "no-such-guide.md", "..%2f..%2fREADME.md", "benchmarks.md"]) {
    const reply = await scrip.app.inject(`/docs/guides/${name}`);
    assert.equal(reply.statusCode, 404, name);
    assert.equal(reply.json().code, "not_found");
  }
});

const hrefsIn = (selector: string): Promise<(string | null)[]> =>
  page.locator(`${selector} a`).evaluateAll((links) => links.map((link) => link.getAttribute("href")));

const elsewhere = (): string[] => watched.asked.filter((url) => !url.startsWith(`${address}/`));
