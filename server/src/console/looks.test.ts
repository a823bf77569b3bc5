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

const IS_FULL = sizeFor("fuzz", { share: false, full: true });
/** In `npm test` each role opens one page, so many rows apart. */
const SHARE_STEP = 17;
/** Light and wide, dark and narrow. The style sheet is the same for both; `npm run fuzz` looks at all four. */
const CHECKED: readonly View[] = IS_FULL
  ? VIEWS
  : [
      { theme: "light", width: 1280 },
      { theme: "dark", width: 390 },
    ];

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

async function assertSound(path: string, views: readonly View[]): Promise<void> {
  assert.deepEqual(await checker.visit(`${url}${path}`, { views }), [], path);
}

test("overview and reports are sound in a browser", async () => {
  for (const path of [
    "/",
    "/?by=hour",
    "/reports/margin",
    "/reports/fulfilment?by=reseller",
    "/reports/sales?env=test",
  ])
    await assertSound(path, CHECKED);
});

test("alerts, jobs, products, suppliers and stock are sound in a browser", async () => {
  const { productId, upstream, jobs } = goods;
  for (const path of [
    ...["/alerts", "/guide", "/stock/import", `/products/${productId}`, `/suppliers/${upstream}`],
    `/jobs/${jobs.preview}`,
  ])
    await assertSound(path, CHECKED);
});

/** What is on these differs little: in `npm test` each is looked at in one view. */
test("resellers, money, prices, deposits, forms of suppliers, the view, staff, activity, system and search are sound in a browser", async () => {
  for (const [index, path] of [
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
    ...["/prices", "/deposits", "/deposits/import", "/suppliers/new", "/suppliers/new/reloadly"],
    `/suppliers/${goods.upstream}/reconcile`,
    `/products/${goods.productId}/routes?supplier=${goods.upstream}`,
    `/resellers/${resellerId}/endpoints/${endpointId}/enable`,
    ...(IS_FULL ? ["/resellers", `/resellers/${resellerId}/unfreeze`, "/money/proposals"] : []),
  ].entries())
    await assertSound(path, IS_FULL ? CHECKED : CHECKED.slice(index % 2, (index % 2) + 1));
});

/** Files, and pages that only lead on. */
const NO_PAGE = /\.csv$|\/result$|\/enter$|\/confirm$|\/add-factor$/;
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
      },
    };
    for (const [key, { ids }] of IS_FULL ? PAGES : PAGES.slice(index * SHARE_STEP, index * SHARE_STEP + 1)) {
      const named: Readonly<Record<string, string>> = ids?.(fixtures) ?? {};
      const path = key
        .slice("GET ".length)
        .replaceAll(/:(\w+)/g, (_all, name: string) => named[name] ?? "missing");
      // Which of 200, 403 and 404 it is, is proved by the authorization matrix.
      const { statusCode: status } = await person.get(path);
      if (status === 303) continue;
      assert.deepEqual(
        await checker.visit(`${url}${path}`, { views: CHECKED, status }),
        [],
        `${role} ${path}`,
      );
    }
  });
