import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import { checkPage, openChecker, VIEWS, type View } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { createGallery, GALLERY_COOKIE } from "../../../testing/gallery/serve-gallery.ts";

/** As our module tells Unpoly. */
const POLL_MS = 5_000;
const FIRST_VISIT_MAX_BYTES = 120_000;
const LATER_VISIT_MAX_BYTES = 25_000;

const { app, ran } = createGallery();
let chromium: TestBrowser;
let address: string;
before(async () => {
  chromium = await openBrowser();
  address = await app.listen({ host: "127.0.0.1", port: 0 });
});
after(async () => {
  await chromium?.close();
  await app.close();
});

const SESSION = { name: "scrip", value: GALLERY_COOKIE };
const WIDE_LIGHT: View = { theme: "light", width: 1280 };
const NARROW_DARK: View = { theme: "dark", width: 390 };

/** A page of a signed-in person, and what the browser complained of. */
async function open(path: string, options: { hasScripts?: boolean } = {}) {
  const context = await chromium.browser.newContext({
    javaScriptEnabled: options.hasScripts ?? true,
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  await context.addCookies([{ ...SESSION, url: address }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const isAskedFor = message.text().includes("status of 422");
    if (["error", "warning"].includes(message.type()) && !isAskedFor) complaints.push(message.text());
  });
  await page.goto(`${address}${path}`);
  return { context, page, complaints };
}

const loadsOf = (page: Page): Promise<number> => page.evaluate("performance.timeOrigin");

test("every part in every state is sound, light and dark, narrow and wide", async () => {
  const checker = await openChecker(chromium.browser, { url: address, cookie: SESSION });
  const check = (path: string, views: readonly View[]) =>
    checker.visit(`${address}${path}`, { views, hasColours: true });
  assert.deepEqual(await check("/gallery/parts", [WIDE_LIGHT, NARROW_DARK]), []);
  for (const path of ["/gallery/hostile", "/gallery/form"])
    assert.deepEqual(await check(path, [NARROW_DARK]), [], path);
  for (const path of ["/gallery?env=test", "/gallery/orders?status=failed"])
    assert.deepEqual(await check(path, [WIDE_LIGHT]), [], path);
  await checker.become(undefined);
  assert.deepEqual(await check("/gallery/sign-in", VIEWS), []);
  await checker.close();
});

test("a page that is not sound is found out", async () => {
  const broken =
    '<!doctype html><title>x</title><img src="https://elsewhere.example/x.png"><p style="width:2000px">x</p><font color="#eeeeee">pale</font><pre>'.concat(
      "wide ".repeat(200),
    );
  const headers = { "content-type": "text/html", "content-security-policy": "default-src 'none'" };
  const server = createServer((_request, reply) => reply.writeHead(200, headers).end(broken));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const faults = (await checkPage(chromium.browser, { url, views: [NARROW_DARK], hasColours: true })).join(
    "\n",
  );
  server.close();
  server.closeAllConnections();
  assert.match(faults, /dark 390: the page is \d{4} px wide/);
  assert.match(faults, /html-has-lang/);
  assert.match(faults, /color-contrast at font/);
  assert.match(faults, /Content Security Policy/);
});

test("the whole day works without JavaScript", async () => {
  const { context, page, complaints } = await open("/gallery", { hasScripts: false });
  await context.clearCookies();
  await page.goto(`${address}/gallery/form`);
  assert.equal(new URL(page.url()).pathname, "/gallery/sign-in");
  await page.getByLabel("Email").fill("dev@northwind.example");
  await page.getByLabel("Password").fill("long-enough-now");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Welcome back.").waitFor();
  await page.locator("details.person summary").click();
  await page.getByRole("button", { name: "Dark" }).click();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await page.getByRole("link", { name: "Forms" }).click();
  await page.getByLabel("Name").fill("shop");
  await page.getByRole("button", { name: "Create key" }).click();
  assert.match((await page.getByRole("alert").textContent()) ?? "", /2 fields need a change/);
  assert.equal(await page.getByLabel("Name").inputValue(), "shop");
  await page.getByLabel("Password").fill("long-enough-now");
  await page.getByLabel("I have stored").check();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Key shop was created.").waitFor();
  assert.equal(await page.locator(".copy-text").first().isVisible(), false);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("with JavaScript links and forms replace the main part, and the frame follows", async () => {
  const { context, page, complaints } = await open("/gallery");
  const load = await loadsOf(page);
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Forms" }).click();
  await page.getByRole("heading", { name: "Create key" }).waitFor();
  assert.equal(await page.title(), "Create key · Scrip");
  assert.deepEqual(await page.locator("#sections [aria-current]").allTextContents(), ["Forms"]);
  await page.getByLabel("Name").fill("shop");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "shop");
  await page.getByLabel("Password").fill("long-enough-now");
  await page.getByLabel("I have stored").check();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Key shop was created.").waitFor();
  assert.equal(new URL(page.url()).pathname, "/gallery/keys");
  await page.getByRole("link", { name: "Test", exact: true }).click();
  await page.getByText("Nothing here moves money").waitFor();
  assert.equal(await loadsOf(page), load);
  // A session that has ended in the meantime leads to the page to sign in, as a whole.
  await context.clearCookies();
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Parts" }).click();
  await page.getByLabel("Email").waitFor();
  assert.equal(await page.getByRole("navigation", { name: "Sections" }).count(), 0);
  assert.equal(ran.length > 0, true);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("keys, copying, the theme and the tips work, and nothing of it breaks the policy", async () => {
  const { context, page, complaints } = await open("/gallery/orders");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate("document.activeElement.matches('[data-search]')"), true);
  await page.keyboard.press("Escape");
  await page.evaluate("document.activeElement.blur()");
  // The button says so for a moment only, which a slow machine would miss.
  await page.evaluate(
    `new MutationObserver(() => {
      if (document.querySelector(".copy.copied")) document.body.dataset.seen = "copied";
    }).observe(document.body, { subtree: true, attributeFilter: ["class"] })`,
  );
  await page.locator(".copy").first().click();
  await page.locator("body[data-seen]").waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.equal(copied, await page.locator(".copy").first().getAttribute("data-copy"));
  await page.locator("tbody time").nth(2).focus();
  assert.match((await page.locator("#tip.shown").textContent()) ?? "", /15 Nov 2026, 14:18:03 UTC/);
  await page.getByLabel("Select all").check();
  assert.equal(await page.locator("[data-picked]").textContent(), "50 selected");
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("details.person summary").click();
  await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith("/gallery/theme")),
    page.getByRole("button", { name: "Dark" }).click(),
  ]);
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.locator("rect.hit").first().hover();
  assert.match((await page.locator("#tip.shown").textContent()) ?? "", /17 Oct: Completed 410, Refunded 0/);
  await page.reload();
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a live panel is read again, but never while it is under the pointer", async () => {
  const { context, page, complaints } = await open("/gallery");
  await page.clock.install();
  await page.goto(`${address}/gallery/live`);
  const panel = page.locator("#progress");
  const shown = async () => Number(/read (\d+) times/.exec((await panel.textContent()) ?? "")?.[1]);
  const first = await shown();
  await panel.hover();
  await page.clock.runFor(POLL_MS * 3);
  assert.equal(await shown(), first);
  await page.mouse.move(0, 0);
  await page.clock.runFor(POLL_MS);
  await page.getByText(`read ${first + 1} times`).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a form whose session has ended is answered in its place, and one without a server stays as it is", async () => {
  const { context, page } = await open("/gallery/form");
  await page.getByLabel("Name").fill("shop");
  await page.getByLabel("Password").fill("long-enough-now");
  await page.getByLabel("I have stored").check();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("The server did not answer.").waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "shop");
  await context.setOffline(false);
  await context.clearCookies();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Sign in first" }).waitFor();
  await context.close();
});

