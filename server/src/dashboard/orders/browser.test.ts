import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { testAccounts } from "../../../testing/app/test-accounts.ts";
import { TEST_WEBHOOKS } from "../../../testing/app/test-settings.ts";
import { checkPage, type View } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { createProductReader } from "../../catalog/prices/priced-products.ts";
import { createCursorCodec } from "../../lib/cursor.ts";
import { placeTestOrder } from "../../orders/place-test-order.ts";
import { createPlacementBatch } from "../../orders/placement-batch.ts";
import { serveIcons } from "../../web/docs/icons.ts";
import { catalogPages } from "../catalog/pages.ts";
import { openDashboard } from "../open-dashboard.ts";
import type { DashboardDeps } from "../session.ts";
import { orderPages } from "./pages.ts";

let shop: Shop;
let app: FastifyInstance;
let chromium: TestBrowser;
let address: string;
let cookie: { name: string; value: string };
let productId: string;

before(async () => {
  shop = await openShop();
  productId = await shop.addStocked(3);
  await shop.order([productId, 2]);
  await createTestFulfiller(shop.scrip).drain();
  const { cookie: value } = await signInAs(shop.scrip, shop.buyer.resellerId, "owner");
  cookie = { name: "scrip", value };
  app = Fastify();
  serveIcons(app);
  openDashboard(app, dashboardDeps(shop), [catalogPages, orderPages]);
  address = await app.listen({ host: "127.0.0.1", port: 0 });
  chromium = await openBrowser();
});
after(async () => {
  await chromium?.close();
  await app?.close();
  await shop?.close();
});

/** By plain http, as a browser on this machine reaches it. */
function dashboardDeps({ scrip, clock }: Shop): DashboardDeps {
  const placing = {
    clock,
    readProducts: createProductReader(scrip.db),
    findShortage: async () => undefined,
    submit: createPlacementBatch(scrip.db, clock),
    underWay: new Map(),
    onPlaced: () => {},
  };
  return {
    ...scrip,
    clock,
    log: scrip.app.log as unknown as DashboardDeps["log"],
    cursors: createCursorCodec(scrip.secrets.cursorKey),
    webhooks: TEST_WEBHOOKS,
    baseUrl: () => address,
    announceDeliveries: () => {},
    placeTestOrder: (...args) => placeTestOrder(placing, ...args),
    accounts: testAccounts(scrip),
    sendsMail: false,
    publicUrl: undefined,
    addressOf: ({ ip }) => ip,
  };
}

test("a product is tried in a browser: its order is followed until it has codes, and they are revealed", async () => {
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([{ ...cookie, url: address }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(`${address}/dashboard/catalog`);
  await page.getByRole("link", { name: "Try it" }).click();
  await page.getByLabel("Quantity").fill("2");
  await page.getByRole("button", { name: "Place test order" }).click();
  await page.getByText("pending").waitFor();
  await createTestFulfiller(shop.scrip).drain();
  // The page reads itself again.
  const reveal = page.getByRole("button", { name: "Reveal codes" });
  await reveal.waitFor();
  await page.locator("#order-status").getByText("completed").waitFor();
  await page.getByText("Completed", { exact: true }).waitFor();
  assert.equal(await page.getByText("TEST-").count(), 0);
  await reveal.click();
  await page.getByRole("button", { name: "Copy code" }).first().waitFor();
  assert.equal(
    await page
      .locator("#order-codes")
      .getByText(/^TEST-/)
      .count(),
    2,
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

const VIEWS: readonly View[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
];

test("the pages are sound, light and wide, dark and narrow", async () => {
  const paths = [`/dashboard/orders`, `/dashboard/catalog/${productId}`];
  const list = await app.inject({ url: "/dashboard/orders", headers: { cookie: `scrip=${cookie.value}` } });
  const [, orderId = ""] = /\/dashboard\/orders\/(ord_\w+)/.exec(list.body) ?? [];
  for (const path of [...paths, `/dashboard/orders/${orderId}`, "/dashboard/catalog?env=test"])
    assert.deepEqual(
      await checkPage(chromium.browser, { url: address + path, cookie, views: VIEWS }),
      [],
      path,
    );
});
