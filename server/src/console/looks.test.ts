import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { checkPage, type View } from "../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { codeFor } from "../../testing/people/authenticator-app.ts";
import { type ConsoleVisit, openConsoleDesk, openConsoleOn } from "../../testing/people/console-desk.ts";
import { PASSWORD } from "../../testing/people/people-desk.ts";
import { freePort } from "../../testing/processes/free-port.ts";

const VIEWS: readonly View[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
];
const WAIT_MS = 20_000;

let desk: Awaited<ReturnType<typeof openConsoleDesk>>;
let listening: Awaited<ReturnType<typeof openConsoleOn>>;
let browser: TestBrowser;
let url: string;
let admin: ConsoleVisit;

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  [desk, browser] = await Promise.all([openConsoleDesk(), openBrowser()]);
  listening = await openConsoleOn(desk, { url });
  await listening.console.listen({ host: "127.0.0.1", port });
  admin = await desk.enter("admin");
  for (const role of ["finance", "support", "catalog"] as const) await desk.enter(role);
  for (const name of ["Corner Shop", "Corner <i>Café</i> with a very long name that goes on"])
    await desk.addReseller({ name });
});
after(async () => {
  await Promise.allSettled([browser?.close(), listening?.console.close()]);
  await desk?.close();
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test("without scripts an admin signs in with a one-time code, searches, invites someone and signs out", async () => {
  const context = await browser.browser.newContext({ javaScriptEnabled: false });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  await page.goto(`${url}/staff`);
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Sign in");
  desk.clock.advance(30_000);
  await page.getByLabel("One-time code").fill(codeFor(admin.totpKey, desk.clock.now()));
  await press(page, "Continue");
  await page.getByRole("heading", { name: "Staff", level: 1 }).waitFor();
  await page.getByLabel("Email", { exact: true }).fill("new@scrip.example");
  await page.getByLabel("Role").selectOption("viewer");
  await press(page, "Invite");
  await page.getByText("Send this link to new@scrip.example").waitFor();
  await page.getByLabel("Search").fill("corner");
  await page.getByLabel("Search").press("Enter");
  await page.getByText("Corner Shop").waitFor();
  await page.locator("details.person summary").click();
  await press(page, "Sign out");
  await page.getByText("You are signed out.").waitFor();
  await context.close();
});

/** Each page in one view: what is on it differs, the style sheet does not. */
test("every page of ours is sound in a browser, light and wide or dark and narrow", async () => {
  const cookie = { name: "scrip-console", value: admin.cookie };
  const paths = [
    "/staff",
    `/staff/${admin.accountId}`,
    "/activity",
    "/system",
    "/search?q=corner",
    "/search",
  ];
  for (const [index, path] of paths.entries()) {
    const views = VIEWS.slice(index % 2, (index % 2) + 1);
    assert.deepEqual(await checkPage(browser.browser, { url: `${url}${path}`, cookie, views }), [], path);
  }
});
