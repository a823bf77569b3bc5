import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { checkPage, type View } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { balanceOf } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { openConsoleOn } from "../../../testing/people/console-desk.ts";
import {
  createScriptedSupplier,
  lost,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";

let shop: Shop;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let chromium: TestBrowser;
let address: string;
let cookie: { name: string; value: string };
let supplier: ScriptedSupplier;
const ids: string[] = [];

before(async () => {
  shop = await openShop();
  const { db } = shop.scrip;
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(sql`update suppliers set name = 'Bamboo' where id = ${supplierId}`);
  await db.rows(sql`update resellers set name = 'Northwind Games'`);
  supplier = createScriptedSupplier();
  const suppliers = { [supplierId]: supplier };
  const worker = createTestFulfiller(shop.scrip, { suppliers, limits: { breakerFailures: 3 } });
  const bought = await shop.addBought(supplierId);
  await db.rows(sql`update products set name = 'Nimbus 100 USD' where id = ${bought}`);
  supplier.answers = [sold("FIRST")];
  ids.push(await shop.order([bought, 1]));
  await worker.drain();
  supplier.answers = [lost];
  for (const units of [1, 2, 1]) ids.push(await shop.order([bought, units]));
  await worker.drain();
  shop.clock.advance(41 * 60_000);
  desk = await openConsoleOn(shop.scrip, { url: "http://127.0.0.1", suppliers });
  address = await desk.console.listen({ host: "127.0.0.1", port: 0 });
  cookie = { name: "scrip-console", value: (await desk.enter("support")).cookie };
  chromium = await openBrowser();
});
after(async () => {
  await chromium?.close();
  await desk?.console.close();
  await shop?.close();
});

const VIEWS: readonly View[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
];

test("the pages are sound, light and wide, dark and narrow", async () => {
  const [, open = "", two = ""] = ids;
  for (const path of ["/orders", `/orders/${open}`, "/unknown", "/stuck", `/orders/${two}/write-off`])
    assert.deepEqual(
      await checkPage(chromium.browser, { url: address + path, cookie, views: VIEWS }),
      [],
      path,
    );
});

test("a person looks up one purchase and writes the others off in bulk, and the money is right to the cent", async () => {
  const before = await balanceOf(shop.scrip.db, shop.buyer);
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([{ ...cookie, url: address }]);
  const page = await context.newPage();
  await page.goto(`${address}/unknown`);
  supplier.answers = [sold("FOUND")];
  await page.getByRole("button", { name: `Look up at supplier: ${ids[1]}` }).click();
  await page.getByText("1 purchase is sold, and delivered to the reseller.").waitFor();
  await page.goto(`${address}/stuck`);
  for (const id of ids.slice(2)) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  await page.getByRole("button", { name: "Write off" }).click();
  await page.getByText(/In all 3\.00 USD go back/).waitFor();
  await page.getByLabel("Reason").fill("no answer for 41 minutes");
  await page.getByRole("button", { name: "Write off" }).click();
  await page.getByRole("heading", { name: "Write off: 2 of 2 done" }).waitFor();
  await context.close();
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), before + 3 * PRICE_MINOR);
  await shop.assertHealthy();
});
