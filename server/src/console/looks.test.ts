import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { CONSOLE_MATRIX } from "../../testing/app/console-matrix.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { type Checker, openChecker, VIEWS, type View } from "../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { addBuyer, addCard, postOrder } from "../../testing/builders/buyers.ts";
import { fillGoods } from "../../testing/builders/console-goods.ts";
import { addEndpoint } from "../../testing/builders/webhook-builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { fillMonth } from "../../testing/people/busy-month.ts";
import { type ConsoleVisit, openConsoleOn } from "../../testing/people/console-desk.ts";
import { COMMAND } from "../../testing/people/people-desk.ts";
import { STAFF_ROLES } from "../accounts/permissions.ts";
import { freezeReseller } from "../resellers/freeze-reseller.ts";

/** In `npm test` every third page is opened once, in CI each page; at full size by every role, in both themes and widths. */
const SIZE = sizeFor<"share" | "wide" | "full">("fuzz", { share: "share", wide: "wide", full: "full" });
const IS_FULL = SIZE === "full";
const EVERY = SIZE === "share" ? 3 : 1;
/** Else each role opens one page, so many rows apart. */
const ROLE_STEP = 17;
/** The style sheet is the same for both; `npm run fuzz` looks at all four. */
const LIGHT_AND_WIDE: View = { theme: "light", width: 1280 };
const DARK_AND_NARROW: View = { theme: "dark", width: 390 };
const VIEWS_OF: Readonly<Record<typeof SIZE, (index: number) => readonly View[]>> = {
  share: (index) => [index % 2 === 0 ? LIGHT_AND_WIDE : DARK_AND_NARROW],
  wide: () => [LIGHT_AND_WIDE, DARK_AND_NARROW],
  full: () => VIEWS,
};

let scrip: TestApp;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let browser: TestBrowser;
let checker: Checker;
let url: string;
let admin: ConsoleVisit;
let resellerId: string;
let endpointId: string;
let orderId: string;
let goods: Awaited<ReturnType<typeof fillGoods>>;

before(async () => {
  scrip = await createTestApp();
  [desk, browser] = await Promise.all([
    openConsoleOn(scrip, { url: "http://127.0.0.1", dualControlAbove: "1000" }),
    openBrowser(),
  ]);
  url = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  admin = await desk.enter("admin");
  for (const role of ["finance", "support", "catalog"] as const) await desk.enter(role);
  await scrip.addReseller({ name: "Corner <i>Café</i> with a very long name that goes on" });
  await addCard(scrip.db);
  const buyer = await addBuyer(scrip);
  resellerId = buyer.resellerId;
  for (const name of ["a", "b", "c"]) orderId = (await postOrder(scrip, buyer, name)).json().order.id;
  endpointId = await addEndpoint(scrip.db, buyer);
  await scrip.db.rows(
    sql`update webhook_endpoints set active = false, failures = 9, failing_since = now() where id = ${endpointId}`,
  );
  await freezeReseller(scrip, resellerId, "Unusual orders since noon", COMMAND);
  goods = await fillGoods(scrip, admin.accountId);
  await fillMonth(scrip, resellerId);
  const cookie = { name: "scrip-console", value: admin.cookie };
  checker = await openChecker(browser.browser, { url, cookie });
});
after(async () => {
  await Promise.allSettled([browser?.close(), desk?.console.close()]);
  await scrip?.close();
});

async function assertSound(paths: readonly string[], viewsOf = VIEWS_OF[SIZE]): Promise<void> {
  for (const [index, path] of paths.filter((_path, at) => at % EVERY === 0).entries())
    assert.deepEqual(await checker.visit(`${url}${path}`, { views: viewsOf(index) }), [], path);
}

test("overview and reports are sound in a browser", async () => {
  await assertSound([
    "/",
    "/?by=hour",
    "/reports/sales?env=test",
    "/reports/margin",
    "/reports/fulfilment?by=reseller",
  ]);
});

test("alerts, jobs, products, suppliers and stock are sound in a browser", async () => {
  const { productId, upstream, jobs } = goods;
  await assertSound([
    ...["/alerts", "/guide", "/stock/import", `/products/${productId}`, `/suppliers/${upstream}`],
    `/jobs/${jobs.preview}`,
  ]);
});

/** What is on these differs little: but for the full size each is looked at in one view. */
test("resellers, money, prices, deposits, forms of suppliers, the view, staff, activity, system and search are sound in a browser", async () => {
  const paths = [
    ...[`/resellers/${resellerId}`, `/view/${resellerId}/orders`, `/money/new?reseller=${resellerId}`],
    ...[
      "/money",
      "/staff",
      `/staff/${admin.accountId}`,
      "/activity",
      "/system",
      "/search?q=corner",
      "/search",
    ],
    ...[
      "/prices",
      "/not-for-sale",
      "/deposits",
      "/deposits/import",
      "/suppliers/new",
      "/suppliers/new/reloadly",
    ],
    `/suppliers/${goods.upstream}/reconcile`,
    ...[`/suppliers/${goods.upstream}/catalog`, `/reconciliations/${goods.reconciliationId}`],
    `/products/${goods.productId}/routes?supplier=${goods.upstream}`,
    `/resellers/${resellerId}/endpoints/${endpointId}/enable`,
    ...(IS_FULL ? ["/resellers", `/resellers/${resellerId}/unfreeze`, "/money/proposals"] : []),
  ];
  await assertSound(paths, IS_FULL ? VIEWS_OF.full : VIEWS_OF.share);
});

/** Files, and pages that only lead on. */
const NO_PAGE = /\.csv$|\/template$|\/result$|\/enter$|\/confirm$|\/add-factor$/;
const PAGES = Object.entries(CONSOLE_MATRIX).filter(
  ([key, { roles }]) => key.startsWith("GET ") && roles !== "public" && !NO_PAGE.test(key),
);

/** At full size every page for every role, refusals and missing objects included; else one page for each role. */
for (const [index, role] of STAFF_ROLES.entries())
  test(`every page of the matrix is sound for ${role}`, IS_FULL ? { timeout: 1_800_000 } : {}, async () => {
    const person = await desk.enter(role);
    await checker.become({ name: "scrip-console", value: person.cookie });
    const fixtures = {
      ...{ resellerId, orderId, productId: goods.productId, supplierId: goods.upstream },
      ...{
        jobId: goods.jobs.preview,
        personId: admin.accountId,
        proposalId: "missing",
        depositId: "missing",
        reconciliationId: goods.reconciliationId,
      },
    };
    for (const [key, { ids }] of IS_FULL ? PAGES : PAGES.slice(index * ROLE_STEP, index * ROLE_STEP + 1)) {
      const named: Readonly<Record<string, string>> = ids?.(fixtures) ?? {};
      const path = key
        .slice("GET ".length)
        .replaceAll(/:(\w+)/g, (_all, name: string) => named[name] ?? "missing");
      // Which of 200, 403 and 404 it is, is proved by the authorization matrix.
      const { statusCode: status } = await person.get(path);
      if (status === 303) continue;
      assert.deepEqual(
        await checker.visit(`${url}${path}`, { views: VIEWS_OF[SIZE](index), status }),
        [],
        `${role} ${path}`,
      );
    }
  });
