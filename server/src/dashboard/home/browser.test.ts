import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serveSections } from "../../../testing/app/serve-sections.ts";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { checkPage } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { addBuyer, addCard, type Buyer, postOrder } from "../../../testing/builders/buyers.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";

let scrip: TestApp;
let site: { url: string; close(): Promise<void> };
let browser: TestBrowser;
let buyer: Buyer;
let cookie: { name: string; value: string };

before(async () => {
  scrip = await createTestApp();
  [site, browser] = await Promise.all([serveSections(scrip), openBrowser()]);
  await addCard(scrip.db);
  buyer = await addBuyer(scrip);
  for (const name of ["a", "b", "c"]) await postOrder(scrip, buyer, name);
  cookie = { name: "scrip", value: (await signInAs(scrip, buyer.resellerId, "owner")).cookie };
});
after(async () => {
  await Promise.all([browser?.close(), site?.close()]);
  await scrip?.close();
});

const VIEWS = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
] as const;

test("home, wallet and keys are sound in a browser, light and wide, dark and narrow", async () => {
  for (const path of ["", "/wallet", "/wallet/statement", "/keys?env=test", `/keys/${buyer.keyId}`])
    assert.deepEqual(
      await checkPage(browser.browser, { url: `${site.url}/dashboard${path}`, cookie, views: VIEWS }),
      [],
      path,
    );
});

test("a key is created by its form, with scripts and without", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.browser.newContext({ javaScriptEnabled });
    await context.addCookies([{ ...cookie, url: site.url }]);
    const page = await context.newPage();
    await page.goto(`${site.url}/dashboard/keys?env=test`);
    await page.getByLabel("Name").fill("checkout");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("This is the only time it is shown").waitFor();
    assert.match((await page.locator(".secret code").first().textContent()) ?? "", /^sc_test_\w{38}$/);
    const copies = await page.getByRole("button", { name: "Copy", exact: true }).count();
    assert.equal(copies, javaScriptEnabled ? 2 : 0);
    await context.close();
  }
});
