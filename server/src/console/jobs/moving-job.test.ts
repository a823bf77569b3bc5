import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { addProducts } from "../../../testing/builders/builders.ts";
import { openJobDeps } from "../../../testing/builders/job-desk.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { openConsoleOn } from "../../../testing/people/console-desk.ts";
import { freePort } from "../../../testing/processes/free-port.ts";
import { runNextJob } from "../../jobs/run-job.ts";

const WAIT_MS = 60_000;
const PRODUCTS = "id,name,faceValue.amount,faceValue.currency\nfresh,Fresh,25,USD\n";

let scrip: TestApp;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let chromium: TestBrowser;
let url: string;
let work: () => Promise<void>;

before(async () => {
  const port = await freePort();
  const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
  url = `http://127.0.0.1:${port}`;
  [scrip, chromium] = await Promise.all([createTestApp({ clock }), openBrowser()]);
  desk = await openConsoleOn(scrip, { url });
  const deps = { ...(await openJobDeps(scrip.db, clock)), ...scrip };
  work = async () => {
    while (await runNextJob(deps));
  };
  const supplierId = await addSupplierRow(scrip.db, { name: "Warehouse" });
  await addProducts(scrip.db, [{ id: "card" }]);
  await addRouteRow(scrip.db, { productId: "card", supplierId, costMinor: 810n, currency: "USD" });
  await desk.console.listen({ host: "127.0.0.1", port });
});
after(async () => {
  await chromium?.close();
  await desk?.console.close();
  await scrip?.close();
});

/** Someone who imports a file and whose pointer rests on what the page shows next. */
async function importFile(path: string, text: string): Promise<Page> {
  const context = await chromium.browser.newContext({ reducedMotion: "reduce" });
  const { cookie } = await desk.enter("catalog");
  await context.addCookies([{ name: "scrip-console", value: cookie, url }]);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(`${url}${path}`);
  // What is kept here is lost when the page is loaded again.
  await page.evaluate("window.isSamePage = true");
  await page.clock.install();
  await page
    .getByLabel("File")
    .setInputFiles({ name: "file.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.locator("main form button[type=submit]").click();
  await page.getByText("waiting").waitFor();
  await page.locator("#progress").hover();
  return page;
}

/** The page reads itself after this time, and says when it does it next. */
async function passPoll(page: Page, intervalMs: number): Promise<void> {
  await page.locator(`#main[up-interval="${intervalMs}"]`).waitFor();
  const [answer] = await Promise.all([page.waitForResponse(/\/jobs\//), page.clock.fastForward(intervalMs)]);
  assert.equal(answer.status(), 200);
}

test("the page of an import asks its question without a reload, with the pointer on its progress", async () => {
  const page = await importFile("/products/import", PRODUCTS);
  for (const intervalMs of [500, 1_000, 2_000, 5_000, 5_000]) await passPoll(page, intervalMs);
  await work();
  await page.locator("#progress").hover();
  assert.equal(await page.locator("#progress:hover").count(), 1);
  await passPoll(page, 5_000);
  await page.getByText("Import these products?").waitFor();
  await page.getByText("1 new, 0 changed, 0 unchanged").waitFor();
  assert.equal(await page.locator("[up-poll]").count(), 0, "what waits for a person stands still");
  await page.getByRole("button", { name: "Import products" }).click();
  await page.getByText("waiting").waitFor();
  await work();
  // It moves again, so it is read soon again.
  await passPoll(page, 500);
  await page.getByText("succeeded").waitFor();
  assert.equal(await page.evaluate("window.isSamePage"), true);
  await page.context().close();
});

test("an import that fails says why, names its rows and offers them as a file, without a reload", async () => {
  const page = await importFile("/stock/import?product=card", "code\nTEST-1\n");
  await work();
  await passPoll(page, 500);
  await page.getByText(/Nothing was imported: 1 invalid row/).waitFor();
  await page.getByRole("cell", { name: /^begins with TEST-/ }).waitFor();
  await page.getByRole("link", { name: /^Download/ }).waitFor();
  assert.equal(await page.evaluate("window.isSamePage"), true);
  await page.context().close();
});

test("a button of a moving page keeps the focus, and a click on it that has begun ends on it", async () => {
  const page = await importFile("/products/import", PRODUCTS);
  const cancel = page.getByRole("button", { name: "Cancel job" });
  await cancel.focus();
  await passPoll(page, 500);
  await page.locator('#main[up-interval="1000"]').waitFor();
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Cancel job");
  await cancel.hover();
  await page.mouse.down();
  // What was read now would take the button away from under the pointer.
  await page.evaluate("up.on('up:fragment:poll', (event) => { window.wasHeld = event.defaultPrevented; })");
  await page.clock.fastForward(1_000);
  await page.waitForFunction("window.wasHeld === true");
  await page.mouse.up();
  await page.getByText("cancelled", { exact: true }).first().waitFor();
  assert.equal(await page.evaluate("window.isSamePage"), true);
  await page.context().close();
});
