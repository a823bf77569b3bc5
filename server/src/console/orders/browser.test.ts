import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { checkPage, type View } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { PRICE_MINOR } from "../../../testing/builders/shop.ts";
import { openOrderDesk } from "../../../testing/people/order-desk.ts";
import { sold } from "../../../testing/upstream/scripted-supplier.ts";

let orders: Awaited<ReturnType<typeof openOrderDesk>>;
let chromium: TestBrowser;
let address: string;
let cookie: { name: string; value: string };
let ids: string[];

before(async () => {
  orders = await openOrderDesk({ supplierName: "Bamboo", url: "http://127.0.0.1" });
  const { shop, desk, bought } = orders;
  await shop.scrip.db.rows(sql`update resellers set name = 'Northwind Games'`);
  await shop.scrip.db.rows(sql`update products set name = 'Nimbus 100 USD' where id = ${bought}`);
  ids = [await orders.unknownOrder(), await orders.unknownOrder(2), await orders.unknownOrder()];
  shop.clock.advance(41 * 60_000);
  address = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  cookie = { name: "scrip-console", value: (await desk.enter("support")).cookie };
  chromium = await openBrowser();
});
after(async () => {
  await chromium?.close();
  await orders?.close();
});

const VIEWS: readonly View[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
];

test("the pages are sound, light and wide, dark and narrow", async () => {
  const [open = "", two = ""] = ids;
  for (const path of ["/orders", `/orders/${open}`, "/unknown", "/stuck", `/orders/${two}/write-off`])
    assert.deepEqual(
      await checkPage(chromium.browser, { url: address + path, cookie, views: VIEWS }),
      [],
      path,
    );
});

test("a person looks up one purchase and writes the others off in bulk, and the money is right to the cent", async () => {
  const before = await orders.balance();
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([{ ...cookie, url: address }]);
  const page = await context.newPage();
  await page.goto(`${address}/unknown`);
  orders.supplier.answers = [sold("FOUND")];
  await page.getByRole("button", { name: `Look up at supplier: ${ids[0]}` }).click();
  await page.getByText("1 purchase is sold, and delivered to the reseller.").waitFor();
  await page.goto(`${address}/stuck`);
  for (const id of ids.slice(1)) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  await page.getByRole("button", { name: "Write off" }).click();
  await page.getByText(/In all 3\.00 USD goes back/).waitFor();
  await page.getByLabel("Reason").fill("no answer for 41 minutes");
  await page.getByRole("button", { name: "Write off" }).click();
  await page.getByRole("heading", { name: "Write off: 2 of 2 done" }).waitFor();
  await context.close();
  assert.equal(await orders.balance(), before + 3 * PRICE_MINOR);
  await orders.shop.assertHealthy();
});
