import type { Browser, Page } from "playwright-core";
import { codeFor } from "./authenticator-app.ts";
import type { Site } from "./open-site.ts";
import { PASSWORD } from "./people-desk.ts";

/** A page that does not answer fails here, and not at the end of the whole run. */
export const WAIT_MS = 60_000;

export type Room = { site: Site; browser: Browser };

/** Someone in front of a browser. */
export type Person = {
  page: Page;
  site: Site;
  email: string;
  hasScripts: boolean;
  /** What the browser complained of. */
  complaints: string[];
  /** What was typed into the authenticator app. */
  appKey: string;
};

/** A person who has a passkey in the computer, if scripts run. The page's own timers can be moved by its clock. */
export async function sitDown({ site, browser }: Room, email: string, hasScripts: boolean): Promise<Person> {
  const context = await browser.newContext({
    javaScriptEnabled: hasScripts,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const isAskedFor = /status of 403/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isAskedFor) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${site.url}/`)) complaints.push(`asks ${request.url()}`);
  });
  if (hasScripts) {
    await page.clock.install();
    const devtools = await context.newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", { options: AUTHENTICATOR });
  }
  return { page, site, email, hasScripts, complaints, appKey: "" };
}

const AUTHENTICATOR = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

export const press = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).first().click();
export const follow = (page: Page, name: string) =>
  page.getByRole("link", { name, exact: true }).first().click();
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
export async function section(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name }).click();
  await heading(page, name);
}

export async function accept(person: Person, link: string): Promise<void> {
  const { page } = person;
  await page.goto(link);
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Set password");
  await page.getByRole("link", { name: "Later" }).waitFor();
}

export async function addFactors(person: Person): Promise<void> {
  const { page, site, hasScripts } = person;
  if (hasScripts) {
    await follow(page, "Add a passkey");
    await press(page, "Add passkey");
    await follow(page, "I have stored them");
    await follow(page, "Add an app");
  } else await follow(page, "Add an authenticator app");
  await press(page, "Show the QR code");
  await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  person.appKey = (await page.locator(".secret code").textContent()) ?? "";
  await page.getByLabel("One-time code").fill(codeFor(person.appKey, site.clock.now()));
  await press(page, "Continue");
  // Recovery codes come with the first factor.
  if (!hasScripts) await follow(page, "I have stored them");
  await page.getByText("Where you are signed in").waitFor();
}

export async function signOutAndIn(person: Person): Promise<void> {
  const { page, email, hasScripts } = person;
  await page.locator("details.person summary").click();
  await press(page, "Sign out");
  await page.getByText("You are signed out.").waitFor();
  if (hasScripts) await press(page, "Use a passkey");
  else {
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await press(page, "Sign in");
    await typeCode(person);
  }
  await page.waitForURL((to) => to.pathname === "/dashboard");
}

/** Each code of the app works once. */
async function typeCode({ page, site, appKey }: Person): Promise<void> {
  site.clock.advance(30_000);
  await page.getByLabel("One-time code").fill(codeFor(appKey, site.clock.now()));
  await press(page, "Continue");
}

/** Fresh proof: with a passkey, or with a code. What was started is done with it. */
export async function confirm(person: Person): Promise<void> {
  const { page, hasScripts } = person;
  await heading(page, "Confirm that it is you");
  if (hasScripts) await press(page, "Use a passkey");
  else await typeCode(person);
}
