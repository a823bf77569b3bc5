import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { checkPage } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { codeFor } from "../../../testing/people/authenticator-app.ts";
import { openDashboardDesk } from "../../../testing/people/dashboard-desk.ts";
import { COMMAND, PASSWORD } from "../../../testing/people/people-desk.ts";
import { freePort } from "../../../testing/processes/free-port.ts";
import { invitePerson } from "../../accounts/people/invite-person.ts";

let desk: Awaited<ReturnType<typeof openDashboardDesk>>;
let browser: TestBrowser;
let url: string;
let resellerId: string;

before(async () => {
  const port = await freePort();
  url = `http://localhost:${port}`;
  [desk, browser] = await Promise.all([openDashboardDesk({ url }), openBrowser()]);
  await desk.app.listen({ host: "localhost", port });
  resellerId = (await desk.addReseller({ name: "Corner Shop" })).id;
});
after(async () => {
  await Promise.allSettled([browser?.close(), desk?.close()]);
});

const invite = async (email: string, role: string) =>
  (await invitePerson(desk.accounts, { kind: "user", resellerId }, { email, role }, COMMAND)).link;

test("without scripts a person accepts, adds an app, signs in with a code and invites someone", async () => {
  const context = await browser.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(await invite("ada@corner.example", "owner"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("link", { name: "Later" }).waitFor();
  await page.getByRole("link", { name: "Add an authenticator app" }).click();
  await page.getByRole("button", { name: "Show the QR code" }).click();
  await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  const key = (await page.locator(".secret code").textContent()) ?? "";
  await page.getByLabel("One-time code").fill(codeFor(key, desk.clock.now()));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: "I have stored them" }).click();
  await page.locator("summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, "ada@corner.example");
  desk.clock.advance(30_000);
  await page.getByLabel("One-time code").fill(codeFor(key, desk.clock.now()));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.goto(`${url}/dashboard/team`);
  await page.getByLabel("Email").fill("kim@corner.example");
  await page.getByLabel("Role").selectOption("viewer");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByText("Send this link to kim@corner.example").waitFor();
  await context.close();
});

test("with scripts a person adds a passkey, signs in with it, and confirms with it, still able to sign out", async () => {
  const context = await browser.browser.newContext();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options: AUTHENTICATOR });
  await page.goto(await invite("bea@corner.example", "owner"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.getByRole("link", { name: "I have stored them" }).click();
  await page.locator("summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL((to) => to.pathname === "/dashboard");
  await page.goto(`${url}/dashboard/team`);
  desk.clock.advance(6 * 60_000);
  await page.getByRole("button", { name: "Require it of everyone" }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("A second factor is now required of everyone.").waitFor();
  await page.locator("summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are signed out.").waitFor();
  await context.close();
});

test("every page of people is accessible, keeps the policy and does not scroll sideways", async () => {
  const views = [
    { theme: "light", width: 1280 },
    { theme: "dark", width: 390 },
  ] as const;
  const owner = await desk.join((await desk.addReseller()).id, "owner");
  const cookie = { name: "scrip", value: owner.cookie };
  for (const path of ["/sign-in", "/reset", "/accept?token=x"])
    assert.deepEqual(
      await checkPage(browser.browser, {
        url: `${url}/dashboard${path}`,
        status: path.startsWith("/acc") ? 410 : 200,
        views,
      }),
      [],
      path,
    );
  const pages = [
    "/team?env=test",
    `/team/${owner.id}`,
    "/activity",
    "/settings",
    "/security",
    "/add-factor",
    "/confirm",
  ];
  for (const path of [...pages, "/security/totp", "/security/passkey", "/security/password"])
    assert.deepEqual(
      await checkPage(browser.browser, { url: `${url}/dashboard${path}`, cookie, views }),
      [],
      path,
    );
});

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const AUTHENTICATOR = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;
