import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Checker, openChecker, type View } from "../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { PRICE_MINOR } from "../../testing/builders/shop.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { codeFor } from "../../testing/people/authenticator-app.ts";
import { openBadNight } from "../../testing/people/bad-night.ts";
import type { ConsoleVisit } from "../../testing/people/console-desk.ts";
import { PASSWORD } from "../../testing/people/people-desk.ts";
import { freePort } from "../../testing/processes/free-port.ts";
import { sold } from "../../testing/upstream/scripted-supplier.ts";
import { wideTest } from "../../testing/wide-test.ts";

const WAIT_MS = 60_000;
const STALE_PROOF_MS = 6 * 60_000;
const FUNDS_MINOR = 10_000_000;
const DEPOSIT_MINOR = 250_000;
/** Seven units were ordered: two from stock, one that was refused and held, four whose outcome is unknown. */
const SPENT_MINOR = 7 * PRICE_MINOR;

let night: Awaited<ReturnType<typeof openBadNight>>;
let chromium: TestBrowser;
let url: string;

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  [night, chromium] = await Promise.all([openBadNight({ url, dualControlAbove: "1000" }), openBrowser()]);
  await night.orders.desk.console.listen({ host: "127.0.0.1", port });
});
after(async () => {
  await chromium?.close();
  await night?.orders.close();
});

/** To the cent: what the wallet has is what its entries add up to. */
async function assertMoney(minor: number): Promise<void> {
  assert.deepEqual(await night.money(), [{ balance: BigInt(minor), entries: BigInt(minor) }]);
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).first().click();
const follow = (page: Page, name: string | RegExp) =>
  page.getByRole("link", { name, exact: true }).first().click();
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
const open = (page: Page, path: string) => page.goto(`${url}${path}`);

/** Each code of the app works once. */
async function typeCode(page: Page, { totpKey }: ConsoleVisit): Promise<void> {
  night.clock.advance(30_000);
  await page.getByLabel("One-time code").fill(codeFor(totpKey, night.clock.now()));
  await press(page, "Continue");
}

async function signIn(page: Page, person: ConsoleVisit, path: string): Promise<void> {
  await open(page, path);
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Sign in");
  await typeCode(page, person);
}

/** What the overview says, each with the page that it leads to. */
async function readNeeds(page: Page): Promise<string[]> {
  await open(page, "/");
  const links = page.locator("#needs tbody a");
  return Promise.all(
    (await links.all()).map(async (link) => `${await link.textContent()} ${await link.getAttribute("href")}`),
  );
}

async function sitDown(hasScripts: boolean): Promise<Checker> {
  const checker = await openChecker(chromium.browser, { url, hasScripts });
  checker.page.setDefaultTimeout(WAIT_MS);
  return checker;
}

async function proposeDeposit(page: Page, person: ConsoleVisit): Promise<string> {
  night.clock.advance(STALE_PROOF_MS);
  await open(page, "/money");
  await follow(page, "Move money");
  // The page before has a link of the same name.
  await heading(page, "Move money");
  await follow(page, "Northwind Games");
  await page.getByLabel("Amount").fill("2500.00");
  await page.getByLabel("Note").fill("Bank transfer 4711");
  await press(page, "Continue");
  await says(page, "The balance is 99,997.00 USD now and becomes 102,497.00 USD.");
  await press(page, "Propose credit");
  await heading(page, "Confirm that it is you");
  await says(page, "Propose a credit of 2,500.00 USD to Northwind Games. Another person has to approve it.");
  await typeCode(page, person);
  await says(page, "Waiting for another person");
  return new URL(page.url()).pathname;
}

/** One is found at the supplier, two are written off together, the held refund is released. */
async function settleOrders(page: Page): Promise<void> {
  const [found, ...lost] = night.unknown;
  await open(page, "/unknown");
  night.orders.supplier.answers = [sold("FOUND")];
  await page.getByRole("button", { name: `Look up at supplier: ${found}` }).click();
  await says(page, "1 purchase is sold, and delivered to the reseller.");
  await assertMoney(FUNDS_MINOR - SPENT_MINOR);
  await open(page, "/stuck");
  for (const id of lost) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  await press(page, "Write off");
  await says(page, /In all 3\.00 USD goes back/);
  await page.getByLabel("Reason").fill("no answer for an hour");
  await press(page, "Write off");
  await heading(page, "Write off: 2 of 2 done");
  await assertMoney(FUNDS_MINOR - SPENT_MINOR + 3 * PRICE_MINOR);
  await open(page, `/orders/${night.held}`);
  await follow(page, "Release");
  await page.getByLabel("Reason").fill("Bamboo has none");
  await press(page, "Release");
  await says(page, "The refund is released.");
  await night.work();
  await assertMoney(FUNDS_MINOR - SPENT_MINOR + 4 * PRICE_MINOR);
}

