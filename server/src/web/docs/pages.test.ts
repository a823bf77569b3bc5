import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { openWatchedPage, type WatchedPage } from "../../../testing/browser/watch-page.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { operationsOf } from "../../http/openapi/parts.ts";
import { problemCodes, problemTable } from "../../lib/problem-table.ts";

/** Clicking through all of them takes as long as all other tests here. */
const OPERATIONS_OPENED = sizeFor("soak", { share: 2, full: Number.POSITIVE_INFINITY });
const ERRORS_OPENED = sizeFor("soak", { share: 2, full: Number.POSITIVE_INFINITY });

let scrip: TestApp;
let address: string;
let chromium: TestBrowser;
/** The API reference, loaded once for all its tests because loading takes seconds. */
let docs: WatchedPage;

before(async () => {
  chromium = await openBrowser();
  scrip = await createTestApp();
  address = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  docs = await openPage("/docs");
});

after(async () => {
  await chromium?.close();
  await scrip?.close();
});

async function openPage(path: string): Promise<WatchedPage> {
  const watched = await openWatchedPage(chromium.browser);
  await watched.page.goto(`${address}${path}`);
  return watched;
}

wideTest("/docs shows every operation and requests nothing from other hosts", async () => {
  const { page, asked, complaints } = docs;
  const summaries = [...operationsOf(scrip.app.openApi()).values()].map(({ summary = "" }) => summary);
  assert.ok(summaries.includes("List the catalog"));
  const linkOf = (summary: string) => page.getByRole("link", { name: `${summary} HTTP Method` }).first();
  await linkOf(summaries[0] ?? "").waitFor();
  const links = await page.getByRole("link").evaluateAll((all) => all.map(({ innerText }) => innerText));
  for (const summary of summaries)
    assert.ok(
      links.some((link) => link.includes(summary)),
      `${summary} is not among ${links.join(", ")}`,
    );
  const every = Math.ceil(summaries.length / OPERATIONS_OPENED);
  for (const summary of summaries.filter((_, index) => index % every === 0)) {
    await linkOf(summary).click();
    await page.getByRole("heading", { name: summary, exact: true }).waitFor();
  }
  await linkOf("List the catalog").click();
  await page.getByText("Needs the scope catalog:read.").first().waitFor();
  assert.ok(asked.includes(`${address}/openapi.json`));
  assert.deepEqual(elsewhere(asked), []);
  assert.deepEqual(complaints, []);
});

test("the API reference links to the guides and the errors", async () => {
  const { page, asked, complaints } = docs;
  const header = page.getByRole("navigation", { name: "Scrip" });
  await header.waitFor();
  // The click fails if parts of the reference cover the header.
  await header.getByRole("link", { name: "Guides" }).click();
  await page.getByRole("heading", { name: "Guides", level: 1 }).waitFor();
  assert.deepEqual(elsewhere(asked), []);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the browser refuses other hosts on /docs", async () => {
  const { page, complaints } = await openPage("/healthz");
  // The policy is in the headers, so it applies before anything on the page runs. Running it takes seconds.
  await page.route("**/*.js", (route) => route.fulfill({ body: "" }));
  await page.goto(`${address}/docs`, { waitUntil: "commit" });
  const answered = await page.evaluate(() =>
    fetch("https://elsewhere.example/").then(
      () => true,
      () => false,
    ),
  );
  assert.equal(answered, false);
  assert.match(complaints.join("\n"), /Content Security Policy/);
  await page.close();
});

test("/errors lists every code, and each page shows its title, meaning and remedy", async () => {
  const { page, asked, complaints } = await openPage("/errors");
  const links = await page.getByRole("table").getByRole("link").all();
  const listed = await Promise.all(links.map((link) => link.getAttribute("href")));
  assert.deepEqual(listed.toSorted(), problemCodes.map((code) => `/errors/${code}`).toSorted());
  const bodies = await Promise.all(
    problemCodes.map(async (code) => (await scrip.app.inject(`/errors/${code}`)).body),
  );
  const shown = await page.evaluate(readPages, bodies);
  for (const [index, code] of problemCodes.entries()) {
    const { status, title, meaning, remedy } = problemTable[code];
    assert.deepEqual(shown[index]?.headings, [title]);
    for (const part of [`HTTP ${status} · ${code}`, plain(meaning), plain(remedy)]) {
      assert.ok(shown[index]?.main.includes(part), `${part} is not in: ${shown[index]?.main}`);
    }
  }
  const every = Math.ceil(problemCodes.length / ERRORS_OPENED);
  for (const code of problemCodes.filter((_, index) => index % every === 0)) {
    await page.goto(`${address}/errors/${code}`);
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), problemTable[code].title);
  }
  assert.deepEqual(elsewhere(asked), []);
  assert.deepEqual(complaints, []);
});

test("/ tells a person what this server is, and an API client that nothing is there", async () => {
  const { page, asked, complaints } = await openPage("/");
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Scrip");
  await page.getByText("Available").waitFor();
  const paths = await page
    .getByRole("main")
    .getByRole("link")
    .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
  assert.ok(paths.length >= 5);
  for (const path of paths)
    assert.ok([200, 303].includes((await scrip.app.inject(path)).statusCode), `${path} leads nowhere`);
  await page.setViewportSize({ width: 360, height: 800 });
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= 360"));
  assert.deepEqual(elsewhere(asked), []);
  assert.deepEqual(complaints, []);
  await page.close();
  for (const accept of [undefined, "*/*", "application/json", "text/html;q=0, */*"]) {
    const reply = await scrip.app.inject({ url: "/", headers: accept === undefined ? {} : { accept } });
    assert.deepEqual(
      [reply.statusCode, reply.headers["content-type"], reply.headers.vary],
      [404, "application/problem+json; charset=utf-8", "accept"],
      accept,
    );
  }
});

/** The part of the browser API that is used here. */
declare const DOMParser: new () => {
  parseFromString(
    text: string,
    type: string,
  ): { querySelectorAll(selector: string): Iterable<{ textContent: string | null }> };
};

/** Runs in the browser: parses pages without navigating to each of them. A bundle adds to named functions what is not there. */
const readPages = (bodies: string[]) =>
  bodies.map((body) => {
    const page = new DOMParser().parseFromString(body, "text/html");
    return {
      headings: [...page.querySelectorAll("h1")].map(({ textContent }) => textContent),
      main: [...page.querySelectorAll("main")].map(({ textContent }) => textContent).join(""),
    };
  });

test("/errors breaks no code on a wide screen and does not scroll sideways on a narrow one", async () => {
  const { page } = await openPage("/errors");
  await page.setViewportSize({ width: 1280, height: 900 });
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

test("/errors/{code} with an unknown code returns 404", async () => {
  const reply = await scrip.call("GET", "/errors/no_such_code");
  assert.equal(reply.statusCode, 404);
  assert.equal(reply.json().code, "not_found");
});

const elsewhere = (asked: readonly string[]): string[] =>
  asked.filter((url) => !url.startsWith(`${address}/`));

const plain = (marked: string): string => marked.replaceAll("`", "");