test("a passkey is made by the browser and sent as JSON, by its own functions and by ours", async () => {
  for (const isOld of [false, true]) {
    const { context, page, complaints } = await open("/gallery");
    const local = address.replace("127.0.0.1", "localhost");
    await context.addCookies([{ ...SESSION, url: local }]);
    if (isOld)
      await page.addInitScript(
        "delete PublicKeyCredential.parseCreationOptionsFromJSON; delete PublicKeyCredential.prototype.toJSON;",
      );
    const debug = await context.newCDPSession(page);
    await debug.send("WebAuthn.enable");
    await debug.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    await page.goto(`${local}/gallery/passkey`);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("The passkey was added.").waitFor();
    const made = ran.at(-1) as { type: string; rawId: string; response: Record<string, string> };
    assert.equal(made.type, "public-key");
    assert.match(made.rawId, /^[\w-]+$/);
    const client = JSON.parse(Buffer.from(made.response.clientDataJSON ?? "", "base64url").toString());
    assert.deepEqual([client.type, client.origin], ["webauthn.create", local]);
    assert.ok((made.response.attestationObject ?? "").length > 50);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("nothing moves while a page loads, even if it arrives in pieces", async (t) => {
  const slow = createServer((request, reply) => void sendInPieces(request, reply));
  t.after(() => {
    slow.close();
    slow.closeAllConnections();
  });
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([{ ...SESSION, url }]);
  const page = await context.newPage();
  for (const path of ["/gallery/orders", "/gallery"]) {
    await page.goto(`${url}${path}`);
    assert.equal(await page.evaluate(SHIFT), 0, path);
  }
  await context.close();
});

const PIECE_BYTES = 2_000;
/** Longer than a frame, so that a browser that does not wait paints between two pieces. */
const PIECE_PAUSE_MS = 40;

async function sendInPieces(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const headers = { cookie: request.headers.cookie ?? "", accept: request.headers.accept ?? "" };
  const answer = await fetch(`${address}${request.url}`, { headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get("content-type") ?? "";
  reply.writeHead(answer.status, { "content-type": type });
  const pauseMs = type.startsWith("text/html") ? PIECE_PAUSE_MS : 0;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    reply.write(bytes.subarray(at, at + PIECE_BYTES));
    if (pauseMs > 0) await delay(pauseMs);
  }
  reply.end();
}

test("a first visit transfers less than 120 KB and later ones less than 25 KB", async () => {
  const { context, page } = await open("/gallery/orders");
  assert.ok((await transferred(page)) < FIRST_VISIT_MAX_BYTES);
  const later = await laterVisit(context, "/gallery");
  assert.ok(later < LATER_VISIT_MAX_BYTES, `${later} bytes`);
  await context.close();
});

const transferred = (page: Page): Promise<number> =>
  page.evaluate(`[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, { transferSize }) => sum + transferSize, 0)`);

async function laterVisit(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(`${address}${path}`);
  return transferred(page);
}

/** How far things moved, as the browser itself counts it. */
const SHIFT = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;
