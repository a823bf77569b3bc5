import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { addCard } from "../../testing/builders/buyers.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import {
  accept,
  addFactors,
  confirm,
  follow,
  heading,
  type Person,
  press,
  section,
  signOutAndIn,
  sitDown,
  WAIT_MS,
} from "../../testing/people/browser-person.ts";
import { openSite, type Site } from "../../testing/people/open-site.ts";
import { answerWith, ok } from "../../testing/receivers/receiver-answers.ts";
import { DELIVERY_LIMITS } from "../webhooks/delivery/limits.ts";

const run = promisify(execFile);
const HOUR_MS = 3_600_000;
const STALE_PROOF_MS = 6 * 60_000;
/** As our module tells Unpoly. */
const POLL_MS = 5_000;

let site: Site;
let chromium: TestBrowser;
before(async () => {
  [site, chromium] = await Promise.all([openSite(), openBrowser()]);
  await addCard(site.db);
});
after(async () => {
  await Promise.allSettled([chromium?.close(), site?.close()]);
});

/** The key and the command as the page shows them. */
async function readKey({ page, hasScripts }: Person): Promise<{ key: string; curl: string }> {
  await page.getByText("This is the only time it is shown").waitFor();
  const [key = "", curl = ""] = await page.locator(".secret code").allTextContents();
  const copies = await page.getByRole("button", { name: "Copy", exact: true }).count();
  assert.equal(copies, hasScripts ? 2 : 0);
  return { key, curl };
}

async function createKey(person: Person): Promise<{ key: string; curl: string }> {
  const { page } = person;
  await section(page, "API keys");
  await follow(page, "Test");
  await page.getByText("Nothing here moves money").waitFor();
  await page.getByLabel("Name").fill("checkout");
  await press(page, "Create key");
  const shown = await readKey(person);
  assert.match(shown.key, /^sc_test_\w+$/);
  assert.ok(shown.curl.includes(shown.key));
  return shown;
}

/** Runs a command in a shell, exactly as it was printed. */
async function paste(command: string): Promise<{ code?: string; balance?: object }> {
  const { stdout } = await run("sh", ["-c", command], { timeout: WAIT_MS });
  return JSON.parse(stdout);
}

async function findRequest({ page }: Person, status: number): Promise<void> {
  await eventually("the request is in the log", async () => {
    await section(page, "Requests");
    const row = page
      .getByRole("row")
      .filter({ hasText: "GET /v1/balance" })
      .filter({ hasText: `${status}` });
    return (await row.count()) > 0 || undefined;
  });
  await page
    .getByRole("row")
    .filter({ hasText: `${status}` })
    .getByRole("link", { name: "GET /v1/balance" })
    .first()
    .click();
  await heading(page, /^req_/);
}

/** With scripts the page reads itself again; without them it has a link for it. */
async function readAgain({ page, hasScripts }: Person): Promise<void> {
  if (!hasScripts) return page.reload().then(() => undefined);
  await page.mouse.move(0, 0);
  await page.clock.runFor(POLL_MS + 1);
}

async function order(person: Person): Promise<string> {
  const { page } = person;
  await section(page, "Catalog");
  await page.getByRole("link", { name: "Try it" }).click();
  await page.getByLabel("Quantity").fill("2");
  await press(page, "Place test order");
  await heading(page, /^ord_/);
  assert.equal(await page.locator("#order-status .chip").textContent(), "pending");
  await site.work();
  if (person.hasScripts) await readAgain(person);
  else await follow(page, "Refresh");
  await page.locator("#order-status").getByText("completed").waitFor();
  const timeline = page.locator("#order-timeline");
  for (const title of ["Accepted", /2 × .* delivered/, "Completed"])
    await timeline.getByText(title).first().waitFor();
  assert.equal(await page.getByText("TEST-").count(), 0);
  const { pathname } = new URL(page.url());
  site.clock.advance(STALE_PROOF_MS);
  await press(page, "Reveal codes");
  await confirm(person);
  await page.getByText("They are hidden again when you leave this page.").waitFor();
  assert.equal(
    await page
      .locator("#order-codes")
      .getByText(/^TEST-/)
      .count(),
    2,
  );
  await page
    .locator("#order-timeline")
    .getByText(/revealed/i)
    .first()
    .waitFor();
  return pathname;
}