/** The file of codes goes through the form; a worker imports it. */
async function importCodes(page: Page, name: string, hasScripts: boolean): Promise<void> {
  await open(page, `/stock/import?product=${night.soldOut}`);
  await press(page, "Import codes");
  await says(page, "Choose a file.");
  const buffer = Buffer.from(`code\n${name}-1\n${name}-2\n`);
  await page.getByLabel("File").setInputFiles({ name: `${name}.csv`, mimeType: "text/csv", buffer });
  await press(page, "Import codes");
  await says(page, "The import has started");
  assert.match(page.url(), /\/jobs\/job_/);
  await night.work();
  if (!hasScripts) await page.reload();
  await says(page, "Import these codes?");
  await press(page, "Import codes");
  await says(page, "The import has started.");
  await night.work();
  if (!hasScripts) await page.reload();
  await says(page, "succeeded");
}

async function enableEndpoint(page: Page): Promise<void> {
  await open(page, "/");
  await follow(page, /Northwind Games: hooks\.example\.com/);
  await follow(page, "Enable");
  await says(page, /are sent again, at most 30 days back/);
  await press(page, "Enable");
  await says(page, "The endpoint is enabled. What it missed is being sent again.");
  await night.work();
  const [missed, ...rest] = await night.missedDeliveries();
  assert.deepEqual([missed?.status, rest], ["pending", []]);
  assert.ok((missed?.deliveries ?? 0n) > 0n);
}

const LIGHT_AND_WIDE: View = { theme: "light", width: 1280 };
const DARK_AND_NARROW: View = { theme: "dark", width: 390 };
/** In `npm test` the two take turns. */
const VIEWS_OF = sizeFor<(index: number) => readonly View[]>("fuzz", {
  share: (index) => [index % 2 === 0 ? LIGHT_AND_WIDE : DARK_AND_NARROW],
  wide: () => [LIGHT_AND_WIDE, DARK_AND_NARROW],
  full: () => [LIGHT_AND_WIDE, DARK_AND_NARROW],
});

wideTest("the pages of a bad night are sound, light and wide, dark and narrow", async () => {
  const [one, two] = night.unknown;
  const cookie = { name: "scrip-console", value: (await night.orders.desk.enter("support")).cookie };
  const checker = await openChecker(chromium.browser, { url, cookie });
  const paths = ["/orders", `/orders/${one}`, "/unknown", "/stuck", `/orders/${two}/write-off`];
  for (const [index, path] of paths.entries())
    assert.deepEqual(await checker.visit(`${url}${path}`, { views: VIEWS_OF(index) }), [], path);
  await checker.close();
});

test("a bad night is solved through the pages by two people, and the money is right to the cent", async () => {
  const { desk } = night.orders;
  const [ada, ben] = [await desk.enter("admin"), await desk.enter("admin")];
  const [first, second] = [await sitDown(true), await sitDown(false)];
  await assertMoney(FUNDS_MINOR - SPENT_MINOR);

  await signIn(first.page, ada, "/");
  await heading(first.page, "Overview");
  assert.deepEqual(await readNeeds(first.page), [
    "4 unknown outcomes /unknown",
    "1 held refund /stuck",
    `Bamboo /suppliers/${night.orders.supplierId}`,
    `Steam 25 EUR /products/${night.soldOut}`,
    `Northwind Games: hooks.example.com /resellers/${night.shop.buyer.resellerId}`,
  ]);
  await settleOrders(first.page);
  await importCodes(first.page, "ada", true);
  await enableEndpoint(first.page);
  const proposal = await proposeDeposit(first.page, ada);
  await assertMoney(FUNDS_MINOR - SPENT_MINOR + 4 * PRICE_MINOR);

  await signIn(second.page, ben, "/staff");
  await inviteAndSearch(second.page);
  // A look-up says nothing about a supplier's health: the next purchase does.
  assert.deepEqual(await readNeeds(second.page), [
    `A credit of 2,500.00 USD ${proposal}`,
    `Bamboo /suppliers/${night.orders.supplierId}`,
  ]);
  await follow(second.page, "A credit of 2,500.00 USD");
  await press(second.page, "Approve");
  await says(second.page, "Approved. The balance is 102,497.00 USD now.");
  await assertMoney(FUNDS_MINOR - SPENT_MINOR + 4 * PRICE_MINOR + DEPOSIT_MINOR);
  await importCodes(second.page, "ben", false);

  await night.evaluate();
  await open(second.page, "/alerts");
  await says(second.page, "No open alerts");
  await open(second.page, "/system");
  await press(second.page, "Run the audit");
  await night.work();
  await second.page.reload();
  await says(second.page, "succeeded");
  await night.shop.assertHealthy();
  await signOut(second.page);
  await Promise.all([first.close(), second.close()]);
});

async function inviteAndSearch(page: Page): Promise<void> {
  await heading(page, "Staff");
  await page.getByLabel("Email", { exact: true }).fill("new@scrip.example");
  await page.getByLabel("Role").selectOption("viewer");
  await press(page, "Invite");
  await says(page, "Send this link to new@scrip.example");
  await page.getByLabel("Search").fill("northwind");
  await page.getByLabel("Search").press("Enter");
  await says(page, "Northwind Games");
}

async function signOut(page: Page): Promise<void> {
  await page.locator("details.person summary").click();
  await press(page, "Sign out");
  await says(page, "You are signed out.");
}
