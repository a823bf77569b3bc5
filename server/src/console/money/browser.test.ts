import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { checkPage, VIEWS } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { addBuyer, addCard, type Buyer, balanceOf, postOrder } from "../../../testing/builders/buyers.ts";
import { addEndpoint } from "../../../testing/builders/webhook-builders.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { type ConsoleVisit, openConsoleOn } from "../../../testing/people/console-desk.ts";
import { COMMAND } from "../../../testing/people/people-desk.ts";
import { freezeReseller } from "../../resellers/freeze-reseller.ts";

let scrip: TestApp;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let url: string;
let browser: TestBrowser;
let buyer: Buyer;
let proposer: ConsoleVisit;
let approver: ConsoleVisit;

before(async () => {
  scrip = await createTestApp();
  [desk, browser] = await Promise.all([
    openConsoleOn(scrip, { url: "http://localhost", dualControlAbove: "1000" }),
    openBrowser(),
  ]);
  url = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  await addCard(scrip.db);
  buyer = await addBuyer(scrip);
  for (const name of ["a", "b", "c"]) await postOrder(scrip, buyer, name);
  await addEndpoint(scrip.db, buyer);
  proposer = await desk.enter("finance");
  approver = await desk.enter("admin");
});
after(async () => {
  await Promise.all([browser?.close(), desk?.console.close()]);
  await scrip?.close();
});

const cookieOf = ({ cookie }: ConsoleVisit) => ({ name: "scrip-console", value: cookie });

async function asPerson<Result>(
  person: ConsoleVisit,
  javaScriptEnabled: boolean,
  act: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.browser.newContext({ javaScriptEnabled });
  await context.addCookies([{ ...cookieOf(person), url }]);
  try {
    return await act(await context.newPage());
  } finally {
    await context.close();
  }
}

test("one person proposes with scripts, another approves without, and the money moves once", async () => {
  const proposal = await asPerson(proposer, true, async (page) => {
    await page.goto(`${url}/money`);
    await page.getByRole("link", { name: "Move money" }).click();
    await page.getByRole("link", { name: "Buyer" }).click();
    await page.getByLabel("Amount").fill("2500.00");
    await page.getByLabel("Note").fill("Bank transfer 4711");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The balance is 992.50 USD now and becomes 3,492.50 USD.").waitFor();
    await page.getByRole("button", { name: "Propose credit" }).click();
    await page.getByText("Waiting for another person").waitFor();
    return new URL(page.url()).pathname;
  });
  assert.equal(await balanceOf(scrip.db, buyer), 99_250);
  await asPerson(approver, false, async (page) => {
    await page.goto(`${url}/money`);
    await page.getByRole("link", { name: "Approve" }).click();
    assert.equal(new URL(page.url()).pathname, proposal);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Approved. The balance is 3,492.50 USD now.").waitFor();
  });
  assert.equal(await balanceOf(scrip.db, buyer), 349_250);
});

test("resellers, money and the view are sound in a browser", async () => {
  await freezeReseller(scrip, buyer.resellerId, "Unusual orders since noon", COMMAND);
  const { resellerId } = buyer;
  // In `npm test` each page is looked at once, in another view than the one before.
  const viewsEach = sizeFor("fuzz", { share: 1, full: VIEWS.length });
  for (const [index, path] of [
    ...[
      `/resellers/${resellerId}`,
      `/view/${resellerId}/orders`,
      `/money/new?reseller=${resellerId}`,
      "/money",
    ],
    ...["/resellers", `/resellers/${resellerId}/unfreeze`, "/money/proposals"].slice(0, viewsEach - 1),
  ].entries()) {
    const views = [...VIEWS.slice(index % VIEWS.length), ...VIEWS].slice(0, viewsEach);
    const found = await checkPage(browser.browser, {
      url: `${url}${path}`,
      cookie: cookieOf(approver),
      views,
    });
    assert.deepEqual(found, [], path);
  }
});