async function deliver(person: Person): Promise<void> {
  const { page } = person;
  await section(page, "Webhooks");
  await follow(page, "Add endpoint");
  await page.getByLabel("URL").fill(site.inbox.url);
  await press(page, "Add endpoint");
  await page.getByText("This is the only time it is shown").waitFor();
  assert.match((await page.locator(".secret code").textContent()) ?? "", /^whsec_/);
  await follow(page, "Go to the endpoint");
  site.inbox.answerWith(answerWith(503, {}, "Try <b>later</b>"));
  await press(page, "Send test event");
  await page.getByText("Not tried yet").waitFor();
  await site.work();
  await readAgain(person);
  await page.getByText("Try <b>later</b>").waitFor();
  await page.getByText("503").first().waitFor();
  site.inbox.answerWith(ok);
  await press(page, "Redeliver");
  await page.getByText("Sending it again.").waitFor();
  // An endpoint that has just failed gets a pause.
  site.clock.advance(DELIVERY_LIMITS.failingPauseMs);
  await site.work();
  await readAgain(person);
  await page.locator("#delivery").getByText("delivered", { exact: true }).waitFor();
}

async function rollKey(person: Person, old: string): Promise<void> {
  const { page } = person;
  await section(page, "API keys");
  await follow(page, "Roll key");
  await page.getByLabel("The old key still works for").fill("1");
  await press(page, "Roll key");
  const { curl } = await readKey(person);
  for (const command of [old, curl]) assert.ok((await paste(command)).balance);
  site.clock.advance(HOUR_MS);
  assert.equal((await paste(old)).code, "unauthenticated");
  assert.ok((await paste(curl)).balance);
  await section(page, "API keys");
  await page.getByRole("link", { name: /^Revoked and expired/ }).click();
  const row = page.getByRole("row").filter({ hasText: "checkout" });
  await row.getByText("expired").waitFor();
  await row.getByText("replaced by").waitFor();
  await findRequest(person, 401);
  await page.getByText("unauthenticated").first().waitFor();
}

async function inviteViewer(person: Person, email: string): Promise<string> {
  const { page } = person;
  await section(page, "Team");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Role").selectOption("viewer");
  await press(page, "Invite");
  await confirm(person);
  await page.getByText(`Send this link to ${email}`).waitFor();
  return (await page.locator(".secret code").textContent()) ?? "";
}

/** What a viewer reads, and everything else, which is refused. */
async function lookAsViewer(viewer: Person, orderPath: string): Promise<void> {
  const { page } = viewer;
  await follow(page, "Later");
  await heading(page, "Home");
  await follow(page, "Test");
  for (const [name, action] of [
    ["API keys", "Create key"],
    ["Webhooks", "Add endpoint"],
    ["Team", "Invite"],
    ["Catalog", "Try it"],
  ] as const) {
    await section(page, name);
    assert.equal(await page.getByRole("button", { name: action, exact: true }).count(), 0, action);
    assert.equal(await page.getByRole("link", { name: action, exact: true }).count(), 0, action);
  }
  await page.goto(`${site.url}${orderPath}?env=test`);
  await page.getByText("Your role does not show codes.").waitFor();
  assert.equal(await page.getByRole("button", { name: /Reveal/ }).count(), 0);
  for (const path of ["/webhooks/new", "/settings", "/wallet/entries.csv"]) {
    const reply = await page.goto(`${site.url}/dashboard${path}?env=test`);
    assert.equal(reply?.status(), 403, path);
    await page.getByText("Your role does not allow this").waitFor();
  }
}

async function walkTheDay(hasScripts: boolean): Promise<void> {
  const room = { site, browser: chromium.browser };
  const name = hasScripts ? "ada" : "bea";
  const engineer = await sitDown(room, `${name}@corner.example`, hasScripts);
  const { id } = await site.addReseller({ name: "Corner Shop" });
  await accept(engineer, await site.invite(id, engineer.email, "owner"));
  await addFactors(engineer);
  await signOutAndIn(engineer);
  const { curl } = await createKey(engineer);
  assert.ok((await paste(curl)).balance);
  await findRequest(engineer, 200);
  await engineer.page.getByText("The request succeeded.").waitFor();
  const orderPath = await order(engineer);
  await deliver(engineer);
  await rollKey(engineer, curl);
  const email = `viewer-${name}@corner.example`;
  const link = await inviteViewer(engineer, email);
  assert.deepEqual(engineer.complaints, []);
  await engineer.page.context().close();
  const viewer = await sitDown(room, email, hasScripts);
  await accept(viewer, link);
  await lookAsViewer(viewer, orderPath);
  assert.deepEqual(viewer.complaints, []);
  await viewer.page.context().close();
}

test("an engineer's whole day works in a browser, without the command", () => walkTheDay(true));

/** In `npm test` the gallery and the console's second person do without. */
if (sizeFor("fuzz", { share: false, wide: true, full: true }))
  test("the same day works without JavaScript, but for passkeys and copy buttons", () => walkTheDay(false));
