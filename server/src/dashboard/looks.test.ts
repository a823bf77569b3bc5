import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MATRIX } from "../../testing/app/dashboard-matrix.ts";
import { type Checker, openChecker, VIEWS, type View } from "../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import {
  addFilledProducts,
  type FilledReseller,
  fillLists,
  fillReseller,
} from "../../testing/people/filled-reseller.ts";
import { openSite, type Site } from "../../testing/people/open-site.ts";
import { tokenOf } from "../../testing/people/people-desk.ts";
import { USER_ROLES, type UserRole } from "../accounts/permissions.ts";

const FIRST_VISIT_MAX_BYTES = 120_000;
const LATER_VISIT_MAX_BYTES = 25_000;
/** More than any list shows on a page. */
const ROWS = 55;
const LISTS = [
  "",
  "/webhooks/:id",
  "/catalog",
  "/orders",
  "/wallet",
  "/keys",
  "/requests",
  "/events",
  "/activity",
];
/** One word that is wider than a narrow screen, and markup. */
const TEXT = `<b>${"Wordwithoutend".repeat(5)}`;

/** In `npm test` every fourth page is opened once, in CI each page; at full size by every role, in both themes and widths. */
const { every, isFull } = sizeFor("fuzz", {
  share: { every: 4, isFull: false },
  wide: { every: 1, isFull: false },
  full: { every: 1, isFull: true },
});

type Role = UserRole | "nobody";
const ROLES: readonly Role[] = ["nobody", ...USER_ROLES];
/** At full size a role takes minutes. */
const LONG = isFull ? { timeout: 1_800_000 } : {};

let site: Site;
let chromium: TestBrowser;
let filled: FilledReseller;
/** Whose lists are full. */
let many: FilledReseller;
/** One browser for all roles: what it has loaded once it keeps. */
let checker: Checker;
const cookies = new Map<Role, string>();
/** Of an invitation that is open. */
let link: string;

before(async () => {
  [site, chromium] = await Promise.all([openSite({ clock: createHandClock(new Date()) }), openBrowser()]);
  await addFilledProducts(site, TEXT);
  filled = await fillReseller(site, TEXT);
  many = await fillReseller(site, "Corner Shop");
  await fillLists(site, many, ROWS);
  for (const role of USER_ROLES) cookies.set(role, (await site.join(filled.resellerId, role)).cookie);
  link = await site.invite(filled.resellerId, "looks@corner.example", "viewer");
  checker = await openChecker(chromium.browser, { url: site.url });
});
after(async () => {
  await Promise.allSettled([chromium?.close(), site?.close()]);
});

const become = (role: Role): Promise<void> => {
  const value = cookies.get(role);
  return checker.become(value === undefined ? undefined : { name: "scrip", value });
};

type Opened = { path: string; role: Role; views: readonly View[]; status: number };

/** Every page of the dashboard that is opened by its address, and who opens it how. */
function listOpened(): Opened[] {
  const pages = Object.entries(MATRIX).filter(
    ([key]) => key.startsWith("GET ") && !/\.csv$|\/enter$/.test(key),
  );
  const public_ = [
    { path: "/dashboard/sign-in", status: 200 },
    { path: "/dashboard/reset", status: 200 },
    { path: `/dashboard/accept?token=${tokenOf(link)}`, status: 200 },
    { path: "/dashboard/accept?token=x", status: 410 },
  ];
  const framed = pages
    .filter(([, { roles }]) => roles !== "public")
    .flatMap(([key, { roles, ids }]) => {
      const id = ids?.(filled).id ?? filled.productId;
      const path = `${key.slice("GET ".length).replace(":id", id)}?env=test${QUERIES[key] ?? ""}`;
      // A reveal and the codes are asked for by a form. Their addresses lead back to the order.
      return USER_ROLES.map((role) => ({
        path,
        role,
        status: roles === "all" || (roles as readonly string[]).includes(role) ? 200 : 403,
      }));
    });
  const all = [...public_.map((one) => ({ ...one, role: "nobody" as const })), ...framed];
  return isFull ? all.map((one) => ({ ...one, views: VIEWS })) : pickShare(all);
}

const QUERIES: Readonly<Record<string, string>> = {
  "GET /dashboard/webhooks/:id/recovery": "&since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&started=3",
};

/** Each chosen page once by someone who may open it, each role, theme and width several times, and some refusals. */
function pickShare(all: readonly Omit<Opened, "views">[]): Opened[] {
  const byPath = Map.groupBy(all, ({ path }) => path);
  const chosen = [...byPath.values()].filter((_ones, index) => index % every === 0);
  const picked = chosen.map((ones, index) => {
    const allowed = ones.filter(({ status }) => status !== 403);
    return allowed[index % allowed.length] as Omit<Opened, "views">;
  });
  const refused = all.filter(({ status }) => status === 403).slice(0, 2);
  return [...picked, ...refused].map((one, index) => ({
    ...one,
    views: [VIEWS[index % VIEWS.length] as View],
  }));
}

for (const role of ROLES)
  test(`every page is sound and small for ${role}, light and dark, narrow and wide`, LONG, async () => {
    const faults: string[] = [];
    await become(role);
    for (const [index, { path, views, status }] of listOpened()
      .filter((one) => one.role === role)
      .entries()) {
      const found = await checker.visit(`${site.url}${path}`, { views, status });
      const size: number = await checker.page.evaluate(TRANSFERRED);
      // What the browser has from the first page of all it does not load again.
      const max = role === ROLES[0] && index === 0 ? FIRST_VISIT_MAX_BYTES : LATER_VISIT_MAX_BYTES;
      if (size > max) found.push(`transfers ${size} bytes`);
      faults.push(...found.map((fault) => `${path}: ${fault}`));
    }
    assert.deepEqual(faults, []);
  });

const TRANSFERRED = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`;

test("what forms answer is sound too: a refused form, a new key, a QR code, revealed codes", async () => {
  const { page, visit, judge, expect } = checker;
  await become("owner");
  const views = isFull ? VIEWS : [VIEWS[3] as View];
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
  const faults: string[] = [];
  const look = async (what: string) =>
    faults.push(...(await judge({ views })).map((fault) => `${what}: ${fault}`));
  const open = (path: string) => visit(`${site.url}/dashboard${path}`, { views: [] });
  await open("/team");
  expect(422);
  await page.getByLabel("Email").evaluate("(field) => { field.form.noValidate = true; }");
  await press("Invite");
  await page.getByRole("alert").waitFor();
  await look("a refused form");
  await open("/keys?env=test");
  await page.getByLabel("Name").fill("checkout");
  await press("Create key");
  await page.getByText("This is the only time it is shown").waitFor();
  await look("a new key");
  await open("/security/totp");
  await press("Show the QR code");
  await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  await look("a QR code");
  await open(`/orders/${filled.orderId}?env=test`);
  await press("Reveal codes");
  await page.getByText("They are hidden again when you leave this page.").waitFor();
  await look("revealed codes");
  assert.deepEqual(faults, []);
});

test("a full list is small too", async () => {
  const owner = await site.join(many.resellerId, "owner");
  const headers = { cookie: `scrip=${owner.cookie}`, host: new URL(site.url).host, "accept-encoding": "br" };
  for (const path of LISTS) {
    const { rawPayload, statusCode } = await site.app.inject({
      url: `/dashboard${path.replace(":id", many.webhookId)}?env=test`,
      headers,
    });
    assert.equal(statusCode, 200, path);
    assert.ok(rawPayload.length < LATER_VISIT_MAX_BYTES, `${path}: ${rawPayload.length} bytes`);
  }
});
