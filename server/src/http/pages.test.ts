import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { problemCodes, problemTable } from "../lib/problem-table.ts";
import { openBrowser, type TestBrowser } from "../testing/open-browser.ts";
import { createTestApp, type TestApp } from "../testing/test-app.ts";
import { operationsOf } from "./openapi-parts.ts";

let scrip: TestApp;
let address: string;
let chromium: TestBrowser;
let page: Page;
/** Every address that the page asked for, and everything that the browser complained of. */
let asked: string[];
let complaints: string[];

before(async () => {
  chromium = await openBrowser();
  scrip = await createTestApp();
  address = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
});

after(async () => {
  await chromium?.close();
  await scrip?.close();
});

beforeEach(async () => {
  [asked, complaints] = [[], []];
  page = await chromium.browser.newPage();
  page.on("request", (request) => asked.push(request.url()));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
});

test("/docs shows every operation and asks nothing of any host but ours", async () => {
  await page.goto(`${address}/docs`);
  const operations = [...operationsOf(scrip.app.openApi()).values()];
  assert.ok(operations.some(({ summary }) => summary === "List the catalog"));
  for (const { summary = "" } of operations) {
    await page
      .getByRole("link", { name: `${summary} HTTP Method` })
      .first()
      .click();
    await page.getByRole("heading", { name: summary, exact: true }).waitFor();
  }
  await page.getByText("Needs the scope catalog:read.").first().waitFor();
  await page.close();
  assert.ok(asked.includes(`${address}/openapi.json`));
  assert.deepEqual(elsewhere(), []);
  assert.deepEqual(complaints, []);
});

test("the browser would refuse /docs another host even if the page asked one", async () => {
  await page.goto(`${address}/docs`);
  const answered = await page.evaluate(() =>
    fetch("https://elsewhere.example/").then(
      () => true,
      () => false,
    ),
  );
  assert.equal(answered, false);
  assert.match(complaints.join("\n"), /Content Security Policy/);
});

test("/errors lists every code, and the page of each tells its title, meaning and remedy", async () => {
  await page.goto(`${address}/errors`);
  const links = await page.getByRole("table").getByRole("link").all();
  const listed = await Promise.all(links.map((link) => link.getAttribute("href")));
  assert.deepEqual(listed.toSorted(), problemCodes.map((code) => `/errors/${code}`).toSorted());
  for (const code of problemCodes) {
    await page.goto(`${address}/errors/${code}`);
    const { status, title, meaning, remedy } = problemTable[code];
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), title);
    const shown = (await page.getByRole("main").textContent()) ?? "";
    for (const part of [`HTTP ${status} · ${code}`, plain(meaning), plain(remedy)]) {
      assert.ok(shown.includes(part), `${part} is not in: ${shown}`);
    }
  }
  assert.deepEqual(elsewhere(), []);
  assert.deepEqual(complaints, []);
});

test("/errors breaks no code on a wide screen, and needs no scrolling sideways on a narrow one", async () => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${address}/errors`);
  const broken = await page
    .getByRole("table")
    .locator("code")
    .evaluateAll((codes) =>
      codes.filter((code) => code.getClientRects().length > 1).map((code) => code.innerHTML),
    );
  assert.deepEqual(broken, []);
  await page.setViewportSize({ width: 360, height: 800 });
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= 360"));
});

test("/errors of an unknown code is 404", async () => {
  const reply = await scrip.call("GET", "/errors/no_such_code");
  assert.equal(reply.statusCode, 404);
  assert.equal(reply.json().code, "not_found");
});

const elsewhere = (): string[] => asked.filter((url) => !url.startsWith(`${address}/`));

const plain = (marked: string): string => marked.replaceAll("`", "");
